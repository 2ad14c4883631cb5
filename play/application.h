// What the command lines of all programs have in common.
#pragma once

namespace CLI {
class App;
}

namespace baghzero {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitWrongUsage = 2;

// Parses the command line and so runs what its callbacks do. Returns `exit_code` as they left it, 1
// after a failure, 2 after wrong usage. Every error is one line on stderr that begins with the
// program's name.
int run_application(CLI::App& app, int argc, const char* const* argv, const int& exit_code);

}  // namespace baghzero
