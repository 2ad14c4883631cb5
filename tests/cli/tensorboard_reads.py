#!/usr/bin/env python3
"""Reads a run's event files with TensorBoard itself: tensorboard_reads.py BAGHZERO RUN

What TensorBoard shows must be what RUN's database holds: every metric, its steps and its values. RUN
has ended with one generation; it is trained on to two, thrown back to its first states and trained
on to three, so that steps are done again. Needs PyPI's tensorboard.
"""

import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

EXPECTED = ("loss/policy", "loss/value", "training/reuse", "selfplay/games_per_second", "outcome/draw",
            "termination/adjudicated", "gate/score", "evaluation/greedy/score", "rating/elo")


def stored(run):
    """The database's metrics: {name: {step: value}}."""
    with sqlite3.connect(f"file:{run}/run.sqlite?mode=ro", uri=True) as database:
        metrics = {}
        for name, step, value in database.execute("SELECT name, step, value FROM metrics"):
            metrics.setdefault(name, {})[step] = np.float32(value)
    return metrics


def shown(run):
    """The same as TensorBoard has it, which must have no step twice."""
    events = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    metrics = {}
    for name in events.Tags()["scalars"]:
        values = {event.step: np.float32(event.value) for event in events.Scalars(name)}
        assert len(values) == len(events.Scalars(name)), f"{name} has a step twice"
        metrics[name] = values
    return metrics


def written(run):
    """How many values the event files hold, dropped ones too."""
    return sum(len(event.summary.value) for file in (run / "tensorboard").iterdir()
               for event in EventFileLoader(str(file)).Load())


def compare(run):
    expected, actual = stored(run), shown(run)
    assert not set(EXPECTED) - set(expected), f"not measured: {set(EXPECTED) - set(expected)}"
    assert set(actual) == set(expected), set(actual) ^ set(expected)
    for name, values in expected.items():
        assert actual[name] == values, f"{name}: TensorBoard has {actual[name]}, the run {values}"
    return sum(len(values) for values in actual.values())


def train(program, run, generations):
    subprocess.run([program, "train", "--resume", "--run", run, "--set", f"run.generations={generations}"],
                   check=True, stdout=subprocess.DEVNULL)


def main():
    program, run = sys.argv[1], pathlib.Path(sys.argv[2])
    print(f"{compare(run)} values of a run")
    with tempfile.TemporaryDirectory() as folder:
        first_states = pathlib.Path(folder) / "state"
        shutil.copytree(run / "state", first_states)
        train(program, run, 2)
        assert written(run) == compare(run), "nothing is written twice where nothing is done again"
        shutil.rmtree(run / "state")
        shutil.copytree(first_states, run / "state")
    train(program, run, 3)
    values = compare(run)
    assert written(run) > values, "steps were done again"
    print(f"{values} values of it after steps were done again")
    print("TensorBoard reads what the run has measured")


if __name__ == "__main__":
    sys.exit(main())
