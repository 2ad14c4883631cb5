// The losses of every head (LibTorch; for trainer.cpp only).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ATen/ATen.h>

#include "nn/network.h"
#include "training/batch.h"
#include "training/settings.h"

namespace baghzero {

// The sections of rows first..first+count-1 of a batch as tensors [count, width].
class BatchTensors {
 public:
  BatchTensors(const at::Tensor& floats, int batch_rows, int first, int count)
      : floats_(floats), batch_rows_(batch_rows), first_(first), count_(count) {}
  at::Tensor operator[](BatchSection section) const;

 private:
  const at::Tensor& floats_;
  int batch_rows_;
  int first_;
  int count_;
};

// What the sums over a part of a batch are divided by, so that the parts add up to the means of the
// whole.
struct LossDivisors {
  double rows = 1;
  double searched = 1;  // rows whose policy is a target
  double replies = 1;
};
LossDivisors loss_divisors(std::span<const float> batch, int rows);

enum LossKind : std::uint8_t {
  kTotalLoss,  // weighted sum of the others, what is minimised
  kPolicyLoss,
  kPolicyEntropy,  // of the targets: no loss, but the least that kPolicyLoss could be
  kValueLoss,
  kCapturesLoss,
  kOccupancyLoss,
  kPliesLeftLoss,
  kReplyLoss,
};
inline constexpr std::size_t kLossKinds = 8;
using Losses = std::array<at::Tensor, kLossKinds>;

// Policy, its entropy and value only.
Losses play_losses(const HeadOutputs& heads, const BatchTensors& batch,
                   const LossDivisors& divisors);
Losses all_losses(const HeadOutputs& heads, const BatchTensors& batch, const LossDivisors& divisors,
                  const TrainingSettings& settings);

}  // namespace baghzero
