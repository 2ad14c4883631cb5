#include "training/run_check.h"

#include <optional>
#include <stdexcept>
#include <string_view>

#include "engine/notation.h"
#include "engine/text.h"
#include "nn/inference.h"
#include "nn/model_file.h"
#include "selfplay/game_record.h"
#include "training/checkpoint.h"
#include "training/run_folder.h"
#include "training/run_schema.h"
#include "training/sqlite.h"
#include "training/targets.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kGamesPerReport = 64;
constexpr std::string_view kSeparator = ", ";  // of the parts of an identity

class RunCheck {
 public:
  RunCheck(const fs::path& root, const std::function<void(std::int64_t, std::int64_t)>& progress)
      : folder_(existing_run(root)),
        progress_(progress),
        database_(folder_.database(), sqlite::Access::ReadOnly),
        schema_version_(schema_version(database_, folder_.database())) {
    database_.execute("BEGIN");  // one view of the database, whatever is added meanwhile
  }

  RunFindings look() {
    for (const auto part :
         {&RunCheck::check_pages, &RunCheck::check_schema, &RunCheck::check_generations,
          &RunCheck::check_gates, &RunCheck::check_games, &RunCheck::check_metrics,
          &RunCheck::check_states}) {
      try {
        (this->*part)();
      } catch (const std::exception& fault) {
        report(fault.what());  // so damaged that this part cannot be read to its end
      }
    }
    return std::move(findings_);
  }

 private:
  void report(const std::string& fault) { findings_.faults.push_back(fault); }

  void check_pages() {
    sqlite::Statement read = database_.prepare("PRAGMA integrity_check");
    while (read.next())
      if (read.text(0) != "ok") report(folder_.database().string() + ": " + read.text(0));
  }

  void check_schema() {
    for (const std::string& fault : schema_faults(database_, schema_version_))
      report(folder_.database().string() + " lacks " + fault);
  }

  // `made_with`: what a model says of the identity of its run, each part followed by ", ".
  void check_model(const fs::path& file, const std::string& made_with) {
    if (identity_.empty()) identity_ = made_with;
    if (!identity_.starts_with(made_with)) report_foreign(file, made_with);
  }

  void report_foreign(const fs::path& file, const std::string& made_with) {
    report(file.string() + " is of another run: it was made with " + made_with +
           "but this run has " + identity_.substr(0, identity_.size() - kSeparator.size()));
  }

  void check_generations() {
    sqlite::Statement meta = database_.prepare("SELECT value FROM meta WHERE key = 'identity'");
    if (meta.next()) identity_ = meta.text(0).append(kSeparator);
    sqlite::Statement read =
        database_.prepare("SELECT number, file, games FROM generations ORDER BY number");
    while (read.next()) {
      const std::int64_t number = read.integer(0);
      const fs::path file = folder_.root / read.text(1);
      if (number != generations_)
        report("generation " + std::to_string(generations_) + " is missing");
      generations_ = number + 1;
      games_known_ = std::max(games_known_, read.integer(2));
      try {
        const auto [network, facts] = load_model(file);
        if (network->generation() != number)
          report("generation " + std::to_string(number) + ": " + file.string() +
                 " holds generation " + std::to_string(network->generation()));
        if (!rules_) rules_ = facts.rules;
        check_model(file, rules_identity(facts.rules).append(kSeparator) +
                              network_identity(network->architecture()).append(kSeparator));
      } catch (const std::exception& fault) {
        report(fault.what());
      }
      ++findings_.models;
    }
    if (generations_ == 0) report("the database lists no generation");
  }

  void check_gates() {
    sqlite::Statement read =
        database_.prepare("SELECT id, opponent, promoted FROM gates ORDER BY id");
    std::int64_t promoted = 0;
    while (read.next()) {
      const std::string name = "gate " + std::to_string(read.integer(0));
      if (read.integer(1) != promoted)
        report(name + " was against generation " + std::to_string(read.integer(1)) +
               " instead of " + std::to_string(promoted));
      if (!read.is_null(2) && read.integer(2) != 0) ++promoted;
      check_gate_games(read.integer(0), name);
    }
    if (promoted != std::max<std::int64_t>(0, generations_ - 1))
      report("gates promoted " + std::to_string(promoted) + " candidates, but there are " +
             std::to_string(generations_ - 1) + " promoted generations");
  }

  void check_gate_games(std::int64_t gate, const std::string& name) {
    if (!rules_) return;
    sqlite::Statement read = database_.prepare(
        "SELECT pair, game, outcome, termination FROM gate_games WHERE gate = ?1");
    for (read.start(gate); read.next(); ++findings_.gate_games) {
      const std::string place = name + ", pair " + std::to_string(read.integer(0)) + ": ";
      try {
        const Game game = parse_game(read.text(1), *rules_);
        if (to_string(game.outcome()) != read.text(2) ||
            to_string(game.termination()) != read.text(3))
          report(place + "the moves end with " + std::string(to_string(game.termination())) +
                 ", the columns say " + read.text(3));
      } catch (const std::exception& fault) {
        report(place + fault.what());
      }
    }
  }

  void check_games() {
    sqlite::Statement count = database_.prepare("SELECT count(*), coalesce(max(id), 0) FROM games");
    count.next();
    const std::int64_t games = count.integer(0);
    if (games != count.integer(1))
      report("games are numbered up to " + std::to_string(count.integer(1)) + ", but there are " +
             std::to_string(games));
    else if (games < games_known_)
      report("there are " + std::to_string(games) + " games, but a generation was made after " +
             std::to_string(games_known_) + ": some are lost");
    count.rewind();
    sqlite::Statement read = database_.prepare(
        "SELECT id, first_generation, last_generation, seed, outcome, termination, plies, rows, "
        "record FROM games ORDER BY id");
    while (read.next()) {
      check_game(read);
      if (++findings_.games % kGamesPerReport == 0) progress_(findings_.games, games);
    }
    progress_(findings_.games, games);
  }

  void check_game(const sqlite::Statement& row) {
    const std::string name = "game " + std::to_string(row.integer(0)) + ": ";
    GameRecord record;
    try {
      record = decode_game(row.blob(8));
    } catch (const std::exception& fault) {
      report(name + fault.what());
      return;
    }
    const auto expect = [&](bool holds, const char* column) {
      if (!holds) report(name + "the column " + column + " contradicts the record");
    };
    expect(row.integer(1) == record.first_generation, "first_generation");
    expect(row.integer(2) == record.last_generation, "last_generation");
    expect(row.integer(3) == static_cast<std::int64_t>(record.seed), "seed");
    expect(row.text(4) == to_string(record.outcome), "outcome");
    expect(row.text(5) == to_string(record.termination), "termination");
    expect(row.integer(6) == static_cast<std::int64_t>(record.moves.size()), "plies");
    expect(row.integer(7) == count_rows(record), "rows");
    if (record.outcome == Outcome::Unfinished) report(name + "it has no end");
    if (rules_ && record.rules != *rules_) report(name + "it was played by other rules");
    if (record.first_generation < kNoGeneration ||
        record.first_generation > record.last_generation || record.last_generation >= generations_)
      report(name + "it was played by generations " + std::to_string(record.first_generation) +
             " to " + std::to_string(record.last_generation) + ", which the run does not have");
  }

  void check_metrics() {
    sqlite::Statement read = database_.prepare(
        "SELECT name, count(*) FROM metrics WHERE typeof(value) <> 'real' OR abs(value) = 9e999 "
        "GROUP BY name");
    while (read.next())
      report("the metric " + read.text(0) + " has " + counted(read.integer(1), "value") + " that " +
             (read.integer(1) == 1 ? "is" : "are") + " no finite number");
  }

  void check_states() {
    for (const fs::path& file : state_files(folder_.states())) {
      try {
        check_state(file, load_state(file));
      } catch (const std::exception& fault) {
        // A run that goes on meanwhile removes old ones.
        if (fs::exists(file)) report(file.string() + " cannot be used: " + fault.what());
      }
      ++findings_.states;
    }
    if (findings_.states == 0) report("there is no state in " + folder_.states().string());
  }

  void check_state(const fs::path& file, const RunState& state) {
    const bool silent = state.identity.empty();  // of an older program
    const std::string saved_with =
        (silent ? network_identity(state.network) : state.identity) + std::string(kSeparator);
    const bool own = silent ? identity_.find(saved_with) != std::string::npos
                            : saved_with.starts_with(identity_);
    if (!own && !identity_.empty()) report_foreign(file, saved_with);
    // Not the view of the database that the other parts have: a run that goes on meanwhile saves
    // states of later games.
    sqlite::Database now(folder_.database(), sqlite::Access::ReadOnly);
    sqlite::Statement read =
        now.prepare("SELECT (SELECT max(id) FROM games), (SELECT max(number) FROM generations)");
    read.next();
    const auto expect = [&](const char* what, std::int64_t known, std::int64_t stored) {
      if (known > stored)
        report(file.string() + " knows of " + what + " " + std::to_string(known) +
               ", but the database ends with " + std::to_string(stored) + ": some are lost");
    };
    expect("game", state.last_game, read.integer(0));
    expect("generation", state.generation, read.integer(1));
  }

  RunFolder folder_;
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  sqlite::Database database_;
  const int schema_version_;
  RunFindings findings_;
  // Of the run or, without one, what the first model has of it; ends with kSeparator.
  std::string identity_;
  std::optional<Rules> rules_;  // of the first model
  std::int64_t generations_ = 0;
  std::int64_t games_known_ = 0;  // to the generations
};

}  // namespace

RunFindings check_stored_run(const fs::path& root,
                             const std::function<void(std::int64_t, std::int64_t)>& progress) {
  return RunCheck(root, progress).look();
}

}  // namespace baghzero
