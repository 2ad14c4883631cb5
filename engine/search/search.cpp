#include "engine/search/search.h"

#include "engine/search/tree.h"

namespace baghzero {

Search::Search(const SearchSettings& settings, SearchMode mode)
    : tree_(std::make_unique<Tree>(settings, mode)) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

void Search::begin(const Game& game, const SearchLimits& limits, std::uint64_t seed) {
  tree_->begin(game, limits, seed);
}
SearchStatus Search::advance() { return tree_->advance(); }
const Query& Search::leaf() const { return tree_->leaf(); }
void Search::supply(const Evaluation& evaluation) { tree_->supply(evaluation); }
void Search::stop() { tree_->stop(); }
void Search::prefetch_state() const { tree_->prefetch_state(); }
void Search::prefetch_path() const { tree_->prefetch_path(); }

void Search::run(Evaluator& evaluator) {
  Evaluation evaluation;
  while (tree_->advance() == SearchStatus::NeedsEvaluation) {
    evaluator.evaluate({&tree_->leaf(), 1}, {&evaluation, 1});
    tree_->supply(evaluation);
  }
}

SearchStatus Search::advance(int flight) { return tree_->advance(flight); }
const Query& Search::leaf(int flight) const { return tree_->leaf(flight); }
int Search::leaf_depth(int flight) const { return tree_->leaf_depth(flight); }
void Search::supply(int flight, const Evaluation& evaluation) { tree_->supply(flight, evaluation); }
bool Search::update_results() { return tree_->update_results(); }

std::span<const RootMove> Search::root_moves() const { return tree_->root_moves(); }
Wdl Search::root_wdl() const { return tree_->root_wdl(); }
Wdl Search::root_evaluation() const { return tree_->root_evaluation(); }
Proof Search::root_proof() const { return tree_->root_proof(); }
std::uint32_t Search::visits() const { return tree_->visits(); }
Wdl Search::move_wdl(int index) const { return tree_->move_wdl(index); }
std::vector<Action> Search::principal_variation(int index) const {
  return tree_->principal_variation(index);
}
Action Search::best_action() const { return tree_->best_action(); }
Action Search::sample_action(float temperature, Random& random) const {
  return tree_->sample_action(temperature, random);
}
void Search::policy_target(std::span<float> target) const { tree_->policy_target(target); }

}  // namespace baghzero
