#include "training/rejected_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "training/batch.h"
#include "training/losses.h"

namespace baghzero {
namespace {

constexpr std::size_t kRowsNamed = 4;
constexpr const char* kCheckAdvice =
    "stored rows are always finite, so check the run with `baghzero check` and the memory of this "
    "machine, and go on with --resume";
constexpr const char* kRateAdvice =
    "lower training.learning_rate or training.clip_norm and go on with --resume; if it stops at "
    "once again, move the newest file in state/ away to go on from the one before it";

// In the order of BatchSection.
constexpr std::array<const char*, kBatchSections> kSectionNames = {
    "input",           "legal moves",          "policy target",     "value target",
    "captures target", "occupancy target",     "plies-left target", "reply target",
    "mark of a reply", "mark of a full search"};

using Rows = std::vector<std::size_t>;

// Rows of `values`, [rows, ...], with something that is not finite.
Rows rows_not_finite(const at::Tensor& values) {
  const at::Tensor finite = at::isfinite(values.reshape({values.size(0), -1}))
                                .all(1)
                                .to(at::kCPU, at::kByte)
                                .contiguous();
  const auto* begin = finite.data_ptr<std::uint8_t>();
  Rows rows;
  for (std::int64_t i = 0; i < finite.numel(); ++i)
    if (begin[i] == 0) rows.push_back(static_cast<std::size_t>(i));
  return rows;
}

// "the policy target is not finite for 2 of 32 rows, such as "…", "…"".
std::string sentence(const std::string& what, const Rows& bad, const RejectedBatch& batch) {
  std::string text = "the " + what + " is not finite for " + std::to_string(bad.size()) + " of " +
                     std::to_string(batch.rows) + " rows, such as ";
  for (std::size_t i = 0; i < std::min(kRowsNamed, bad.size()); ++i) {
    if (i > 0) text.append(", ");
    text.append("\"").append(batch.name(bad[i])).append("\"");
  }
  return text;
}

std::string describe_data(const RejectedBatch& batch, const BatchTensors& tensors) {
  for (std::size_t i = 0; i < kBatchSections; ++i)
    if (const Rows bad = rows_not_finite(tensors[static_cast<BatchSection>(i)]); !bad.empty())
      return sentence(kSectionNames[i], bad, batch);
  return "";
}

std::string describe_answers(const RejectedBatch& batch) {
  const HeadOutputs& heads = batch.heads;
  const std::array<std::pair<const char*, const at::Tensor*>, 6> answers = {
      {{"policy", &heads.policy},
       {"value", &heads.value},
       {"captures", &heads.captures},
       {"occupancy", &heads.occupancy},
       {"plies-left", &heads.plies_left},
       {"reply-policy", &heads.reply_policy}}};
  for (const auto& [name, answer] : answers)
    if (const Rows bad = rows_not_finite(*answer); !bad.empty())
      return sentence(std::string("network's ") + name + " answer", bad, batch);
  return "";
}

HeadOutputs row_of(const HeadOutputs& heads, std::int64_t row) {
  const auto part = [row](const at::Tensor& all) { return all.narrow(0, row, 1).to(at::kCPU); };
  return {part(heads.policy),    part(heads.value),      part(heads.captures),
          part(heads.occupancy), part(heads.plies_left), part(heads.reply_policy)};
}

std::string describe_losses(const RejectedBatch& batch, const at::Tensor& floats,
                            const TrainingSettings& settings) {
  Rows bad;
  for (int row = 0; row < batch.rows; ++row) {
    const BatchTensors tensors(floats, batch.rows, row, 1);
    const Losses losses = all_losses(row_of(batch.heads, row), tensors, {}, settings);
    if (!std::isfinite(losses[kTotalLoss].item<float>()))
      bad.push_back(static_cast<std::size_t>(row));
  }
  return bad.empty() ? "" : sentence("loss", bad, batch);
}

}  // namespace

std::string describe_rejection(const RejectedBatch& batch, const TrainingSettings& settings) {
  const at::NoGradGuard no_grad;
  const at::Tensor floats =
      at::tensor(at::ArrayRef<float>(batch.floats.data(), batch.floats.size()));
  const std::string data = describe_data(batch, BatchTensors(floats, batch.rows, 0, batch.rows));
  if (!data.empty()) return data + "; " + kCheckAdvice;
  std::string text = describe_answers(batch);
  if (text.empty()) text = describe_losses(batch, floats, settings);
  if (text.empty())
    text =
        "the gradient or the sum of the losses is not finite, though every answer of the network "
        "and the loss of every row is";
  return text + "; " + kRateAdvice;
}

}  // namespace baghzero
