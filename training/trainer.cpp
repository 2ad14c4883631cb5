#include "training/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/notation.h"
#include "nn/network.h"
#include "training/batch_feed.h"
#include "training/schedule.h"

namespace baghzero {
namespace {

constexpr double kAdamBeta1 = 0.9;
constexpr double kAdamBeta2 = 0.999;
constexpr double kAdamEpsilon = 1e-8;
constexpr std::size_t kRowsNamed = 4;

at::Device training_device(const std::string& name) {
  const bool cuda = at::globalContext().hasCUDA();
  if (name == "cpu" || (name == "auto" && !cuda)) return at::kCPU;
  if (name != "auto" && !name.starts_with("cuda"))
    throw std::invalid_argument(
        "training.device must be \"auto\", \"cpu\", \"cuda\" or \"cuda:N\", "
        "not \"" +
        name + "\"");
  if (!cuda)
    throw std::runtime_error("training.device is \"" + name +
                             "\", but there is no CUDA device that this build of LibTorch can use");
  return at::Device(name == "auto" ? "cuda:0" : name);
}

// Parameters, gradients and everything the optimizer keeps, each as one flat vector of which the
// network's parameters are views: an update is a few vector operations, however many tensors the
// network has. Parameters with weight decay come first.
class FlatParameters {
 public:
  explicit FlatParameters(const Network& network) {
    std::int64_t total = 0;
    for (const bool decays : {true, false})
      for (const NetworkParameter& parameter : network.parameters())
        if (parameter.decays == decays) total += parameter.value.numel();
    const auto options = at::TensorOptions().dtype(at::kFloat).device(network.device());
    weights = at::empty({total}, options);
    gradient = at::zeros({total}, options);
    first_moment = at::zeros({total}, options);
    second_moment = at::zeros({total}, options);
    const at::NoGradGuard no_grad;
    const auto parameters = network.parameters();
    offsets_.resize(parameters.size());
    std::int64_t offset = 0;
    for (const bool decays : {true, false}) {
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].decays != decays) continue;
        const at::Tensor& value = parameters[i].value;
        offsets_[i] = offset;
        const at::Tensor view = weights.as_strided(value.sizes(), value.strides(), offset);
        view.copy_(value);
        value.set_data(view);
        value.mutable_grad() = gradient.as_strided(value.sizes(), value.strides(), offset);
        offset += value.numel();
      }
      if (decays) decaying_ = offset;
    }
    average = weights.clone();
  }

  at::Tensor decaying_weights() const { return weights.narrow(0, 0, decaying_); }
  // Views of `flat` shaped as the network's parameters, in their order.
  std::vector<at::Tensor> shaped(const Network& network, const at::Tensor& flat) const {
    std::vector<at::Tensor> views;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const at::Tensor& value = network.parameters()[i].value;
      views.push_back(flat.as_strided(value.sizes(), value.strides(), offsets_[i]));
    }
    return views;
  }

  at::Tensor weights;
  at::Tensor gradient;
  at::Tensor average;
  at::Tensor first_moment;
  at::Tensor second_moment;

 private:
  std::vector<std::int64_t> offsets_;
  std::int64_t decaying_ = 0;
};

// The sections of a batch as tensors.
class BatchTensors {
 public:
  BatchTensors(const at::Tensor& floats, int rows) : floats_(floats), rows_(rows) {}
  at::Tensor operator[](BatchSection section) const {
    const auto width = static_cast<std::int64_t>(section_width(section));
    const auto offset = static_cast<std::int64_t>(section_offset(section, rows_));
    return floats_.narrow(0, offset, rows_ * width).view({rows_, width});
  }

 private:
  const at::Tensor& floats_;
  int rows_;
};

// Losses in the order of reporting.
enum Loss { kTotal, kPolicy, kEntropy, kValue, kCaptures, kOccupancy, kPliesLeft, kReply, kLosses };
using Losses = std::array<at::Tensor, kLosses>;

at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& classes) {
  return -at::log_softmax(logits, -1).gather(-1, classes.to(at::kLong).unsqueeze(-1)).squeeze(-1);
}

Losses play_losses(const HeadOutputs& heads, const BatchTensors& batch) {
  Losses losses;
  const at::Tensor& policy = batch[BatchSection::Policy];
  const at::Tensor searched = batch[BatchSection::FullSearch].sum().clamp_min(1);
  const at::Tensor log_policy = at::log_softmax(heads.policy + batch[BatchSection::LegalBias], 1);
  losses[kPolicy] = -(policy * log_policy).sum() / searched;
  losses[kEntropy] = -at::xlogy(policy, policy).sum() / searched;
  losses[kValue] = -(batch[BatchSection::Value] * at::log_softmax(heads.value, 1)).sum(1).mean();
  return losses;
}

Losses all_losses(const HeadOutputs& heads, const BatchTensors& batch,
                  const TrainingSettings& settings) {
  Losses losses = play_losses(heads, batch);
  losses[kCaptures] = class_loss(heads.captures, batch[BatchSection::Captures].squeeze(1)).mean();
  losses[kOccupancy] = class_loss(heads.occupancy, batch[BatchSection::Occupancy]).mean();
  losses[kPliesLeft] = at::huber_loss(heads.plies_left, batch[BatchSection::PliesLeft].squeeze(1));
  const at::Tensor has_reply = batch[BatchSection::HasReply].squeeze(1);
  const at::Tensor reply =
      class_loss(heads.reply_policy, batch[BatchSection::Reply].squeeze(1)) * has_reply;
  losses[kReply] = reply.sum() / has_reply.sum().clamp_min(1);
  losses[kTotal] = losses[kPolicy] * settings.policy_weight +
                   losses[kValue] * settings.value_weight +
                   losses[kCaptures] * settings.captures_weight +
                   losses[kOccupancy] * settings.occupancy_weight +
                   losses[kPliesLeft] * settings.plies_left_weight +
                   losses[kReply] * settings.reply_policy_weight;
  return losses;
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

struct Trainer::Impl {
  Impl(const NetworkSettings& shape, const TrainingSettings& training, std::int64_t budget,
       std::uint64_t seed)
      : settings(training),
        sample_budget(budget),
        network(*make_random_network(shape, seed), training_device(training.device)),
        flat(network),
        random(seed, 0x7261696e) {
    check_training(settings);
    if (settings.optimizer == OptimizerKind::Sgd) flat.second_moment = at::empty({0}, at::kFloat);
    const auto floats =
        static_cast<std::int64_t>(batch_floats(static_cast<std::size_t>(settings.batch)));
    const auto host = at::TensorOptions().dtype(at::kFloat).pinned_memory(on_device());
    for (at::Tensor& buffer : buffers) buffer = at::empty({floats}, host);
  }

  bool on_device() const { return network.device().is_cuda(); }
  void use_threads() const {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    at::set_num_threads(settings.threads > 0 ? settings.threads : cores);
  }
  BatchFeed feed(const ReplayWindow& window, int batches) {
    const auto floats = [&](int i) {
      return std::span(buffers[i].data_ptr<float>(), static_cast<std::size_t>(buffers[i].numel()));
    };
    return {window, random, settings.batch, {floats(0), floats(1)}, batches, on_device()};
  }
  bool step(const PreparedBatch& prepared, const ReplayWindow& window, TrainingReport& report);
  void update(double gradient_norm, double rate);
  std::string describe_rejection(const HeadOutputs& heads, const PreparedBatch& prepared,
                                 const ReplayWindow& window) const;

  TrainingSettings settings;
  std::int64_t sample_budget;
  Network network;
  FlatParameters flat;
  Random random;
  std::array<at::Tensor, 2> buffers;
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  int rejected_in_a_row = 0;
};

// Returns whether the step was taken.
bool Trainer::Impl::step(const PreparedBatch& prepared, const ReplayWindow& window,
                         TrainingReport& report) {
  const at::Tensor floats = buffers[prepared.buffer].to(network.device(), /*non_blocking=*/true);
  const BatchTensors batch(floats, settings.batch);
  const HeadOutputs heads = network.forward(batch[BatchSection::Planes]);
  const Losses losses = all_losses(heads, batch, settings);
  flat.gradient.zero_();
  losses[kTotal].backward();
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> figures(losses.begin(), losses.end());
  figures.push_back(flat.gradient.norm());
  const at::Tensor host = at::stack(figures).to(at::kCPU);
  const std::span<const float> values(host.data_ptr<float>(), kLosses + 1);
  const double norm = values[kLosses];
  if (!std::isfinite(values[kTotal]) || !std::isfinite(norm)) {
    report.rejection = describe_rejection(heads, prepared, window);
    return false;
  }
  report.learning_rate = settings.learning_rate * schedule_factor(settings, samples, sample_budget);
  update(norm, report.learning_rate);
  report.total_loss += values[kTotal];
  report.policy_loss += values[kPolicy];
  report.policy_entropy += values[kEntropy];
  report.value_loss += values[kValue];
  report.captures_loss += values[kCaptures];
  report.occupancy_loss += values[kOccupancy];
  report.plies_left_loss += values[kPliesLeft];
  report.reply_policy_loss += values[kReply];
  report.gradient_norm += norm;
  return true;
}

// AdamW (Loshchilov and Hutter 2019) or SGD with momentum; decay is decoupled in both.
void Trainer::Impl::update(double gradient_norm, double rate) {
  if (gradient_norm > settings.clip_norm) flat.gradient.mul_(settings.clip_norm / gradient_norm);
  if (settings.weight_decay > 0) flat.decaying_weights().mul_(1 - rate * settings.weight_decay);
  if (settings.optimizer == OptimizerKind::AdamW) {
    const auto t = static_cast<double>(steps + 1);
    const double correction1 = 1 - std::pow(kAdamBeta1, t);
    const double correction2 = 1 - std::pow(kAdamBeta2, t);
    flat.first_moment.lerp_(flat.gradient, 1 - kAdamBeta1);
    flat.second_moment.mul_(kAdamBeta2).addcmul_(flat.gradient, flat.gradient, 1 - kAdamBeta2);
    const at::Tensor scale =
        flat.second_moment.sqrt().div_(std::sqrt(correction2)).add_(kAdamEpsilon);
    flat.weights.addcdiv_(flat.first_moment, scale, -rate / correction1);
  } else {
    flat.first_moment.mul_(settings.momentum).add_(flat.gradient);
    flat.weights.add_(flat.first_moment, -rate);
  }
  flat.average.lerp_(flat.weights, 1 - average_decay(settings, steps));
  ++steps;
  samples += settings.batch;
}

std::string Trainer::Impl::describe_rejection(const HeadOutputs& heads,
                                              const PreparedBatch& prepared,
                                              const ReplayWindow& window) const {
  const at::Tensor finite = (at::isfinite(heads.policy).all(1) & at::isfinite(heads.value).all(1))
                                .to(at::kCPU, at::kByte)
                                .contiguous();
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < prepared.rows.size(); ++i)
    if (finite.data_ptr<std::uint8_t>()[i] == 0) bad.push_back(i);
  std::string text = "step " + std::to_string(steps + 1) + " was not taken: ";
  if (bad.empty())
    return text + "its loss or gradient is not finite, though every answer of the network is";
  text += "the network's answer is not finite for " + std::to_string(bad.size()) + " of " +
          std::to_string(prepared.rows.size()) + " rows, such as ";
  for (std::size_t i = 0; i < std::min(kRowsNamed, bad.size()); ++i) {
    const Position position = unpack_query(window.row(prepared.rows[bad[i]].slot).query).position;
    const int placed = std::popcount(position.goats()) + position.captured();
    if (i > 0) text.append(", ");
    text.append("\"").append(format_fen(position, placed)).append("\"");
  }
  return text;
}

Trainer::Trainer(const NetworkSettings& network, const TrainingSettings& settings,
                 std::int64_t sample_budget, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(network, settings, sample_budget, seed)) {}
Trainer::~Trainer() = default;

TrainingReport Trainer::train(const ReplayWindow& window, int steps,
                              const std::atomic<bool>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  impl_->use_threads();
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
      throw std::runtime_error("training stopped after " + std::to_string(kMaxRejectedSteps) +
                               " steps in a row that were not finite (" + report.rejection +
                               "); the last saved state is good: go on with --resume and a lower "
                               "training.learning_rate or training.clip_norm");
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
  return freeze(impl_->network.architecture(),
                impl_->flat.shaped(impl_->network, impl_->flat.average), generation);
}

PlayLoss Trainer::averaged_loss(const ReplayWindow& window, int rows, std::uint64_t seed) const {
  impl_->use_threads();
  const at::NoGradGuard no_grad;
  const Network network(*averaged_network(-1), impl_->network.device());
  Random random(seed);
  std::vector<RowChoice> choices(static_cast<std::size_t>(rows));
  window.sample(random, choices);
  const at::Tensor host =
      at::empty({static_cast<std::int64_t>(batch_floats(choices.size()))}, at::kFloat);
  fill_batch(window, choices,
             std::span(host.data_ptr<float>(), static_cast<std::size_t>(host.numel())));
  const at::Tensor floats = host.to(network.device());
  const BatchTensors batch(floats, rows);
  const Losses losses =
      play_losses(network.forward(batch[BatchSection::Planes], /*auxiliary=*/false), batch);
  return {losses[kPolicy].item<double>(), losses[kValue].item<double>()};
}

std::int64_t Trainer::samples() const { return impl_->samples; }
std::int64_t Trainer::steps() const { return impl_->steps; }

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
