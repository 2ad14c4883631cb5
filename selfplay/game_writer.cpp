#include "selfplay/game_writer.h"

#include <exception>
#include <utility>

#include "selfplay/thread_name.h"

namespace baghzero {
namespace {

// Enough to bridge a slow write, little beside the games in the slots.
constexpr std::size_t kQueueCapacity = 64;

}  // namespace

GameWriter::GameWriter(GameSink& sink, PhaseControl& control, bool ordered)
    : sink_(sink), control_(control), ordered_(ordered), queue_(kQueueCapacity) {
  thread_ = std::thread([this] { run(); });
}

GameWriter::~GameWriter() {
  queue_.close();
  thread_.join();
}

void GameWriter::push(std::uint64_t game, GameRecord record) {
  queue_.push(FinishedGame{game, std::move(record)});
}

void GameWriter::push_end_of_phase() { queue_.push(std::nullopt); }

void GameWriter::run() {
  name_this_thread("game-writer");
  while (auto item = queue_.pop()) {
    if (*item) {
      accept(std::move(**item));
      continue;
    }
    for (auto& [game, record] : std::exchange(waiting_, {})) write(game, std::move(record));
    control_.phase_written();
  }
}

void GameWriter::accept(FinishedGame game) {
  if (!ordered_) {
    write(game.index, std::move(game.record));
    return;
  }
  waiting_.emplace(game.index, std::move(game.record));
  while (!waiting_.empty() && control_.is_next_in_order(waiting_.begin()->first)) {
    auto first = waiting_.extract(waiting_.begin());
    write(first.key(), std::move(first.mapped()));
  }
}

void GameWriter::write(std::uint64_t game, GameRecord record) {
  control_.written(game);
  if (broken_) return;
  try {
    sink_.put(std::move(record));
  } catch (...) {
    broken_ = true;
    control_.fail(std::current_exception());
  }
}

}  // namespace baghzero
