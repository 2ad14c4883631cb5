#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace baghzero {
namespace {

void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument("training." + sentence);
}

}  // namespace

double schedule_factor(const TrainingSettings& settings, std::int64_t samples,
                       std::int64_t sample_budget) {
  // The first step has a rate above zero as well.
  const auto done = static_cast<double>(samples + settings.batch);
  const auto warmup = static_cast<double>(settings.warmup_samples);
  if (done < warmup) return done / warmup;
  if (sample_budget <= settings.warmup_samples) return 1;
  const double progress = std::clamp(
      (static_cast<double>(samples) - warmup) / (static_cast<double>(sample_budget) - warmup), 0.0,
      1.0);
  const double floor = settings.final_learning_rate_factor;
  return floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

double average_decay(const TrainingSettings& settings, std::int64_t step) {
  const auto n = static_cast<double>(step);
  return std::min(settings.ema_decay, (1 + n) / (10 + n));
}

void check_training(const TrainingSettings& settings) {
  require(settings.batch >= 1 && settings.batch <= 65'536, "batch must be 1..65536");
  require(settings.learning_rate > 0, "learning_rate must be above 0");
  require(settings.final_learning_rate_factor > 0 && settings.final_learning_rate_factor <= 1,
          "final_learning_rate_factor must be above 0 and at most 1");
  require(settings.warmup_samples >= 0, "warmup_samples must not be negative");
  require(settings.weight_decay >= 0, "weight_decay must not be negative");
  require(settings.momentum >= 0 && settings.momentum < 1, "momentum must be 0 or more, below 1");
  require(settings.clip_norm > 0, "clip_norm must be above 0");
  require(settings.ema_decay >= 0 && settings.ema_decay < 1,
          "ema_decay must be 0 or more, below 1");
  require(settings.reuse > 0, "reuse must be above 0");
  require(settings.window_min_rows >= 1, "window_min_rows must be at least 1");
  require(settings.window_max_rows >= settings.window_min_rows,
          "window_max_rows must not be below training.window_min_rows");
  require(settings.window_alpha >= 0 && settings.window_beta >= 0,
          "window_alpha and training.window_beta must not be negative");
  require(settings.value_search_share >= 0 && settings.value_search_share <= 1,
          "value_search_share must be 0..1");
  for (const double weight :
       {settings.policy_weight, settings.value_weight, settings.reply_policy_weight,
        settings.captures_weight, settings.occupancy_weight, settings.plies_left_weight})
    require(weight >= 0, "…_weight: weights of losses must not be negative");
  require(settings.threads >= 0, "threads must not be negative");
}

}  // namespace baghzero
