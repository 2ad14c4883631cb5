// The subcommands, one file each. Every function adds its command to the application; the command
// runs while the command line is parsed and leaves its exit code in `exit_code`. Errors leave as
// exceptions.
#pragma once

namespace CLI {
class App;
}

namespace baghzero {

void add_train_command(CLI::App& app);
void add_status_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_check_command(CLI::App& app, int& exit_code);
void add_match_command(CLI::App& app, int& exit_code);
void add_ladder_command(CLI::App& app, int& exit_code);
void add_games_command(CLI::App& app);
void add_perft_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_config_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_game_array_commands(CLI::App& app);
void add_solve_command(CLI::App& app, int& exit_code);
void add_probe_command(CLI::App& app);
void add_judge_command(CLI::App& app, int& exit_code);
void add_suite_command(CLI::App& app);

}  // namespace baghzero
