// The command line as a whole.
#pragma once

namespace baghzero {

// Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong usage, 128 + signal if stopped
// by one. Every error is one line on stderr.
int run_app(int argc, const char* const* argv);

}  // namespace baghzero
