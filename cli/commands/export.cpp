#include "nn/export.h"

#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "engine/text.h"

namespace baghzero {
namespace {

const std::map<std::string, ExportFormat> kFormats = {{"baghzero", ExportFormat::Baghzero},
                                                      {"torchscript", ExportFormat::TorchScript},
                                                      {"onnx", ExportFormat::Onnx}};
const std::map<std::string, ExportPrecision> kPrecisions = {{"fp32", ExportPrecision::Fp32},
                                                            {"fp16", ExportPrecision::Fp16}};

struct Options {
  std::string model;
  std::string format = "torchscript";
  std::string precision = "fp32";
  std::string out;
};

void run_export(const Options& options) {
  const ExportFormat format = kFormats.at(options.format);
  const ExportPrecision precision = kPrecisions.at(options.precision);
  if (format == ExportFormat::Baghzero && precision != ExportPrecision::Fp32)
    throw CLI::ValidationError("--precision",
                               "the tensors of model files (--format baghzero) are fp32 by "
                               "definition; fp16 goes with torchscript and onnx");
  const LoadedModel model = load_model(options.model);
  const ExportCheck check =
      export_network(model.network, model.facts, format, precision, options.out);
  std::cout << std::setprecision(2) << "wrote " << options.out << "; compared with LibTorch on "
            << counted(check.positions, "position") << ", largest difference of a probability "
            << check.largest_difference << " (limit " << check.tolerance << ")\n";
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("export", "Write a network in a form that other programs read");
  command->add_option("MODEL", options->model, "Model file (.bzn)")->required();
  command
      ->add_option("--format", options->format,
                   "torchscript: for PyTorch and LibTorch; onnx: for ONNX Runtime and the like; "
                   "baghzero: a model file, written anew")
      ->check(CLI::IsMember(kFormats))
      ->capture_default_str();
  command
      ->add_option("--precision", options->precision,
                   "Of tensors and arithmetic; input and outputs are fp32 in any case")
      ->check(CLI::IsMember(kPrecisions))
      ->capture_default_str();
  command->add_option("--out,-o", options->out, "File to write; an older one is replaced")
      ->required();
  command->footer(
      "The file is read back and compared with the network in LibTorch before it gets its name.\n"
      "What it takes and returns is said in docs/model-format.md.\n\n"
      "Examples:\n"
      "  baghzero export runs/quick/models/gen-0004.bzn --out gen-0004.pt\n"
      "  baghzero export runs/quick/models/gen-0004.bzn --format onnx --out gen-0004.onnx\n");
  command->callback([options] { run_export(*options); });
}

}  // namespace baghzero
