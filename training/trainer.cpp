#include "training/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/notation.h"
#include "engine/thread_count.h"
#include "nn/network.h"
#include "training/batch_feed.h"
#include "training/flat_parameters.h"
#include "training/losses.h"
#include "training/rejected_step.h"
#include "training/schedule.h"
#include "training/shard_pool.h"

namespace baghzero {
namespace {

constexpr double kAdamBeta1 = 0.9;
constexpr double kAdamBeta2 = 0.999;
constexpr double kAdamEpsilon = 1e-8;
constexpr std::uint64_t kRandomStream = 0x7261696e;  // apart from the streams of self-play

const TrainingSettings& checked(const TrainingSettings& settings) {
  check_training(settings);
  return settings;
}

// One on a device; on a CPU one per thread.
std::vector<Network> make_replicas(const NetworkSettings& shape, const TrainingSettings& settings,
                                   std::uint64_t seed) {
  const at::Device device = torch_device(settings.device);
  const int threads = thread_count(settings.threads);
  const int count = device.is_cpu() ? std::min(threads, settings.batch) : 1;
  const NetworkPtr start = make_random_network(shape, seed);
  std::vector<Network> replicas;
  for (int i = 0; i < count; ++i) replicas.emplace_back(*start, device);
  return replicas;
}

std::vector<float> to_vector(const at::Tensor& flat) {
  const at::Tensor copy = flat.to(at::kCPU).contiguous();
  const float* data = copy.data_ptr<float>();
  return {data, data + copy.numel()};
}

void from_vector(const std::vector<float>& values, const at::Tensor& flat, const char* what) {
  if (static_cast<std::int64_t>(values.size()) != flat.numel())
    throw std::runtime_error("the trainer's state holds " + std::to_string(values.size()) + " " +
                             what + ", but this network and optimizer have " +
                             std::to_string(flat.numel()) +
                             ": go on with the configuration the run was started with");
  at::Tensor copy = at::empty({flat.numel()}, at::kFloat);
  std::ranges::copy(values, copy.data_ptr<float>());
  flat.copy_(copy);
}

}  // namespace

// On a CPU a batch is split between threads, each with a replica of the network that shares the
// weights but not the gradients: the layers are too small for LibTorch's own threads, which spend
// their time waiting for each other.
struct Trainer::Impl {
  Impl(const NetworkSettings& shape, const TrainingSettings& training, std::int64_t budget,
       std::uint64_t seed);

  bool on_device() const { return replicas.front().device().is_cuda(); }
  std::span<float> host_buffer(int i) {
    return {buffers[i].data_ptr<float>(), static_cast<std::size_t>(buffers[i].numel())};
  }
  BatchFeed feed(const ReplayWindow& window, int batches) {
    return {window, random, settings.batch, {host_buffer(0), host_buffer(1)}, batches, on_device()};
  }
  bool step(const PreparedBatch& prepared, const ReplayWindow& window, TrainingReport& report);
  void backward(int shard, const at::Tensor& floats, const LossDivisors& divisors);
  void update(double gradient_norm, double rate);
  std::string rejection(const PreparedBatch& prepared, const ReplayWindow& window);

  // What one replica made of its part of the batch.
  struct Shard {
    at::Tensor losses;  // [kLossKinds]
    HeadOutputs heads;
  };

  TrainingSettings settings;
  std::int64_t sample_budget;
  std::vector<Network> replicas;
  FlatParameters flat;
  ShardPool pool;
  std::vector<Shard> shards;
  Random random;
  std::array<at::Tensor, 2> buffers;
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  int rejected_in_a_row = 0;
};

Trainer::Impl::Impl(const NetworkSettings& shape, const TrainingSettings& training,
                    std::int64_t budget, std::uint64_t seed)
    : settings(checked(training)),
      sample_budget(budget),
      replicas(make_replicas(shape, settings, seed)),
      flat(replicas),
      pool(static_cast<int>(replicas.size())),
      shards(replicas.size()),
      random(seed, kRandomStream) {
  if (settings.optimizer == OptimizerKind::Sgd) flat.second_moment = at::empty({0}, at::kFloat);
  const auto floats =
      static_cast<std::int64_t>(batch_floats(static_cast<std::size_t>(settings.batch)));
  const auto host = at::TensorOptions().dtype(at::kFloat).pinned_memory(on_device());
  for (at::Tensor& buffer : buffers) buffer = at::empty({floats}, host);
  // LibTorch keeps this number for the process, but each thread that runs operations has its own.
  at::set_num_threads(1);
  pool.run([](int) { at::set_num_threads(1); });
}

// Forward and backward pass of one replica over its part of the batch.
void Trainer::Impl::backward(int shard, const at::Tensor& floats, const LossDivisors& divisors) {
  const int first = settings.batch * shard / pool.shards();
  const int end = settings.batch * (shard + 1) / pool.shards();
  const BatchTensors batch(floats, settings.batch, first, end - first);
  Shard& result = shards[shard];
  result.heads = replicas[shard].forward(batch[BatchSection::Planes]);
  const Losses losses = all_losses(result.heads, batch, divisors, settings);
  flat.gradients[shard].zero_();
  losses[kTotalLoss].backward();
  result.losses = at::stack(losses).detach();
}

// Returns whether the step was taken.
bool Trainer::Impl::step(const PreparedBatch& prepared, const ReplayWindow& window,
                         TrainingReport& report) {
  const at::Tensor floats =
      buffers[prepared.buffer].to(replicas.front().device(), /*non_blocking=*/true);
  const LossDivisors divisors = loss_divisors(host_buffer(prepared.buffer), settings.batch);
  pool.run([&](int shard) { backward(shard, floats, divisors); });
  const at::NoGradGuard no_grad;
  at::Tensor losses = shards.front().losses;
  at::Tensor& gradient = flat.gradients.front();
  for (std::size_t i = 1; i < shards.size(); ++i) {
    losses = losses + shards[i].losses;
    gradient.add_(flat.gradients[i]);
  }
  const at::Tensor host = at::cat({losses, gradient.norm().unsqueeze(0)}).to(at::kCPU);
  const std::span<const float> values(host.data_ptr<float>(), kLossKinds + 1);
  const double norm = values[kLossKinds];
  if (!std::isfinite(values[kTotalLoss]) || !std::isfinite(norm)) {
    report.rejection = rejection(prepared, window);
    return false;
  }
  report.learning_rate = settings.learning_rate * schedule_factor(settings, samples, sample_budget);
  update(norm, report.learning_rate);
  report.total_loss += values[kTotalLoss];
  report.policy_loss += values[kPolicyLoss];
  report.policy_entropy += values[kPolicyEntropy];
  report.value_loss += values[kValueLoss];
  report.captures_loss += values[kCapturesLoss];
  report.occupancy_loss += values[kOccupancyLoss];
  report.plies_left_loss += values[kPliesLeftLoss];
  report.reply_policy_loss += values[kReplyLoss];
  report.gradient_norm += norm;
  return true;
}

// AdamW (Loshchilov and Hutter 2019) or SGD with momentum; decay is decoupled in both.
void Trainer::Impl::update(double gradient_norm, double rate) {
  at::Tensor& gradient = flat.gradients.front();
  if (gradient_norm > settings.clip_norm) gradient.mul_(settings.clip_norm / gradient_norm);
  if (settings.weight_decay > 0) flat.decaying_weights().mul_(1 - rate * settings.weight_decay);
  if (settings.optimizer == OptimizerKind::AdamW) {
    const auto t = static_cast<double>(steps + 1);
    const double correction1 = 1 - std::pow(kAdamBeta1, t);
    const double correction2 = 1 - std::pow(kAdamBeta2, t);
    flat.first_moment.lerp_(gradient, 1 - kAdamBeta1);
    flat.second_moment.mul_(kAdamBeta2).addcmul_(gradient, gradient, 1 - kAdamBeta2);
    const at::Tensor scale =
        flat.second_moment.sqrt().div_(std::sqrt(correction2)).add_(kAdamEpsilon);
    flat.weights.addcdiv_(flat.first_moment, scale, -rate / correction1);
  } else {
    flat.first_moment.mul_(settings.momentum).add_(gradient);
    flat.weights.add_(flat.first_moment, -rate);
  }
  flat.average.lerp_(flat.weights, 1 - average_decay(settings, steps));
  ++steps;
  samples += settings.batch;
}

std::string Trainer::Impl::rejection(const PreparedBatch& prepared, const ReplayWindow& window) {
  const auto all = [this](at::Tensor HeadOutputs::*head) {
    std::vector<at::Tensor> parts;
    for (const Shard& shard : shards) parts.push_back((shard.heads.*head).detach());
    return at::cat(parts);
  };
  RejectedBatch batch;
  batch.floats = host_buffer(prepared.buffer);
  batch.heads = {all(&HeadOutputs::policy),     all(&HeadOutputs::value),
                 all(&HeadOutputs::captures),   all(&HeadOutputs::occupancy),
                 all(&HeadOutputs::plies_left), all(&HeadOutputs::reply_policy)};
  batch.rows = settings.batch;
  batch.name = [&](std::size_t row) {
    const Position position = unpack_query(window.row(prepared.rows[row].slot).query).position;
    return format_fen(position, std::popcount(position.goats()) + position.captured());
  };
  return "step " + std::to_string(steps + 1) +
         " was not taken: " + describe_rejection(batch, settings);
}

Trainer::Trainer(const NetworkSettings& network, const TrainingSettings& settings,
                 std::int64_t sample_budget, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(network, settings, sample_budget, seed)) {}
Trainer::~Trainer() = default;

TrainingReport Trainer::train(const ReplayWindow& window, int steps,
                              const std::atomic<bool>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  TrainingReport report;
  BatchFeed feed = impl_->feed(window, steps);
  for (int i = 0; i < steps && !stop; ++i) {
    const PreparedBatch& batch = feed.next();
    const bool taken = impl_->step(batch, window, report);
    impl_->random = Random(batch.random_after);
    report.steps += taken ? 1 : 0;
    report.rejected_steps += taken ? 0 : 1;
    impl_->rejected_in_a_row = taken ? 0 : impl_->rejected_in_a_row + 1;
    if (impl_->rejected_in_a_row == kMaxRejectedSteps)
      throw std::runtime_error(
          "training stopped after " + std::to_string(kMaxRejectedSteps) +
          " steps in a row that were not finite; the last one: " + report.rejection);
  }
  const double count = std::max(1, report.steps);
  for (double* mean : {&report.total_loss, &report.policy_loss, &report.policy_entropy,
                       &report.value_loss, &report.captures_loss, &report.occupancy_loss,
                       &report.plies_left_loss, &report.reply_policy_loss, &report.gradient_norm})
    *mean /= count;
  report.samples = std::int64_t{report.steps} * impl_->settings.batch;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

NetworkPtr Trainer::averaged_network(int generation) const {
  const at::NoGradGuard no_grad;
  return freeze(impl_->replicas.front().architecture(), impl_->flat.shaped(impl_->flat.average),
                generation);
}

PlayLoss Trainer::averaged_loss(const ReplayWindow& window, int rows, std::uint64_t seed) const {
  const at::NoGradGuard no_grad;
  const Network network(*averaged_network(-1), impl_->replicas.front().device());
  Random random(seed);
  std::vector<RowChoice> choices(static_cast<std::size_t>(rows));
  window.sample(random, choices);
  std::vector<float> host(batch_floats(choices.size()));
  fill_batch(window, choices, host);
  const at::Tensor floats =
      at::from_blob(host.data(), {static_cast<std::int64_t>(host.size())}, at::kFloat)
          .to(network.device());
  const BatchTensors batch(floats, rows, 0, rows);
  const Losses losses =
      play_losses(network.forward(batch[BatchSection::Planes], /*auxiliary=*/false), batch,
                  loss_divisors(host, rows));
  return {losses[kPolicyLoss].item<double>(), losses[kValueLoss].item<double>()};
}

std::int64_t Trainer::samples() const { return impl_->samples; }
std::int64_t Trainer::steps() const { return impl_->steps; }
int Trainer::rejected_in_a_row() const { return impl_->rejected_in_a_row; }

TrainerState Trainer::state() const {
  return {to_vector(impl_->flat.weights),
          to_vector(impl_->flat.average),
          to_vector(impl_->flat.first_moment),
          to_vector(impl_->flat.second_moment),
          impl_->steps,
          impl_->samples,
          impl_->random.state()};
}

void Trainer::restore(const TrainerState& state) {
  const at::NoGradGuard no_grad;
  from_vector(state.weights, impl_->flat.weights, "weights");
  from_vector(state.average, impl_->flat.average, "averaged weights");
  from_vector(state.first_moment, impl_->flat.first_moment, "first moments");
  from_vector(state.second_moment, impl_->flat.second_moment, "second moments");
  impl_->steps = state.steps;
  impl_->samples = state.samples;
  impl_->random = Random(state.random);
}

}  // namespace baghzero
