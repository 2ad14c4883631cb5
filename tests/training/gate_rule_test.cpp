#include <gtest/gtest.h>

#include "tests/selfplay/pair_distributions.h"
#include "training/gate.h"

namespace baghzero {
namespace {

using namespace test;

// Share of gates that promote a candidate which is `elo` stronger than the best.
double promoted_share(const GateSettings& gate, const Distribution& base, double elo) {
  constexpr int kGates = 2000;
  const Distribution distribution = tilted(base, elo);
  Random random(29);
  int promoted = 0;
  for (int i = 0; i < kGates; ++i) {
    PairCounts counts{};
    GateVerdict verdict = GateVerdict::Interrupted;
    while (verdict == GateVerdict::Interrupted) {
      ++counts[draw_bin(distribution, random)];
      verdict = gate_verdict(gate, counts);
    }
    promoted += verdict == GateVerdict::Promoted ? 1 : 0;
  }
  return static_cast<double>(promoted) / kGates;
}

GateSettings sprt_gate(int max_pairs, double elo1, double threshold) {
  GateSettings gate;
  gate.max_pairs = max_pairs;
  gate.elo1 = elo1;
  gate.threshold = threshold;
  return gate;
}

// The defaults, and what the shipped configurations set (configs/quick.toml, cpu.toml).
TEST(GateRule, SeldomPromotesAnEqualAndSeldomRefusesAMuchStrongerCandidate) {
  for (const GateSettings& gate :
       {GateSettings{}, sprt_gate(80, 80, 0.56), sprt_gate(150, 60, 0.55)})
    for (const Distribution& base : {kDrawish, kMixed, kDecisive, kSkewed}) {
      EXPECT_LE(promoted_share(gate, base, 0), 0.10) << gate.max_pairs << ", base " << base[2];
      EXPECT_GE(promoted_share(gate, base, 120), 0.95) << gate.max_pairs << ", base " << base[2];
    }
}

}  // namespace
}  // namespace baghzero
