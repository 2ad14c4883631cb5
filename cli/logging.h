// Where log lines go: the terminal, above any progress bar, and the log file of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/progress.h"

namespace spdlog {
class logger;
}

namespace baghzero {

// A logger whose lines go to `display` (time of day, coloured by level if the style says so).
std::shared_ptr<spdlog::logger> make_logger(std::shared_ptr<ProgressDisplay> display, bool colour);

// From now on the lines of `logger` are also appended to `file` (full date and level, flushed line
// by line). Throws std::runtime_error naming the file if it cannot be opened. Returns a logger to
// that file alone.
std::shared_ptr<spdlog::logger> add_log_file(spdlog::logger& logger,
                                             const std::filesystem::path& file);

}  // namespace baghzero
