#include "training/run_phases.h"

namespace baghzero {
namespace {

// After the training of an iteration: report it and decide what comes next.
void conclude_iteration(RunContext& run) {
  finish_iteration(run);
  const bool due = run.state.iterations_ungated >= run.config.run.iterations_per_gate;
  const bool trained = run.trainer.samples() > 0;
  // What was trained last is not thrown away when a limit ends the run.
  run.state.next = trained && (due || run.reached_limit()) ? RunStep::Gate : RunStep::SelfPlay;
}

}  // namespace

RunEnd run_alternating(RunContext& run) {
  std::unique_ptr<SelfPlay> generator;
  hold_evaluation(run);  // an earlier start may have been stopped in it
  while (!run.stopping()) {
    switch (run.state.next) {
      case RunStep::SelfPlay:
        if (const std::optional<RunEnd> end = run.reached_limit()) return *end;
        play_iteration(run, generator);
        if (!run.stopping()) run.state.next = RunStep::Training;
        break;
      case RunStep::Training:
        train_backlog(run, 0);
        if (!run.stopping()) conclude_iteration(run);
        run.save();
        break;
      case RunStep::Gate:
        if (const GateEnd end = hold_gate(run); end != GateEnd::Decided) {
          if (end == GateEnd::Stopped) break;
          run.save();
          return RunEnd::Minutes;
        }
        if (generator) generator->set_network(run.best);
        hold_evaluation(run);
        run.state.next = RunStep::SelfPlay;
        run.save();
        measure_by_suite(run);
        break;
    }
  }
  run.save();
  return RunEnd::Stopped;
}

}  // namespace baghzero
