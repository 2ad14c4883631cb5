#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/progress.h"
#include "engine/text.h"
#include "play/application.h"
#include "training/run_check.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

void check_configuration(const fs::path& root, RunFindings& findings) {
  const RunFolder run{root};
  try {
    const RunConfig trained = load_run_config(run);
    const RunConfig config = load_config(run.config());
    const RunStore store(run.database(), RunStore::Mode::ReadOnly);
    if (store.meta("identity") != run_identity(config))
      findings.faults.push_back(run.config().string() +
                                " names other rules, another network or another seed than the "
                                "database says the run was started with");
    const auto changed = differing_keys(config, trained);
    if (!changed.empty())
      findings.faults.push_back(run.config().string() +
                                " differs from the configuration in the "
                                "database (" +
                                listed(changed) + "); a resume that trains writes it anew");
  } catch (const std::exception& fault) {
    findings.faults.emplace_back(fault.what());
  }
}

void run_check(const fs::path& root, int& exit_code) {
  RunFindings findings;
  {
    const auto display = make_stderr_display();
    findings = check_stored_run(root, [&](std::int64_t done, std::int64_t total) {
      display->update({.label = "checking",
                       .unit = "games",
                       .done = static_cast<double>(done),
                       .total = static_cast<double>(total),
                       .detail = ""});
    });
    display->finish();
  }
  check_configuration(root, findings);
  for (const std::string& fault : findings.faults) std::cout << on_one_line(fault) << "\n";
  std::cout << counted(findings.games, "game") << ", " << counted(findings.gate_games, "gate game")
            << ", " << counted(findings.models, "model") << ", "
            << counted(findings.states, "state") << ": "
            << (findings.faults.empty()
                    ? "no fault found"
                    : counted(static_cast<std::int64_t>(findings.faults.size()), "fault"))
            << "\n";
  if (!findings.faults.empty()) exit_code = kExitFailed;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto root = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("check", "Look for faults in everything that a run has stored");
  command->add_option("RUN", *root, "Folder of the run")->required()->check(CLI::ExistingDirectory);
  command->footer(
      "Replays every stored game and compares it with what is said of it; checks the pages of the\n"
      "database, the numbers of games, gates and generations, and loads every model and state,\n"
      "which must be of this run.\n"
      "One line a fault, and exit code 1 if there is any. The run may train meanwhile.\n"
      "\n"
      "Example:\n"
      "  baghzero check runs/quick\n");
  command->callback([root, &exit_code] { run_check(*root, exit_code); });
}

}  // namespace baghzero
