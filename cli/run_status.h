// Where a run stands, on one screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace baghzero {

// Reads the run's folder, which may be training. `now` in seconds since 1970. Throws
// std::runtime_error naming what is missing.
std::string describe_status(const std::filesystem::path& root, std::int64_t now);

}  // namespace baghzero
