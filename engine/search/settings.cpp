#include "engine/search/settings.h"

#include <stdexcept>
#include <string>

namespace baghzero {
namespace {

void require(bool holds, const char* key, double value, const char* range) {
  if (!holds)
    throw std::invalid_argument("search." + std::string(key) + " is " + std::to_string(value) +
                                ", but must be " + range);
}
void at_least_zero(const char* key, float value) { require(value >= 0, key, value, "at least 0"); }
void positive(const char* key, float value) { require(value > 0, key, value, "above 0"); }

}  // namespace

void check_search_settings(const SearchSettings& settings) {
  at_least_zero("cpuct", settings.cpuct);
  at_least_zero("cpuct_factor", settings.cpuct_factor);
  positive("cpuct_base", settings.cpuct_base);
  at_least_zero("fpu_reduction", settings.fpu_reduction);
  at_least_zero("root_fpu_reduction", settings.root_fpu_reduction);
  require(settings.noise_weight >= 0 && settings.noise_weight <= 1, "noise_weight",
          settings.noise_weight, "between 0 and 1");
  positive("noise_alpha_total", settings.noise_alpha_total);
  positive("root_policy_temperature", settings.root_policy_temperature);
  at_least_zero("forced_playouts", settings.forced_playouts);
  require(settings.gumbel_actions >= 1, "gumbel_actions", settings.gumbel_actions, "at least 1");
  at_least_zero("gumbel_c_visit", settings.gumbel_c_visit);
  positive("gumbel_c_scale", settings.gumbel_c_scale);
  require(settings.max_nodes >= 1, "max_nodes", settings.max_nodes, "at least 1");
}

}  // namespace baghzero
