#include "cli/run_charts.h"

#include <array>
#include <functional>
#include <optional>

#include "cli/charts.h"
#include "cli/html.h"
#include "engine/text.h"

namespace baghzero {
namespace {

constexpr const char* kXLabel = "samples trained";

struct Curve {
  const char* metric;
  const char* label;
  const char* style;
};
struct ChartPlan {
  const char* title;
  const char* y_label;
  std::vector<Curve> curves;
  AxisText text = AxisText::Number;
  std::optional<double> low = {};
  std::optional<double> high = {};
};

// Every chart of metrics; those without a value are left out.
std::vector<ChartPlan> chart_plans() {
  return {
      {"Policy loss",
       "nats",
       {{"loss/policy", "cross entropy", "series0"},
        {"loss/policy_excess", "above that of the targets", "series1"}}},
      {"Value loss", "nats", {{"loss/value", "cross entropy", "series0"}}},
      {"Auxiliary losses",
       "loss",
       {{"loss/captures", "captures", "series0"},
        {"loss/occupancy", "occupancy", "series1"},
        {"loss/plies_left", "plies left", "series2"},
        {"loss/reply_policy", "reply", "series3"}}},
      {"Outcomes of self-play",
       "share of games",
       {{"outcome/goats_win", "goats win", "goat"},
        {"outcome/tigers_win", "tigers win", "tiger"},
        {"outcome/draw", "draw", "draw"}},
       AxisText::Percent,
       0,
       1},
      {"How games end",
       "share of games",
       {{"termination/captures", "captures", "series1"},
        {"termination/tigers_blocked", "tigers blocked", "series0"},
        {"termination/goats_blocked", "goats blocked", "series2"},
        {"termination/repetition_exhausted", "no repetition left", "series3"},
        {"termination/repetition", "repetition", "series4"},
        {"termination/no_capture_limit", "no capture", "series5"},
        {"termination/max_plies", "too long", "series6"},
        {"termination/adjudicated", "adjudicated", "series7"}},
       AxisText::Percent,
       0,
       1},
      {"Plies of a game", "plies", {{"selfplay/plies", "mean", "series0"}}, AxisText::Number, 0},
      {"Calibration: searched value minus result",
       "points of a game",
       {{"calibration/goat_placement_bias", "goats, placement", "series0"},
        {"calibration/goat_movement_bias", "goats, movement", "series2"},
        {"calibration/tiger_placement_bias", "tigers, placement", "series1"},
        {"calibration/tiger_movement_bias", "tigers, movement", "series3"}}},
      {"Games per second",
       "1/s",
       {{"selfplay/games_per_second", "self-play", "series0"}},
       AxisText::Number,
       0},
      {"Evaluations per second",
       "1/s",
       {{"selfplay/evals_per_second", "self-play", "series0"}},
       AxisText::Number,
       0},
      {"Samples per second",
       "1/s",
       {{"training/samples_per_second", "training", "series0"}},
       AxisText::Number,
       0},
      {"How often a row is used",
       "samples per row",
       {{"training/reuse", "so far", "series0"}},
       AxisText::Number,
       0},
      {"Batch fill and cache",
       "share",
       {{"selfplay/batch_fill", "batch fill", "series0"},
        {"selfplay/cache_hit_share", "cache hits", "series1"}},
       AxisText::Percent,
       0,
       1},
      {"Where the time of self-play's workers goes",
       "share of time",
       {{"selfplay/search_share", "search", "series0"},
        {"selfplay/evaluation_share", "evaluation", "series1"},
        {"selfplay/queue_share", "waiting for the writer", "series3"}},
       AxisText::Percent,
       0,
       1},
      {"Memory", "MiB", {{"memory/resident_mib", "resident", "series0"}}, AxisText::Number, 0},
  };
}

// Nothing if the chart is empty.
std::string figure(const std::string& title, LineChart chart) {
  chart.x_label = kXLabel;
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.points.empty(); });
  const std::string svg = line_chart(chart);
  if (svg.empty()) return "";
  return "<figure><figcaption>" + escaped(title) + "</figcaption>" + svg + "</figure>\n";
}

std::string in_a_grid(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"charts\">\n" + figures + "</div>\n";
}

std::string figure_of(const RunStore& store, const ChartPlan& plan) {
  LineChart chart{.series = {},
                  .y_label = plan.y_label,
                  .y_text = plan.text,
                  .low = plan.low,
                  .high = plan.high};
  for (const Curve& curve : plan.curves) {
    ChartSeries& series = chart.series.emplace_back(ChartSeries{curve.style, curve.label, {}});
    for (const MetricEntry& entry : store.metrics(curve.metric))
      series.points.push_back({static_cast<double>(entry.step), entry.value});
  }
  return figure(plan.title, std::move(chart));
}

// Of all, as goat and as tiger.
LineChart chart_by_role(const char* y_label) {
  return {
      .series = {{"overall", "overall", {}}, {"goat", "as goat", {}}, {"tiger", "as tiger", {}}},
      .y_label = y_label,
      .dots = true};
}
LineChart share_chart(const char* y_label) {
  LineChart chart = chart_by_role(y_label);
  chart.y_text = AxisText::Percent;
  return chart;
}
LineChart score_chart() {
  LineChart chart = share_chart("score");
  chart.low = 0;
  chart.high = 1;
  return chart;
}
void add_points(LineChart& chart, std::int64_t samples, const std::array<double, 3>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    chart.series[i].points.push_back({static_cast<double>(samples), values[i]});
}

// Gates that were decided without a game have no score.
std::string gate_chart(const RunStore& store) {
  LineChart chart = score_chart();
  for (const GateEntry& gate : store.gates())
    if (gate.promoted && gate.pairs > 0)
      add_points(chart, gate.samples, {gate.score, gate.score_as_goat, gate.score_as_tiger});
  return figure("Gates: score of the candidate", std::move(chart));
}

std::string rating_chart(const std::vector<GenerationRating>& ratings) {
  LineChart chart = chart_by_role("Elo");
  for (const GenerationRating& rating : ratings) {
    std::size_t i = 0;
    for (const Rating& value : {rating.overall, rating.as_goat, rating.as_tiger})
      chart.series[i++].points.push_back(
          {static_cast<double>(rating.samples), value.elo, value.error});
  }
  return figure("Rating", std::move(chart));
}

using CountsValue = std::function<std::optional<double>(const SuiteMeasure&, std::optional<Side>)>;

// `value_of` a measure, for all positions or for one role; nothing where there is none.
std::string suite_chart(const std::string& title, LineChart chart,
                        const std::vector<SuiteMeasure>& measures, const CountsValue& value_of) {
  const std::array<std::optional<Side>, 3> roles = {std::nullopt, Side::Goat, Side::Tiger};
  for (const SuiteMeasure& measure : measures)
    for (std::size_t i = 0; i < roles.size(); ++i)
      if (const std::optional<double> value = value_of(measure, roles[i]))
        chart.series[i].points.push_back({static_cast<double>(measure.samples), *value});
  return figure(title, std::move(chart));
}

template <class Counts>
Counts counts_of(const ByRoleAndPhase<Counts>& report, std::optional<Side> role) {
  return role ? report.total(*role) : report.total();
}

CountsValue errors_of(std::optional<SuiteEntry> SuiteMeasure::*entry) {
  return [entry](const SuiteMeasure& measure, std::optional<Side> role) -> std::optional<double> {
    if (!(measure.*entry)) return std::nullopt;
    const SuiteCounts counts = counts_of((measure.*entry)->moves, role);
    if (counts.positions == 0) return std::nullopt;
    return error_share(counts);
  };
}

CountsValue values_by(double (*value_of)(const ValueCounts&)) {
  return
      [value_of](const SuiteMeasure& measure, std::optional<Side> role) -> std::optional<double> {
        if (!measure.bare) return std::nullopt;
        const ValueCounts counts = counts_of(measure.bare->values, role);
        if (counts.positions == 0) return std::nullopt;
        return value_of(counts);
      };
}

}  // namespace

std::string run_curves(const RunStore& store) {
  std::string figures = gate_chart(store);
  for (const ChartPlan& plan : chart_plans()) figures += figure_of(store, plan);
  return figures.empty() ? "" : "<h2>Curves</h2>\n" + in_a_grid(figures);
}

std::string evaluation_charts(const std::vector<GenerationRating>& ratings,
                              const std::vector<OpponentScores>& opponents) {
  std::string figures = rating_chart(ratings);
  for (const OpponentScores& opponent : opponents) {
    LineChart chart = score_chart();
    for (const EvaluationScore& score : opponent.scores)
      add_points(chart, score.samples, {score.total, score.as_goat, score.as_tiger});
    figures += figure("Against " + opponent.opponent, std::move(chart));
  }
  return in_a_grid(figures);
}

std::string suite_charts(const std::vector<SuiteMeasure>& measures) {
  LineChart errors = share_chart("share of positions");
  errors.low = 0;
  LineChart right = share_chart("share of positions");
  right.low = 0;
  right.high = 1;
  return in_a_grid(suite_chart("Value given away by the policy alone", errors, measures,
                               errors_of(&SuiteMeasure::bare)) +
                   suite_chart("Value given away by the search", errors, measures,
                               errors_of(&SuiteMeasure::search)) +
                   suite_chart("The value is right", right, measures, values_by(right_share)) +
                   suite_chart("Cross-entropy of the value", chart_by_role("nats"), measures,
                               values_by(mean_cross_entropy)));
}

}  // namespace baghzero
