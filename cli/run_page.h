// A run as a page: charts, tables and sample games.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace baghzero {

// Reads the run's folder, which may be training. Throws std::runtime_error naming what is missing.
std::string run_as_html(const std::filesystem::path& root, std::int64_t now);

}  // namespace baghzero
