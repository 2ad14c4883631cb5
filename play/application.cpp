#include "play/application.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "engine/text.h"

namespace baghzero {
namespace {

// One line, whatever the message: those of libraries run over several.
void report(const CLI::App& app, std::string_view what) {
  std::fprintf(stderr, "%s: error: %s\n", app.get_name().c_str(), on_one_line(what).c_str());
}

// The command that was named, for a hint at its help.
std::string help_hint(const CLI::App& app) {
  std::string text = " (see `" + app.get_name() + " ";
  for (const CLI::App* command : app.get_subcommands())
    text.append(command->get_name()).append(" ");
  return text.append("--help`)");
}

// Output that nobody could read is a failure: a full disk must not pass for success.
void finish_output() {
  std::cout.flush();
  if (!std::cout)
    throw std::runtime_error(
        "cannot write to standard output; check where it goes and the free space there");
}

}  // namespace

int run_application(CLI::App& app, int argc, const char* const* argv, const int& exit_code) {
  try {
    app.parse(argc, argv);
    finish_output();
    return exit_code;
  } catch (const CLI::Success& asked_for) {
    return app.exit(asked_for);
  } catch (const CLI::ParseError& error) {
    report(app, std::string(error.what()) + help_hint(app));
    return kExitWrongUsage;
  } catch (const std::bad_alloc&) {
    report(app, "out of memory; smaller caches, batches or fewer slots need less");
  } catch (const std::exception& error) {
    report(app, error.what());
  }
  return kExitFailed;
}

}  // namespace baghzero
