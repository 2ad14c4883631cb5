#include "cli/run_page.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/board_picture.h"
#include "cli/charts.h"
#include "cli/html.h"
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

struct Curve {
  const char* metric;
  const char* label;
  const char* style;
};
struct ChartPlan {
  const char* title;
  std::vector<Curve> curves;
  AxisText text = AxisText::Number;
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool dots = false;
};

// Every chart of metrics; those without a value are left out.
std::vector<ChartPlan> chart_plans() {
  return {
      {"Policy loss",
       {{"loss/policy", "cross entropy", "series0"},
        {"loss/policy_excess", "above that of the targets", "series1"}}},
      {"Value loss", {{"loss/value", "cross entropy", "series0"}}},
      {"Auxiliary losses",
       {{"loss/captures", "captures", "series0"},
        {"loss/occupancy", "occupancy", "series1"},
        {"loss/plies_left", "plies left", "series2"},
        {"loss/reply_policy", "reply", "series3"}}},
      {"Gates: score of the candidate",
       {{"gate/score", "overall", "overall"},
        {"gate/score_as_goat", "as goat", "goat"},
        {"gate/score_as_tiger", "as tiger", "tiger"}},
       AxisText::Percent,
       0,
       1,
       true},
      {"Outcomes of self-play",
       {{"outcome/goats_win", "goats win", "goat"},
        {"outcome/tigers_win", "tigers win", "tiger"},
        {"outcome/draw", "draw", "draw"}},
       AxisText::Percent,
       0,
       1},
      {"How games end",
       {{"termination/captures", "captures", "series1"},
        {"termination/tigers_blocked", "tigers blocked", "series0"},
        {"termination/goats_blocked", "goats blocked", "series2"},
        {"termination/repetition_exhausted", "no repetition left", "series3"},
        {"termination/repetition", "repetition", "series4"},
        {"termination/no_capture_limit", "no capture", "series5"},
        {"termination/max_plies", "too long", "series6"}},
       AxisText::Percent,
       0,
       1},
      {"Plies of a game", {{"selfplay/plies", "mean", "series0"}}, AxisText::Number, 0},
      {"Calibration: searched value minus result",
       {{"calibration/goat_placement_bias", "goats, placement", "series0"},
        {"calibration/goat_movement_bias", "goats, movement", "series2"},
        {"calibration/tiger_placement_bias", "tigers, placement", "series1"},
        {"calibration/tiger_movement_bias", "tigers, movement", "series3"}}},
      {"Evaluations per second",
       {{"selfplay/evals_per_second", "self-play", "series0"}},
       AxisText::Number,
       0},
      {"Samples per second",
       {{"training/samples_per_second", "training", "series0"}},
       AxisText::Number,
       0},
      {"Batch fill and cache",
       {{"selfplay/batch_fill", "batch fill", "series0"},
        {"selfplay/cache_hit_share", "cache hits", "series1"}},
       AxisText::Percent,
       0,
       1},
      {"Where the time of self-play's workers goes",
       {{"selfplay/search_share", "search", "series0"},
        {"selfplay/evaluation_share", "evaluation", "series1"},
        {"selfplay/queue_share", "waiting for the writer", "series3"}},
       AxisText::Percent,
       0,
       1},
      {"Memory, MiB", {{"memory/resident_mib", "resident", "series0"}}, AxisText::Number, 0},
  };
}

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

std::string charts(const RunStore& store) {
  std::string figures;
  for (const ChartPlan& plan : chart_plans()) {
    LineChart chart{
        .series = {}, .y_text = plan.text, .low = plan.low, .high = plan.high, .dots = plan.dots};
    for (const Curve& curve : plan.curves) {
      ChartSeries series{curve.style, curve.label, {}};
      for (const MetricEntry& entry : store.metrics(curve.metric))
        series.points.push_back({static_cast<double>(entry.step), entry.value});
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    const std::string svg = line_chart(chart);
    if (!svg.empty())
      figures +=
          "<figure><figcaption>" + escaped(plan.title) + "</figcaption>" + svg + "</figure>\n";
  }
  if (figures.empty()) return "";
  return "<h2>Curves</h2>\n<p class=\"faint\">Over the number of samples trained.</p>\n"
         "<div class=\"charts\">\n" +
         figures + "</div>\n";
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
                                                 : "rejected";
    rows += row({std::to_string(gate.id), verdict, "generation " + std::to_string(gate.opponent),
                 grouped(gate.samples), std::to_string(gate.pairs), percent(gate.score),
                 percent(gate.score_as_goat), percent(gate.score_as_tiger)});
  }
  if (rows.empty()) return "";
  return "<h2>Gates</h2>\n" +
         table({"#", "verdict", "against", "samples", "pairs", "score", "as goat", "as tiger"},
               rows);
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

// Of the newest games the last one of every outcome.
std::string sample_games(const RunStore& store) {
  std::map<Outcome, std::pair<std::int64_t, GameRecord>> samples;
  store.for_each_game(std::max<std::int64_t>(1, store.game_count() - kNewGames + 1), 0,
                      [&](std::int64_t number, const GameRecord& record) {
                        samples[record.outcome] = {number, record};
                      });
  if (samples.empty()) return "";
  std::string text = "<h2>Games of self-play</h2>\n" + board_lines();
  for (const auto& [outcome, sample] : samples) text += sample_game(sample.first, sample.second);
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
  const std::filesystem::path database = RunFolder{root}.database();
  const RunStore store(database, RunStore::Mode::ReadOnly);
  return html_begin("BaghZero run " +
                    std::filesystem::absolute(root).lexically_normal().filename().string()) +
         "<pre>" + escaped(describe_status(root, now)) + "</pre>\n" + charts(store) +
         generation_table(store) + gate_table(store) + match_table(store) + rating_table(database) +
         sample_games(store) + warning_table(store) + "<p class=\"faint\">Written " +
         time_text(now) + " UTC.</p>\n" + html_end();
}

}  // namespace baghzero
