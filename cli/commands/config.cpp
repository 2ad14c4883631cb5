#include "cli/config.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command_name.h"
#include "cli/commands/commands.h"
#include "cli/config_listing.h"

namespace baghzero {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> overrides;
  bool toml = false;
  bool markdown = false;
  bool json = false;
};

// What was typed where a file belongs, if it is the name of a section or a key.
std::string named_part(const Options& options) {
  if (std::filesystem::exists(options.file)) return "";
  return config_part_as_text(load_config_or_defaults({}, options.overrides), options.file);
}

void show_config(const Options& options) {
  if (const std::string part = named_part(options); !part.empty()) {
    std::cout << as_called(part);
    return;
  }
  const RunConfig config = load_config_or_defaults(options.file, options.overrides);
  if (options.toml)
    std::cout << to_toml(config, true);
  else if (options.markdown)
    std::cout << config_as_markdown();
  else if (options.json)
    std::cout << config_as_json(config);
  else
    std::cout << as_called(config_as_text(config));
}

}  // namespace

void add_config_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "config", "List every configuration key: type, range, default, meaning; or check a file");
  command->add_option(
      "CONFIG", options->file,
      "Configuration file whose values to show (default: the defaults), or a section "
      "or key to explain");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  auto* toml = command->add_flag("--toml", options->toml, "As a configuration file with comments");
  auto* markdown = command->add_flag("--markdown", options->markdown, "As tables of defaults");
  auto* json = command->add_flag("--json", options->json, "As JSON, with everything known");
  toml->excludes(markdown)->excludes(json);
  markdown->excludes(json);
  command->footer(
      "Examples:\n"
      "  baghzero config --toml > my.toml       a file to start from, every key explained\n"
      "  baghzero config configs/quick.toml     what a file says, and where it leaves the "
      "defaults\n"
      "  baghzero config training.batch         what one key, or [training], means\n"
      "  baghzero config --set training.batch=512 --toml\n");
  command->callback([options] { show_config(*options); });
}

}  // namespace baghzero
