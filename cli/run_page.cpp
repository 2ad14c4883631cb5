#include "cli/run_page.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/board_picture.h"
#include "cli/command_name.h"
#include "cli/generation_measures.h"
#include "cli/html.h"
#include "cli/run_charts.h"
#include "cli/run_status.h"
#include "engine/notation.h"
#include "engine/text.h"
#include "selfplay/game_record.h"
#include "training/ladder_store.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

constexpr std::size_t kBoards = 5;       // of a sample game
constexpr std::int64_t kNewGames = 200;  // among which samples are sought
constexpr std::size_t kGatesShown = 40;
constexpr std::size_t kWarningsShown = 20;
constexpr std::size_t kGenerationsShown = 5;  // in tables of what they were measured by
constexpr const char* kNone = "–";            // in cells

std::string time_text(std::int64_t at) {
  const std::time_t time = at;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

std::string row(const std::vector<std::string>& cells, const char* kind = "td") {
  std::string text = "<tr>";
  for (const std::string& cell : cells)
    text.append("<").append(kind).append(">").append(cell).append("</").append(kind).append(">");
  return text + "</tr>\n";
}

std::string table(const std::vector<std::string>& head, const std::string& rows) {
  if (rows.empty()) return "";
  return "<div class=\"scroll\"><table>" + row(head, "th") + rows + "</table></div>\n";
}

std::string generation_table(const RunStore& store) {
  std::string rows;
  for (const GenerationEntry& entry : store.generations())
    rows += row({std::to_string(entry.number), escaped(entry.file), grouped(entry.samples),
                 grouped(entry.games), time_text(entry.at)});
  return "<h2>Generations</h2>\n" +
         table({"#", "model", "samples", "games", "promoted (UTC)"}, rows);
}

std::string gate_table(const RunStore& store) {
  const std::vector<GateEntry> gates = store.gates();
  std::string rows;
  for (std::size_t i = gates.size() - std::min(gates.size(), kGatesShown); i < gates.size(); ++i) {
    const GateEntry& gate = gates[i];
    const std::string verdict = !gate.promoted   ? "undecided"
                                : *gate.promoted ? "promoted"
                                : gate.pairs > 0 ? "rejected"
                                                 : "abandoned";
    const auto score = [&](double value) { return gate.pairs > 0 ? percent(value) : kNone; };
    rows += row({std::to_string(gate.id), verdict, "generation " + std::to_string(gate.opponent),
                 grouped(gate.samples), gate.pairs > 0 ? std::to_string(gate.pairs) : "no game",
                 score(gate.score), score(gate.score_as_goat), score(gate.score_as_tiger)});
  }
  if (rows.empty()) return "";
  return "<h2>Gates</h2>\n" +
         table({"#", "verdict", "against", "samples", "pairs", "score", "as goat", "as tiger"},
               rows);
}

// Of the newest generations that have any.
std::string evaluation_table(const std::vector<OpponentScores>& opponents) {
  std::map<int, std::string, std::greater<>> rows;  // by generation
  for (const OpponentScores& opponent : opponents)
    for (const EvaluationScore& score : opponent.scores)
      rows[score.generation] +=
          row({std::to_string(score.generation), escaped(opponent.opponent), percent(score.total),
               percent(score.as_goat), percent(score.as_tiger)});
  std::string text;
  std::size_t shown = 0;
  for (const auto& [generation, its_rows] : rows)
    if (shown++ < kGenerationsShown) text += its_rows;
  return table({"generation", "against", "score", "as goat", "as tiger"}, text);
}

std::string evaluations(const RunStore& store) {
  const std::vector<OpponentScores> opponents = stored_evaluations(store);
  if (opponents.empty()) return "";
  const std::vector<GenerationRating> ratings = stored_ratings(store);
  return "<h2>Evaluations</h2>\n<p class=\"faint\">Scores of promoted generations; a draw counts "
         "half." +
         std::string(ratings.empty() ? ""
                                     : " Ratings are those of all games so far when a generation "
                                       "had been evaluated, with 95 % intervals; the first fixed "
                                       "opponent has 0 Elo.") +
         "</p>\n" + evaluation_charts(ratings, opponents) + evaluation_table(opponents);
}

// Share of the positions in which value is given away, all and by role.
std::vector<std::string> error_cells(const std::optional<SuiteEntry>& entry) {
  const auto cell = [](const SuiteCounts& counts) {
    return counts.positions > 0 ? percent(error_share(counts)) : kNone;
  };
  if (!entry) return {kNone, kNone, kNone};
  const SuiteReport& moves = entry->moves;
  return {cell(moves.total()), cell(moves.total(Side::Goat)), cell(moves.total(Side::Tiger))};
}

std::vector<std::string> value_cells(const std::optional<SuiteEntry>& entry) {
  const ValueCounts values = entry ? entry->values.total() : ValueCounts{};
  if (values.positions == 0) return {kNone, kNone};
  return {percent(right_share(values)), decimal(mean_cross_entropy(values), 3)};
}

std::string suite_table(const std::vector<SuiteMeasure>& measures) {
  std::string rows;
  const std::size_t first = measures.size() - std::min(measures.size(), kGenerationsShown);
  for (std::size_t i = measures.size(); i-- > first;) {
    const SuiteMeasure& measure = measures[i];
    const auto add = [&](const std::optional<SuiteEntry>& entry, const std::string& player) {
      if (!entry) return;
      std::vector<std::string> cells = {std::to_string(measure.generation), player,
                                        grouped(entry->moves.total().positions)};
      for (const auto& more : {error_cells(entry), value_cells(entry)})
        cells.insert(cells.end(), more.begin(), more.end());
      rows += row(cells);
    };
    add(measure.bare, "bare network");
    if (measure.search) add(measure.search, counted(measure.search->visits, "visit"));
  }
  return table({"generation", "player", "positions", "value given away", "as goat", "as tiger",
                "value right", "cross-entropy"},
               rows);
}

// The newest generation by role and phase.
std::string phase_table(const SuiteMeasure& measure) {
  std::string rows;
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      const auto errors = [&](const std::optional<SuiteEntry>& entry) {
        const SuiteCounts counts = entry ? entry->moves.at(side, phase) : SuiteCounts{};
        return counts.positions > 0
                   ? percent(error_share(counts)) + " of " + grouped(counts.positions)
                   : kNone;
      };
      const ValueCounts values =
          measure.bare ? measure.bare->values.at(side, phase) : ValueCounts{};
      rows += row({std::string(to_string(side)), std::string(to_string(phase)),
                   errors(measure.bare), errors(measure.search),
                   values.positions > 0
                       ? percent(right_share(values)) + " of " + grouped(values.positions)
                       : kNone});
    }
  return "<h3>Generation " + std::to_string(measure.generation) + " by role and phase</h3>\n" +
         table({"role", "phase", "value given away by the policy", "by the search", "value right"},
               rows);
}

// A section for every suite.
std::string perfect_play(const RunStore& store) {
  std::map<std::string, std::vector<SuiteMeasure>> suites;
  for (SuiteMeasure& measure : stored_suite_measures(store))
    suites[measure.suite].push_back(std::move(measure));
  std::string text;
  for (const auto& [suite, measures] : suites)
    text += "<h2>Against perfect play</h2>\n<p class=\"faint\">" + escaped(suite) +
            ": positions whose value is known.</p>\n" + suite_charts(measures) +
            suite_table(measures) + phase_table(measures.back());
  return text;
}

std::string match_table(const RunStore& store) {
  std::string rows;
  std::int64_t number = 0;
  for (const MatchEntry& match : store.matches())
    rows +=
        row({std::to_string(++number), escaped(match.first) + " against " + escaped(match.second),
             std::to_string(match.pairs), percent(match.score), percent(match.score_as_goat),
             percent(match.score_as_tiger)});
  if (rows.empty()) return "";
  return "<h2>Matches</h2>\n" +
         table({"#", "players", "pairs", "score", "as goat", "as tiger"}, rows);
}

std::string rating_table(const std::filesystem::path& database) {
  std::string rows;
  const auto interval = [](const Rating& rating) {
    return formatted("%+.0f ± %.0f", rating.elo, rating.error);
  };
  std::int64_t rank = 0;
  for (const StoredRating& rating : latest_ladder(database))
    rows += row({std::to_string(++rank), escaped(rating.player), interval(rating.overall),
                 interval(rating.as_goat), interval(rating.as_tiger), grouped(rating.games)});
  if (rows.empty()) return "";
  return "<h2>Ladder</h2>\n" + table({"#", "player", "Elo", "as goat", "as tiger", "games"}, rows);
}

// "tigers blocked" of "tigers_blocked".
std::string words(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string sample_game(std::int64_t number, const GameRecord& record) {
  const Game game = replay(record);
  std::string text =
      "<h3>Game " + std::to_string(number) + ": " + words(to_string(record.outcome)) + " (" +
      words(to_string(record.termination)) + "), " + counted(game.plies(), "ply", "plies") +
      ", generation " + std::to_string(record.last_generation) + "</h3>\n<div class=\"boards\">\n";
  std::set<int> plies;
  for (std::size_t i = 1; i <= kBoards; ++i)
    plies.insert(static_cast<int>(static_cast<std::size_t>(game.plies()) * i / kBoards));
  for (const int ply : plies)
    text += "<figure>" + board_picture(game, ply) + "<figcaption>after " +
            counted(ply, "ply", "plies") + ", " +
            counted(game.positions()[static_cast<std::size_t>(ply)].captured(), "capture") +
            "</figcaption></figure>\n";
  return text + "</div>\n<details><summary>Moves</summary><p>" + escaped(format_game(game)) +
         "</p></details>\n";
}

// Of the newest games the last one of every outcome. What cannot be read is passed over.
std::string sample_games(const RunStore& store) {
  std::map<Outcome, std::string> samples;
  std::string fault;
  std::int64_t faults = 0;
  const std::int64_t last = store.game_count();
  const std::int64_t first = std::max<std::int64_t>(1, last - kNewGames + 1);
  for (std::int64_t number = last; number >= first; --number) try {
      store.for_each_game(number, number, [&](std::int64_t, const GameRecord& record) {
        if (!samples.contains(record.outcome))
          samples[record.outcome] = sample_game(number, record);
      });
    } catch (const std::exception& error) {
      ++faults;
      fault = error.what();
    }
  if (samples.empty() && faults == 0) return "";
  std::string text = "<h2>Games of self-play</h2>\n" + board_lines();
  if (faults > 0)
    text += "<p>" + counted(faults, "game") + " of the newest " + grouped(last - first + 1) +
            " cannot be read and " + (faults == 1 ? "is" : "are") +
            " passed over: " + escaped(fault) + ". " + escaped("`" + command_name() + " check`") +
            " lists all that is damaged.</p>\n";
  for (const auto& [outcome, sample] : samples) text += sample;
  return text;
}

std::string warning_table(const RunStore& store) {
  std::vector<EventEntry> events = store.events();
  std::erase_if(events, [](const EventEntry& event) { return event.level != "warning"; });
  std::string rows;
  for (std::size_t i = events.size() - std::min(events.size(), kWarningsShown); i < events.size();
       ++i)
    rows += row({time_text(events[i].at), escaped(events[i].text)});
  if (rows.empty()) return "";
  return "<h2>Warnings</h2>\n" + table({"time (UTC)", "warning"}, rows);
}

}  // namespace

std::string run_as_html(const std::filesystem::path& root, std::int64_t now) {
  const std::filesystem::path database = existing_run(root).database();
  const RunStore store(database, RunStore::Mode::ReadOnly);
  return html_begin("BaghZero run " +
                    std::filesystem::absolute(root).lexically_normal().filename().string()) +
         "<pre>" + escaped(describe_status(root, now)) + "</pre>\n" + run_curves(store) +
         evaluations(store) + perfect_play(store) + generation_table(store) + gate_table(store) +
         match_table(store) + rating_table(database) + sample_games(store) + warning_table(store) +
         "<p class=\"faint\">Written " + time_text(now) + " UTC.</p>\n" + html_end();
}

}  // namespace baghzero
