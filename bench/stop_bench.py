#!/usr/bin/env python3
"""How long a run takes from SIGTERM to its end: stop_bench.py PROGRAM CONFIG FOLDER [STOPS] [SEED]

Starts the run in FOLDER (which must not exist), stops it at a random instant within 40 seconds, resumes
it, and so on; a run that ends by itself is followed by a fresh one. Prints each stop and, at
the end, the median and the longest time. Any exit code but 0 ends it.
"""

import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time


def main() -> None:
    program, config, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    stops = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    instants = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    if folder.exists():
        sys.exit(f"{folder} exists already: name a folder that does not")
    seconds = []
    while len(seconds) < stops:
        how = ["--resume"] if folder.exists() else [config]
        with tempfile.TemporaryFile("w+") as log:
            run = subprocess.Popen(
                [program, "train", *how, "--run", str(folder)], stdout=log, stderr=log
            )
            time.sleep(instants.uniform(1.0, 40.0))
            over = run.poll() is not None
            begin = time.monotonic()
            run.send_signal(signal.SIGTERM)
            run.wait()
            elapsed = time.monotonic() - begin
            log.seek(0)
            lines = log.read().strip().splitlines()
        print("over" if over else f"{elapsed:.2f} s", lines[-1] if lines else "", flush=True)
        if run.returncode != 0:
            sys.exit(f"exit code {run.returncode}")
        if over:
            shutil.rmtree(folder)
        else:
            seconds.append(elapsed)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{stops} stops: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
