#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "nn/model_file.h"
#include "nn/torchscript.h"

namespace baghzero {
namespace {

struct Options {
  std::string model;
  std::string format = "torchscript";
  std::string out;
};

void run_export(const Options& options) {
  const NetworkPtr network = load_network(options.model);
  const ModelFacts facts = read_model_facts(options.model);
  if (options.format == "baghzero") {
    save_network(*network, options.out, facts);
    load_network(options.out);  // replays its check positions
    std::cout << "wrote " << options.out << "; its check positions are answered as stored\n";
    return;
  }
  const ExportCheck check = export_torchscript(network, facts, options.out);
  std::cout << "wrote " << options.out << "; compared on " << check.positions
            << " positions, largest difference of a probability " << check.largest_difference
            << "\n";
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("export", "Write a network in a form that other programs read");
  command->add_option("MODEL", options->model, "Model file (.bzn)")->required();
  command
      ->add_option("--format", options->format,
                   "torchscript: for PyTorch and LibTorch; baghzero: a model file, written anew")
      ->check(CLI::IsMember({"torchscript", "baghzero"}))
      ->capture_default_str();
  command->add_option("--out,-o", options->out, "File to write; an older one is replaced")
      ->required();
  command->footer(
      "What a module takes and returns is said in docs/model-format.md.\n\n"
      "Examples:\n"
      "  baghzero export runs/quick/models/gen-0004.bzn --out gen-0004.pt\n");
  command->callback([options] { run_export(*options); });
}

}  // namespace baghzero
