#!/usr/bin/env python3
"""Compares a solved game with every known value: check_solved.py BAGHZERO DATABASE.

Asks `BAGHZERO probe` for each position of tests/data/solved_movement.csv and solved_placement.csv,
and for the start and its first moves, which are all draws. Prints what differs and exits with 1.
"""

import json
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
START = "B3B/5/5/5/B3B G 0"
WINNERS = {("win", "G"): "goat", ("loss", "B"): "goat", ("win", "B"): "tiger", ("loss", "G"): "tiger"}


def probe(program, database, fen):
    output = subprocess.run([program, "probe", "--db", database, "--fen", fen, "--json"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def winner_of(value, fen):
    return WINNERS.get((value, fen.split()[1]), value)


def known_positions():
    """Yields (fen, winner, plies or None) of all rows."""
    for name in ["solved_movement.csv", "solved_placement.csv"]:
        for line in (DATA / name).read_text().splitlines():
            if not line.startswith("#"):
                fields = line.split(";") + [""]
                yield fields[0], fields[1], int(fields[2]) if fields[2] else None


def main(program, database):
    faults = 0
    rows = 0
    for fen, winner, plies in known_positions():
        answer = probe(program, database, fen)
        rows += 1
        if winner_of(answer["value"], fen) != winner or answer["plies"] != plies:
            faults += 1
            print(f"{fen}: {answer['value']} in {answer['plies']}, expected {winner} in {plies}")
    start = probe(program, database, START)
    drawn = [move for move in start["moves"] if move["value"] == "draw"]
    if start["value"] != "draw" or len(drawn) != 21 or len(start["moves"]) != 21:
        faults += 1
        print(f"start: {start}")
    print(f"{rows} positions and the first moves compared, {faults} differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
