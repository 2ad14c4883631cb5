#include "training/evaluation_label.h"

#include <charconv>

namespace baghzero {
namespace {

constexpr std::string_view kPrevious = "previous";
constexpr std::string_view kBefore = "_before";

}  // namespace

std::string evaluation_label(int distance) {
  if (distance == 1) return std::string(kPrevious);
  return std::to_string(distance).append(kBefore);
}

int evaluation_distance(std::string_view label) {
  if (label == kPrevious) return 1;
  if (!label.ends_with(kBefore)) return 0;
  label.remove_suffix(kBefore.size());
  int distance = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), distance);
  return error == std::errc() && end == label.data() + label.size() ? distance : 0;
}

}  // namespace baghzero
