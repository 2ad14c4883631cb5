// The command that serves the board.
#pragma once

namespace CLI {
class App;
}

namespace baghzero {

// Makes `command` the one that serves: options, help and what it does. Errors leave as exceptions.
void define_serve_command(CLI::App& command);
// Adds it as the command `serve`.
void add_serve_command(CLI::App& app);

}  // namespace baghzero
