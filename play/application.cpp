#include "play/application.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

// What the command line has that nobody asked for, in the order in which it stands there.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const bool command = app.get_subcommands().empty() && !words.front().starts_with('-');
  if (!command) {
    std::string text = words.size() > 1 ? "unexpected arguments:" : "unexpected argument:";
    for (const std::string& word : words) text.append(" ").append(word);
    return text;
  }
  std::vector<std::string> known;
  for (const CLI::App* one : app.get_subcommands({})) known.push_back(one->get_name());
  const std::string near = nearest_name(words.front(), known);
  return "unknown command \"" + words.front() + "\"" +
         (near.empty() ? "" : "; did you mean \"" + near + "\"?");
}

// What the library says, in words that someone who typed it understands.
std::string sentence(const CLI::ParseError& error) {
  constexpr std::string_view kConversion = "Could not convert: ";
  constexpr std::string_view kMissing = " missing";
  const std::string text = error.what();
  if (text.starts_with(kConversion)) {
    const auto equals = std::min(text.find(" = "), text.size() - 1);
    return text.substr(kConversion.size(), equals - kConversion.size()) +
           " wants a number, not \"" + text.substr(std::min(equals + 3, text.size())) + "\"";
  }
  if (text.find(" required ") != std::string::npos && text.ends_with(kMissing))
    return text.substr(0, text.find(':')) + " wants a value";
  return text;
}

// Output that nobody could read is a failure: a full disk must not pass for success.
void finish_output() {
  std::cout.flush();
  if (!std::cout)
    throw std::runtime_error(
        "cannot write to standard output; check where it goes and the free space there");
}

}  // namespace

int run_application(CLI::App& app, int argc, const char* const* argv, const int& exit_code,
                    std::string (*worded)(const std::string& text)) {
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& asked_for) {  // help or the version
      const int success = app.exit(asked_for);
      finish_output();
      return success;
    }
    finish_output();
    return exit_code;
  } catch (const CLI::ExtrasError&) {
    report(app, unexpected(app) + help_hint(app));
    return kExitWrongUsage;
  } catch (const CLI::ParseError& error) {
    report(app, sentence(error) + help_hint(app));
    return kExitWrongUsage;
  } catch (const std::bad_alloc&) {
    report(app, kOutOfMemory);
  } catch (const std::exception& error) {
    report(app, worded == nullptr ? error.what() : worded(error.what()));
  }
  return kExitFailed;
}

}  // namespace baghzero
