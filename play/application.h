// What the command lines of all programs have in common.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace baghzero {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitWrongUsage = 2;
inline constexpr const char* kOutOfMemory =
    "out of memory; smaller caches, batches or fewer slots need less";

// Parses the command line and so runs what its callbacks do. Returns `exit_code` as they left it, 1
// after a failure, 2 after wrong usage. Every error is one line on stderr that begins with the
// program's name. Its commands are those of the main program, `baghzero`; `worded`, if given, puts
// another name for that.
int run_application(CLI::App& app, int argc, const char* const* argv, const int& exit_code,
                    std::string (*worded)(const std::string& text) = nullptr);

}  // namespace baghzero
