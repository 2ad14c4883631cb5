#include "cli/judge_output.h"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "engine/text.h"

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

std::string share_text(std::int64_t hits, std::int64_t trials, const ShareInterval& interval) {
  if (trials == 0) return "-";
  constexpr double kPercent = 100;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%5.2f %%  (%.2f to %.2f)",
                kPercent * static_cast<double>(hits) / static_cast<double>(trials),
                kPercent * interval.low, kPercent * interval.high);
  return text.data();
}
std::string share_text(std::int64_t hits, std::int64_t trials) {
  return share_text(hits, trials, wilson_interval(hits, trials));
}

void put_share(Json& row, const char* name, std::int64_t hits, std::int64_t trials,
               const ShareInterval& interval) {
  row[name] =
      trials == 0 ? Json(nullptr) : Json(static_cast<double>(hits) / static_cast<double>(trials));
  row["low"] = interval.low;
  row["high"] = interval.high;
}

// {"total": …, "rows": [… by role and phase]}
template <class Counts, class RowOf>
Json rows_as_json(const ByRoleAndPhase<Counts>& report, RowOf row_of) {
  Json rows = Json::array();
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      Json row = {{"role", to_string(side)}, {"phase", to_string(phase)}};
      row.update(row_of(report.at(side, phase)));
      rows.push_back(std::move(row));
    }
  return {{"total", row_of(report.total())}, {"rows", rows}};
}

template <class... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string mistakes_row(Side side, std::string_view phase, const MistakeCounts& counts,
                         const ShareInterval& interval) {
  return line("  %-5s  %-16s %7lld %9lld %7lld %7lld %7lld   %s\n", to_string(side).data(),
              phase.data(), static_cast<long long>(counts.moves),
              static_cast<long long>(counts.decisive), static_cast<long long>(counts.draw_to_loss),
              static_cast<long long>(counts.win_to_draw),
              static_cast<long long>(counts.win_to_loss),
              share_text(counts.mistakes(), counts.decisive, interval).c_str());
}

std::string value_row(std::string_view role, std::string_view phase, const ValueCounts& counts) {
  return line("  %-5s  %-16s %9lld   %-24s   %s\n", role.data(), phase.data(),
              static_cast<long long>(counts.positions),
              share_text(counts.right, counts.positions).c_str(),
              counts.positions == 0 ? "-" : decimal(mean_cross_entropy(counts), 3).c_str());
}

}  // namespace

std::string mistakes_as_text(const MistakeTally& tally) {
  std::string text =
      "  role   phase              moves  could err  D->L    W->D    W->L   erred (95 %)\n";
  for (const Side side : kSides) {
    for (const GamePhase phase : kPhases)
      text += mistakes_row(side, to_string(phase), tally.counts(side, phase),
                           tally.interval(side, phase));
    text += mistakes_row(side, "all", tally.total(side), tally.interval(side));
  }
  return text;
}

Json mistakes_as_json(const MistakeTally& tally) {
  Json rows = Json::array();
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      const MistakeCounts& counts = tally.counts(side, phase);
      Json row = {{"role", to_string(side)},
                  {"phase", to_string(phase)},
                  {"moves", counts.moves},
                  {"decisive", counts.decisive},
                  {"draw_to_loss", counts.draw_to_loss},
                  {"win_to_draw", counts.win_to_draw},
                  {"win_to_loss", counts.win_to_loss}};
      put_share(row, "rate", counts.mistakes(), counts.decisive, tally.interval(side, phase));
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string suite_as_text(const SuiteReport& report) {
  std::string text = "  role   phase            positions   kept (95 %)\n";
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      const SuiteCounts& counts = report.at(side, phase);
      text += line("  %-5s  %-16s %9lld   %s\n", to_string(side).data(), to_string(phase).data(),
                   static_cast<long long>(counts.positions),
                   share_text(counts.kept, counts.positions).c_str());
    }
  const SuiteCounts total = report.total();
  text += line("  %-23s %9lld   %s\n", "all", static_cast<long long>(total.positions),
               share_text(total.kept, total.positions).c_str());
  if (total.forfeits > 0)
    text += line("  %-23s %9lld   counted as not kept\n", "forfeited",
                 static_cast<long long>(total.forfeits));
  return text;
}

Json suite_as_json(const SuiteReport& report) {
  Json json = rows_as_json(report, [](const SuiteCounts& counts) {
    Json row = {{"positions", counts.positions}, {"kept", counts.kept}};
    put_share(row, "share", counts.kept, counts.positions,
              wilson_interval(counts.kept, counts.positions));
    return row;
  });
  json["forfeits"] = report.total().forfeits;
  return json;
}

std::string values_as_text(const ByRoleAndPhase<ValueCounts>& values) {
  std::string text =
      "  role   phase            positions   right (95 %)               cross-entropy\n";
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases)
      text += value_row(to_string(side), to_string(phase), values.at(side, phase));
  return text += value_row("all", "", values.total());
}

Json values_as_json(const ByRoleAndPhase<ValueCounts>& values) {
  return rows_as_json(values, [](const ValueCounts& counts) {
    Json row = {{"positions", counts.positions}, {"right", counts.right}};
    put_share(row, "share", counts.right, counts.positions,
              wilson_interval(counts.right, counts.positions));
    row["cross_entropy"] = counts.positions == 0 ? Json(nullptr) : Json(mean_cross_entropy(counts));
    return row;
  });
}

}  // namespace baghzero
