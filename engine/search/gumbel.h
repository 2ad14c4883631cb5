// The Gumbel root of Danihelka et al., "Policy improvement by planning with Gumbel" (ICLR 2022):
// sequential halving, completed Q values and the improved policy.
#pragma once

#include <cstdint>
#include <span>

namespace baghzero::search_detail {

// Which actions the root visits next: those with level() visits, of which considered() are taken in
// the order of their scores, before the level rises by one; after enough levels half of them
// remain.
class SequentialHalving {
 public:
  // `actions` considered at first (>= 1) and `simulations` to spend in all.
  void begin(int actions, std::uint32_t simulations);
  std::uint32_t level() const { return level_; }
  int considered() const { return considered_; }
  void count_visit();
  // No candidate with level() visits is left, because the others were refuted.
  void end_level();

 private:
  void begin_phase();
  int phases_ = 1;  // ceil(log2(actions)), at least 1
  std::uint32_t simulations_ = 0;
  int considered_ = 1;
  std::uint32_t level_ = 0;
  int left_at_level_ = 0;
  std::uint32_t levels_left_ = 0;
};

// v_mix of the paper's appendix D: the evaluator's value and the policy-weighted mean of the
// visited values, mixed by the number of visits. All spans have the same size; values are in -1..1
// for the side to move; refuted edges (see node.h) are left out.
float mixed_value(float evaluation, std::span<const float> prior, std::span<const float> visits,
                  std::span<const float> value);

// Factor of sigma(q) = (c_visit + max_b N(b)) * c_scale * q.
float sigma_factor(std::span<const float> visits, float c_visit, float c_scale);

// softmax(log prior + sigma(completed Q)), where completed Q is the value of a visited action and
// v_mix for the others. Refuted actions get 0. Sums to 1 if an action is left with prior > 0.
void improved_policy(float evaluation, float c_visit, float c_scale, std::span<const float> prior,
                     std::span<const float> visits, std::span<const float> value,
                     std::span<float> policy);

// Selection below the root: the action whose improved policy most exceeds its share of the visits,
// pi'(a) - N(a) / (1 + sum_b N(b)) (section 5). The lowest index of equals; never a refuted action
// if another is left. At most kMaxLegalActions entries.
int select_by_improved_policy(float evaluation, float c_visit, float c_scale,
                              std::span<const float> prior, std::span<const float> visits,
                              std::span<const float> value);

}  // namespace baghzero::search_detail
