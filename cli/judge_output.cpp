#include "cli/judge_output.h"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kSides = {Side::Goat, Side::Tiger};
constexpr std::array kPhases = {GamePhase::Placements1To7, GamePhase::Placements8To14,
                                GamePhase::Placements15To20, GamePhase::Movement};

std::string share_text(std::int64_t hits, std::int64_t trials) {
  if (trials == 0) return "-";
  constexpr double kPercent = 100;
  const ShareInterval interval = wilson_interval(hits, trials);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%5.2f %%  (%.2f to %.2f)",
                kPercent * static_cast<double>(hits) / static_cast<double>(trials),
                kPercent * interval.low, kPercent * interval.high);
  return text.data();
}

void put_share(Json& row, const char* name, std::int64_t hits, std::int64_t trials) {
  const ShareInterval interval = wilson_interval(hits, trials);
  row[name] =
      trials == 0 ? Json(nullptr) : Json(static_cast<double>(hits) / static_cast<double>(trials));
  row["low"] = interval.low;
  row["high"] = interval.high;
}

template <class... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string mistakes_row(Side side, std::string_view phase, const MistakeCounts& counts) {
  return line("  %-5s  %-16s %7lld %9lld %7lld %7lld %7lld   %s\n", to_string(side).data(),
              phase.data(), static_cast<long long>(counts.moves),
              static_cast<long long>(counts.decisive), static_cast<long long>(counts.draw_to_loss),
              static_cast<long long>(counts.win_to_draw),
              static_cast<long long>(counts.win_to_loss),
              share_text(counts.mistakes(), counts.decisive).c_str());
}

}  // namespace

std::string mistakes_as_text(const MistakeTally& tally) {
  std::string text =
      "  role   phase              moves  could err  D->L    W->D    W->L   erred (95 %)\n";
  for (const Side side : kSides) {
    for (const GamePhase phase : kPhases)
      text += mistakes_row(side, to_string(phase), tally.counts(side, phase));
    text += mistakes_row(side, "all", tally.total(side));
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
      put_share(row, "rate", counts.mistakes(), counts.decisive);
      rows.push_back(std::move(row));
    }
  return rows;
}

std::string suite_as_text(const SuiteReport& report) {
  std::string text = "  role   phase            positions   kept (95 %)\n";
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      const SuiteCounts& counts = report.counts(side, phase);
      text += line("  %-5s  %-16s %9lld   %s\n", to_string(side).data(), to_string(phase).data(),
                   static_cast<long long>(counts.positions),
                   share_text(counts.kept, counts.positions).c_str());
    }
  const SuiteCounts total = report.total();
  text += line("  %-23s %9lld   %s\n", "all", static_cast<long long>(total.positions),
               share_text(total.kept, total.positions).c_str());
  if (report.forfeits() > 0)
    text += line("  %-23s %9lld   counted as not kept\n", "forfeited",
                 static_cast<long long>(report.forfeits()));
  return text;
}

Json suite_as_json(const SuiteReport& report) {
  const auto row_of = [](const SuiteCounts& counts) {
    Json row = {{"positions", counts.positions}, {"kept", counts.kept}};
    put_share(row, "share", counts.kept, counts.positions);
    return row;
  };
  Json rows = Json::array();
  for (const Side side : kSides)
    for (const GamePhase phase : kPhases) {
      Json row = {{"role", to_string(side)}, {"phase", to_string(phase)}};
      row.update(row_of(report.counts(side, phase)));
      rows.push_back(std::move(row));
    }
  return {{"total", row_of(report.total())}, {"forfeits", report.forfeits()}, {"rows", rows}};
}

}  // namespace baghzero
