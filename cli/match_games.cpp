#include "cli/match_games.h"

#include <filesystem>
#include <stdexcept>

namespace baghzero {

MatchGames::MatchGames(const std::string& file, bool resume, const std::string& first,
                       const std::string& second, std::span<const Game> openings)
    : file_(file), first_(first), second_(second) {
  if (file_.empty()) return;
  if (std::filesystem::exists(file_) && std::filesystem::is_regular_file(file_)) {
    if (!resume)
      throw std::runtime_error(file_ +
                               " exists already: go on with it (--resume) or name another file");
    StoredMatch stored = read_match(read_text_file(file_), file_, first, second, openings);
    played_ = std::move(stored.games);
    std::filesystem::resize_file(file_, stored.length);
  }
  stream_.open(file_, std::ios::app | std::ios::binary);
  check();
}

void MatchGames::add(const MatchGame& game) {
  if (file_.empty()) return;
  stream_ << format_filed_game(file_match_game(game, first_, second_)) << std::flush;
  check();
}

void MatchGames::check() const {
  if (!stream_)
    throw std::runtime_error("cannot write the games to " + file_ +
                             ": check its folder and the free space there");
}

}  // namespace baghzero
