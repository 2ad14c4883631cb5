// The evaluator on a CUDA device: one stream, two batches in flight, one CUDA graph per batch size.
//
// Rows travel as bit boards (PlaneBits, 192 bytes) and are spread into planes on the device; logits
// of all policy cells come back and are reduced to the legal list by the worker's thread.
// Everything that LibTorch does happens in the constructor; a batch is two copies and one graph
// launch.
#ifdef BAGHZERO_CUDA

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>

#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/frozen_network.h"
#include "nn/simd.h"

namespace baghzero {
namespace {

constexpr int kSide = BaghChalBoard::kRows;
constexpr int kPolicyCellCount = kPolicyPlanes * kPointCount;
constexpr int kOutputs = kPolicyCellCount + 3;  // policy cells, then win, draw, loss logits
constexpr int kSlots = 2;
constexpr float kBf16Tolerance = 0.05F;  // of any probability, against the CPU's fp32
constexpr float kFp32Tolerance = 0.01F;  // tensor cores round fp32 to ten bits of mantissa

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error("CUDA failed to " + std::string(what) + ": " +
                             cudaGetErrorString(status) + ".");
}

// The network on the device with scales folded into the convolutions.
class DeviceNetwork {
 public:
  DeviceNetwork(const FrozenWeights& network, const at::Device& device, at::ScalarType type)
      : settings_(network.architecture()), type_(type) {
    const auto specs = tensor_specs(settings_);
    at::Tensor pending;  // a convolution's weight that waits for its scale
    for (std::size_t i = 0; i < specs.size(); ++i) {
      at::Tensor value =
          at::from_blob(const_cast<float*>(network.tensors()[i].data()), specs[i].shape, at::kFloat)
              .clone();
      if (specs[i].name.ends_with(".scale")) {
        weights_.back() = place(pending * value.view({-1, 1, 1, 1}), device);
        continue;
      }
      pending = value;
      weights_.push_back(place(value, device));
    }
    shifts_ = at::arange(kPointCount, at::TensorOptions(at::kInt)).view({1, -1, 1}).to(device);
  }

  // bits int32 [n, planes], scale fp32 [n, planes] -> fp32 [n, kOutputs]
  at::Tensor forward(const at::Tensor& bits, const at::Tensor& scale) const {
    int next = 0;
    const auto convolve = [&](const at::Tensor& x, int padding) {
      const at::Tensor& weight = weights_[next++];
      return at::conv2d(x, weight, weights_[next++], 1, padding);
    };
    const auto connect = [&](const at::Tensor& x) {
      const at::Tensor& weight = weights_[next++];
      return at::linear(x, weight, weights_[next++]);
    };
    const at::Tensor points =
        at::bitwise_and(at::bitwise_right_shift(bits.unsqueeze(1), shifts_), 1);
    const at::Tensor planes = (points * scale.unsqueeze(1))
                                  .to(type_)
                                  .view({-1, kSide, kSide, kInputPlanes})
                                  .permute({0, 3, 1, 2});
    at::Tensor x = convolve(planes, 1).relu_();
    for (int block = 0; block < settings_.blocks; ++block) {
      at::Tensor y = convolve(x, 1).relu_();
      y = convolve(y, 1);
      if (settings_.squeeze_channels > 0) {
        const at::Tensor squeezed = connect(y.mean({2, 3})).relu_();
        y = y.mul_(connect(squeezed).sigmoid_().view({y.size(0), -1, 1, 1}));
      }
      x = y.add_(x).relu_();
    }
    const at::Tensor hidden = convolve(x, 0).relu_();
    const at::Tensor policy = convolve(hidden, 0).reshape({-1, kPolicyCellCount});
    next += 2;  // the reply policy is for training only
    const at::Tensor pooled = at::cat({x.mean({2, 3}), x.amax({2, 3})}, 1);
    const at::Tensor value = connect(connect(pooled).relu_());
    return at::cat({policy, value}, 1).to(at::kFloat);
  }

 private:
  at::Tensor place(const at::Tensor& value, const at::Device& device) const {
    const at::Tensor placed = value.to(device, type_);
    return value.dim() == 4 ? placed.contiguous(at::MemoryFormat::ChannelsLast) : placed;
  }

  NetworkSettings settings_;
  at::ScalarType type_;
  std::vector<at::Tensor> weights_;  // in the order of tensor_specs() without the scales
  at::Tensor shifts_;
};

// Batch sizes with a graph of their own: powers of two and halfway between, up to `largest`.
std::vector<int> graph_sizes(int largest) {
  std::vector<int> sizes;
  for (int size = 8; size < largest; size *= 2) {
    sizes.push_back(size);
    if (size >= 32 && size / 2 * 3 < largest) sizes.push_back(size / 2 * 3);
  }
  sizes.push_back(largest);
  return sizes;
}

// LibTorch allocates while it records; one evaluator at a time.
std::mutex& recording_mutex() {
  static std::mutex mutex;
  return mutex;
}

class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(NetworkPtr network, int max_batch, int device, at::ScalarType type)
      : network_(std::move(network)),
        max_batch_(max_batch),
        device_(at::kCUDA, static_cast<c10::DeviceIndex>(device)),
        stream_(at::cuda::getStreamFromPool(false, device_.index())) {
    const c10::cuda::CUDAStreamGuard guard(stream_);
    const c10::InferenceMode inference;
    const std::lock_guard recording(recording_mutex());
    const auto on_device = at::TensorOptions(device_);
    bits_ = at::zeros({max_batch, kInputPlanes}, on_device.dtype(at::kInt));
    scale_ = at::zeros({max_batch, kInputPlanes}, on_device.dtype(at::kFloat));
    outputs_ = at::zeros({max_batch, kOutputs}, on_device.dtype(at::kFloat));
    for (Slot& slot : slots_) {
      const auto pinned = at::TensorOptions().pinned_memory(true);
      slot.bits = at::zeros({max_batch, kInputPlanes}, pinned.dtype(at::kInt));
      slot.scale = at::zeros({max_batch, kInputPlanes}, pinned.dtype(at::kFloat));
      slot.outputs = at::zeros({max_batch, kOutputs}, pinned.dtype(at::kFloat));
      check(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming), "create an event");
    }
    record_graphs(DeviceNetwork(weights_of(*network_), device_, type));
  }

  ~CudaEvaluator() override {
    cudaStreamSynchronize(stream_.stream());
    for (Slot& slot : slots_) cudaEventDestroy(slot.done);
  }

  int max_batch() const override { return max_batch_; }
  int in_flight() const override { return kSlots; }

  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    submit(0, queries, evaluations);
    wait(0);
  }

  void submit(int index, std::span<const Query> queries,
              std::span<Evaluation> evaluations) override {
    const c10::cuda::CUDAGuard guard(device_);
    Slot& slot = slots_[index];
    slot.queries = queries;
    slot.evaluations = evaluations;
    auto* const bits = static_cast<Bitboard*>(slot.bits.data_ptr());
    auto* const scale = static_cast<float*>(slot.scale.data_ptr());
    for (std::size_t row = 0; row < queries.size(); ++row) {
      const PlaneBits planes = plane_bits(queries[row]);
      std::ranges::copy(planes.bits, bits + row * kInputPlanes);
      std::ranges::copy(planes.scale, scale + row * kInputPlanes);
    }
    const std::size_t words = queries.size() * kInputPlanes;
    copy(bits_.data_ptr(), bits, words, cudaMemcpyHostToDevice);
    copy(scale_.data_ptr(), scale, words, cudaMemcpyHostToDevice);
    const auto size = static_cast<int>(queries.size());
    const auto graph =
        std::ranges::find_if(graphs_, [&](const Graph& g) { return g.rows >= size; });
    {
      // Replay works on the current stream.
      const c10::cuda::CUDAStreamGuard current(stream_);
      graph->graph->replay();
    }
    copy(slot.outputs.data_ptr(), outputs_.data_ptr(), queries.size() * kOutputs,
         cudaMemcpyDeviceToHost);
    check(cudaEventRecord(slot.done, stream_.stream()), "record an event");
  }

  void wait(int index) override {
    Slot& slot = slots_[index];
    if (slot.queries.empty()) return;
    check(cudaEventSynchronize(slot.done), "finish a batch");
    const auto* outputs = static_cast<const float*>(slot.outputs.data_ptr());
    std::array<float, round_up(kMaxLegalActions, kLanes)> logits;
    for (std::size_t row = 0; row < slot.queries.size(); ++row, outputs += kOutputs) {
      const ActionList& legal = slot.queries[row].legal;
      Evaluation& answer = slot.evaluations[row];
      for (int i = 0; i < legal.size(); ++i) {
        const PolicyCell cell = kPolicyCells[legal[i]];
        logits[i] = outputs[cell.plane * kPointCount + cell.point];
      }
      if (!legal.empty()) softmax(logits.data(), legal.size());
      std::copy_n(logits.begin(), legal.size(), answer.policy.begin());
      std::copy_n(outputs + kPolicyCellCount, 3, logits.begin());
      softmax(logits.data(), 3);
      answer.wdl = {logits[0], logits[1], logits[2]};
    }
    check_evaluations(slot.queries, slot.evaluations, network_->generation());
    count_evaluated_rows(slot.queries.size());
    slot.queries = {};
  }

 private:
  struct Slot {
    at::Tensor bits;  // pinned
    at::Tensor scale;
    at::Tensor outputs;
    cudaEvent_t done = nullptr;
    std::span<const Query> queries;
    std::span<Evaluation> evaluations;
  };
  struct Graph {
    int rows = 0;
    std::unique_ptr<at::cuda::CUDAGraph> graph;
  };

  // All graphs read bits_ and scale_ and write outputs_; they share the memory between, which is
  // safe because one stream runs them one after the other.
  void record_graphs(const DeviceNetwork& network) {
    std::vector<int> sizes = graph_sizes(max_batch_);
    std::ranges::reverse(sizes);  // the largest first, so that its memory serves the others
    for (const int rows : sizes) {
      const auto pass = [&] {
        outputs_.narrow(0, 0, rows)
            .copy_(network.forward(bits_.narrow(0, 0, rows), scale_.narrow(0, 0, rows)));
      };
      for (int warm_up = 0; warm_up < 2; ++warm_up) pass();  // libraries choose their algorithms
      check(cudaStreamSynchronize(stream_.stream()), "run the network");
      auto graph = std::make_unique<at::cuda::CUDAGraph>();
      const auto pool = graphs_.empty() ? at::cuda::MempoolId_t{0, 0} : graphs_[0].graph->pool();
#if TORCH_VERSION_MAJOR >= 2
      // Other threads, such as a trainer's, may go on allocating meanwhile.
      graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
#else
      graph->capture_begin(pool);
#endif
      pass();
      graph->capture_end();
      graphs_.push_back({rows, std::move(graph)});
    }
    std::ranges::reverse(graphs_);
  }

  void copy(void* to, const void* from, std::size_t words, cudaMemcpyKind kind) {
    check(cudaMemcpyAsync(to, from, words * sizeof(float), kind, stream_.stream()), "copy a batch");
  }

  NetworkPtr network_;
  int max_batch_;
  at::Device device_;
  at::cuda::CUDAStream stream_;
  at::Tensor bits_;  // on the device
  at::Tensor scale_;
  at::Tensor outputs_;
  std::array<Slot, kSlots> slots_;
  std::vector<Graph> graphs_;  // ascending by rows
};

// Largest difference of any probability between `evaluator` and the CPU's fp32.
float error_of(Evaluator& evaluator, const NetworkPtr& network) {
  const std::vector<Query> queries = sample_queries(std::min(64, evaluator.max_batch()), 1);
  std::vector<Evaluation> answers(queries.size());
  std::vector<Evaluation> expected(queries.size());
  evaluator.evaluate(queries, answers);
  make_network_evaluator(network, {.device = "cpu"})->evaluate(queries, expected);
  float worst = 0;
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const Wdl& a = answers[row].wdl;
    const Wdl& b = expected[row].wdl;
    worst = std::max(
        {worst, std::abs(a.win - b.win), std::abs(a.draw - b.draw), std::abs(a.loss - b.loss)});
    for (int i = 0; i < queries[row].legal.size(); ++i)
      worst = std::max(worst, std::abs(answers[row].policy[i] - expected[row].policy[i]));
  }
  return worst;
}

}  // namespace

std::unique_ptr<Evaluator> make_cuda_evaluator(NetworkPtr network,
                                               const InferenceSettings& settings, int device,
                                               std::string& warning) {
  const auto make = [&](at::ScalarType type) {
    return std::make_unique<CudaEvaluator>(network, settings.max_batch, device, type);
  };
  if (settings.precision != Precision::Fp32) {
    auto evaluator = make(at::kBFloat16);
    const float error = error_of(*evaluator, network);
    if (error <= kBf16Tolerance) return evaluator;
    warning = "In bf16 generation " + std::to_string(network->generation()) +
              " differs from fp32 by up to " + std::to_string(error) +
              " in a probability on this GPU; it is evaluated in fp32 instead.";
  }
  auto evaluator = make(at::kFloat);
  const float error = error_of(*evaluator, network);
  if (!(error <= kFp32Tolerance))
    throw std::runtime_error("This GPU computes the network of generation " +
                             std::to_string(network->generation()) + " wrongly: off by up to " +
                             std::to_string(error) +
                             " in a probability; set device = \"cpu\" and check the driver.");
  return evaluator;
}

}  // namespace baghzero

#endif
