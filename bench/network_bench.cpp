// Evaluations of a 6x64 network on one core: this program's own code, and LibTorch.
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <torch/script.h>
#include <unistd.h>

#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/export.h"
#include "nn/inference.h"
#include "nn/network.h"

namespace {

using namespace baghzero;

NetworkPtr sample_network() {
  return make_random_network(
      {.blocks = 6, .channels = 64, .squeeze_channels = 16, .value_hidden = 64}, 1);
}

void own_code(benchmark::State& state) {
  const int batch = static_cast<int>(state.range(0));
  const auto evaluator =
      make_network_evaluator(sample_network(), {.device = "cpu", .max_batch = batch});
  const std::vector<Query> queries = sample_queries(batch, 1);
  std::vector<Evaluation> answers(queries.size());
  for (auto _ : state) evaluator->evaluate(queries, answers);
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(own_code)->Arg(1)->Arg(32);

// The exported module, in the layout that LibTorch itself finds best. Encoding is included;
// choosing the legal actions is not, in LibTorch's favour.
void libtorch(benchmark::State& state) {
  const int batch = static_cast<int>(state.range(0));
  const auto file = std::filesystem::temp_directory_path() /
                    ("baghzero_network_bench_" + std::to_string(::getpid()) + ".pt");
  export_network(sample_network(), {}, ExportFormat::TorchScript, ExportPrecision::Fp32, file);
  const IntraOpThreads one_thread(1);
  const c10::InferenceMode inference;
  torch::jit::Module module = torch::jit::load(file.string());
  std::filesystem::remove(file);
  module.eval();
  module = torch::jit::optimize_for_inference(module);
  const std::vector<Query> queries = sample_queries(batch, 1);
  const at::Tensor rows = at::empty({batch, 5, 5, kInputPlanes}, at::kFloat);
  for (auto _ : state) {
    for (int row = 0; row < batch; ++row)
      encode(queries[row], std::span<float, kInputSize>(rows.data_ptr<float>() + row * kInputSize,
                                                        std::size_t{kInputSize}));
    benchmark::DoNotOptimize(module.forward({rows.permute({0, 3, 1, 2}).contiguous()}));
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(libtorch)->Arg(1)->Arg(32);

}  // namespace

BENCHMARK_MAIN();
