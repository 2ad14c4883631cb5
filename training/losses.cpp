#include "training/losses.h"

#include <algorithm>
#include <numeric>

namespace baghzero {
namespace {

// Cross entropy with one right class per element; `logits` has the classes in its last dimension.
at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& classes) {
  return -at::log_softmax(logits, -1).gather(-1, classes.to(at::kLong).unsqueeze(-1)).squeeze(-1);
}

double section_sum(std::span<const float> batch, int rows, BatchSection section) {
  const auto count = static_cast<std::size_t>(rows);
  const auto values = batch.subspan(section_offset(section, count), count);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

at::Tensor BatchTensors::operator[](BatchSection section) const {
  const auto width = static_cast<std::int64_t>(section_width(section));
  const auto offset =
      static_cast<std::int64_t>(section_offset(section, static_cast<std::size_t>(batch_rows_)));
  return floats_.narrow(0, offset + first_ * width, count_ * width).view({count_, width});
}

LossDivisors loss_divisors(std::span<const float> batch, int rows) {
  return {static_cast<double>(rows),
          std::max(1.0, section_sum(batch, rows, BatchSection::FullSearch)),
          std::max(1.0, section_sum(batch, rows, BatchSection::HasReply))};
}

Losses play_losses(const HeadOutputs& heads, const BatchTensors& batch,
                   const LossDivisors& divisors) {
  Losses losses;
  const at::Tensor policy = batch[BatchSection::Policy];
  const at::Tensor log_policy = at::log_softmax(heads.policy + batch[BatchSection::LegalBias], 1);
  losses[kPolicyLoss] = -(policy * log_policy).sum() / divisors.searched;
  losses[kPolicyEntropy] = -at::xlogy(policy, policy).sum() / divisors.searched;
  losses[kValueLoss] =
      -(batch[BatchSection::Value] * at::log_softmax(heads.value, 1)).sum() / divisors.rows;
  return losses;
}

Losses all_losses(const HeadOutputs& heads, const BatchTensors& batch, const LossDivisors& divisors,
                  const TrainingSettings& settings) {
  Losses losses = play_losses(heads, batch, divisors);
  losses[kCapturesLoss] =
      class_loss(heads.captures, batch[BatchSection::Captures].squeeze(1)).sum() / divisors.rows;
  losses[kOccupancyLoss] = class_loss(heads.occupancy, batch[BatchSection::Occupancy]).sum() /
                           (divisors.rows * kPointCount);
  losses[kPliesLeftLoss] =
      at::huber_loss(heads.plies_left, batch[BatchSection::PliesLeft].squeeze(1),
                     at::Reduction::Sum) /
      divisors.rows;
  losses[kReplyLoss] = (class_loss(heads.reply_policy, batch[BatchSection::Reply].squeeze(1)) *
                        batch[BatchSection::HasReply].squeeze(1))
                           .sum() /
                       divisors.replies;
  losses[kTotalLoss] = losses[kPolicyLoss] * settings.policy_weight +
                       losses[kValueLoss] * settings.value_weight +
                       losses[kCapturesLoss] * settings.captures_weight +
                       losses[kOccupancyLoss] * settings.occupancy_weight +
                       losses[kPliesLeftLoss] * settings.plies_left_weight +
                       losses[kReplyLoss] * settings.reply_policy_weight;
  return losses;
}

}  // namespace baghzero
