#include "training/replay_window.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace baghzero {

std::int64_t window_rows(const TrainingSettings& settings, std::int64_t total) {
  const auto minimum = static_cast<double>(settings.window_min_rows);
  const double ratio = std::max(1.0, static_cast<double>(total) / minimum);
  // The limit for alpha = 0 is logarithmic growth.
  const double growth = settings.window_alpha == 0
                            ? std::log(ratio)
                            : (std::pow(ratio, settings.window_alpha) - 1) / settings.window_alpha;
  const double rows = minimum * (1 + settings.window_beta * growth);
  return std::min(settings.window_max_rows, static_cast<std::int64_t>(rows));
}

ReplayWindow::ReplayWindow(const TrainingSettings& settings)
    : settings_(settings),
      min_rows_(settings.window_min_rows),
      capacity_(settings.window_max_rows) {
  if (min_rows_ < 1 || capacity_ < min_rows_ || capacity_ > std::int64_t{UINT32_MAX})
    throw std::invalid_argument(
        "training.window_min_rows must be at least 1 and training.window_max_rows no smaller than "
        "it, at most " +
        std::to_string(UINT32_MAX) + "; they are " + std::to_string(min_rows_) + " and " +
        std::to_string(capacity_));
  // Reserved, not filled: pages of the ring become resident only as rows arrive.
  rows_.reserve(static_cast<std::size_t>(capacity_));
}

void ReplayWindow::add(std::span<const TrainingRow> rows) {
  for (const TrainingRow& row : rows) {
    if (next_ == rows_.size())
      rows_.push_back(row);
    else
      rows_[next_] = row;
    next_ = (next_ + 1) % static_cast<std::size_t>(capacity_);
  }
  total_ += static_cast<std::int64_t>(rows.size());
}

void ReplayWindow::start_at(std::int64_t total) {
  total_ = total;
  rows_.clear();
  next_ = 0;
}

std::int64_t ReplayWindow::size() const {
  return std::min(static_cast<std::int64_t>(rows_.size()), window_rows(settings_, total_));
}

void ReplayWindow::sample(Random& random, std::span<RowChoice> choices) const {
  const auto count = static_cast<std::uint32_t>(size());
  // By age, so that the same rows in another part of the ring are drawn alike.
  const std::int64_t oldest = static_cast<std::int64_t>(next_) - count + capacity_;
  for (RowChoice& choice : choices) {
    choice.slot = static_cast<std::uint32_t>((oldest + random.below(count)) % capacity_);
    choice.symmetry = static_cast<std::uint8_t>(random.below(kSymmetryCount));
  }
}

}  // namespace baghzero
