#include "cli/error_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "play/application.h"

namespace baghzero {

std::string without_frames(const std::string& text) {
  constexpr std::array<std::string_view, 2> kLacksOfMemory = {
      "DefaultCPUAllocator: can't allocate memory", "CUDA out of memory"};
  if (std::ranges::any_of(kLacksOfMemory, [&](std::string_view lack) {
        return text.find(lack) != std::string::npos;
      }))
    return kOutOfMemory;
  std::size_t end = text.size();
  for (const std::string_view begin : {"Exception raised from ", "frame #0: "})
    end = std::min(end, text.find(begin));
  return text.substr(0, text.find_last_not_of(" \n", end - 1) + 1);
}

}  // namespace baghzero
