"""rewrite_games.py IN OUT GAMES: checks what export-games wrote into the folder IN by what
docs/game-arrays.md says, and writes the arrays compressed into OUT, for import-games to read."""

import pathlib
import sys

import numpy as np


def check(arrays):
    """Returns the number of games."""
    games, moves = len(arrays["outcome"]), len(arrays["action"])
    rows = np.arange(moves)
    assert arrays["rules"].shape == (games, 5) and arrays["root_wdl"].shape == (moves, 3)
    assert arrays["move_offsets"].tolist()[0] == 0 and arrays["move_offsets"][-1] == moves

    legal = np.unpackbits(arrays["legal"], axis=1, count=217).astype(bool)
    assert legal[rows, arrays["action"]].all(), "a move that was played is not legal"

    policy = np.zeros((moves, 217), np.float32)
    of_entry = np.repeat(rows, np.diff(arrays["policy_offsets"]))
    policy[of_entry, arrays["policy_action"]] = arrays["policy_share"]
    full = arrays["full_search"] == 1
    assert full.any() and np.allclose(policy[full].sum(1), 1, atol=1e-4)
    assert (policy[~full] == 0).all() and (policy[~legal] == 0).all()

    searched = arrays["searched"] == 1
    assert np.allclose(arrays["root_wdl"][searched].sum(1), 1, atol=1e-4)
    first = arrays["move_offsets"][:-1]
    points = np.unpackbits(arrays["tigers"][first].view(np.uint8)).sum()
    assert points == 4 * games and (arrays["side"] <= 1).all()
    assert (arrays["tigers"] & arrays["goats"] == 0).all()
    return games


def main():
    source, target, expected = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    target.mkdir()
    games = 0
    for file in sorted(source.glob("*.npz")):
        with np.load(file) as arrays:
            games += check(arrays)
            np.savez_compressed(target / file.name, **arrays)
    assert games == expected, f"{games} games instead of {expected}"


if __name__ == "__main__":
    main()
