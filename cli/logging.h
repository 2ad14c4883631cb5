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

// A logger whose lines go to `display` (time of day, coloured by level if the style says so) and,
// unless it is empty, are appended to `file` (full date and level, flushed line by line). Throws
// std::runtime_error naming the file if it cannot be opened.
std::shared_ptr<spdlog::logger> make_logger(std::shared_ptr<ProgressDisplay> display, bool colour,
                                            const std::filesystem::path& file = {});

}  // namespace baghzero
