// baghzero-serve: the command `serve` as a program of its own, without LibTorch.
#include <CLI/CLI.hpp>

#include "play/application.h"
#include "web/serve_command.h"

int main(int argc, char** argv) {
  using namespace baghzero;
  CLI::App app("", "baghzero-serve");
  app.set_version_flag("--version", "baghzero-serve " BAGHZERO_VERSION);
  define_serve_command(app);
  return run_application(app, argc, argv, 0);
}
