#!/usr/bin/env python3
"""Verifies a model file as docs/model-format.md describes it, and replays its check positions.

Usage: read_model.py FILE. Needs numpy and xxhash (Debian: python3-numpy, python3-xxhash).
"""
import json
import struct
import sys

import numpy as np
import xxhash

DIRECTIONS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)]  # row, column


def after(point, d):
    """The next point in direction d along a line, or None."""
    row, column = point // 5 + DIRECTIONS[d][0], point % 5 + DIRECTIONS[d][1]
    joined = d < 4 or point % 2 == 0
    return 5 * row + column if joined and 0 <= row < 5 and 0 <= column < 5 else None


STEPS = sorted((p, after(p, d), d) for p in range(25) for d in range(8) if after(p, d) is not None)
JUMPS = sorted((p, after(q, d), d) for p, q, d in STEPS if after(q, d) is not None)
# Origin, target and place of the logit: plane and point.
ACTIONS = ([(None, p, 0, p) for p in range(25)] + [(p, q, 1 + d, p) for p, q, d in STEPS] +
           [(p, q, 9 + d, p) for p, q, d in JUMPS])


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, version, header_bytes, tensor_bytes = struct.unpack_from("<8sIIQ", data)
    assert magic == b"BZNMODEL" and version == 1, "not a model file of version 1"
    assert len(data) == 24 + header_bytes + tensor_bytes + 8, "wrong length"
    assert xxhash.xxh3_64_intdigest(data[:-8]) == struct.unpack("<Q", data[-8:])[0], "wrong checksum"
    header = json.loads(data[24:24 + header_bytes])
    weights, offset = {}, 24 + header_bytes
    for tensor in header["tensors"]:
        count = int(np.prod(tensor["shape"]))
        values = np.frombuffer(data, "<f4", count, offset)
        weights[tensor["name"]] = values.reshape(tensor["shape"])
        offset += 4 * count
    return header, weights


def planes(check):
    tigers, goats, legal = set(check["tigers"]), set(check["goats"]), set(check["legal"])
    empty = set(range(25)) - tigers - goats
    over = [(p, after(p, d), q) for p, q, d in JUMPS if p in tigers and q in empty]
    captures = [(p, m, q) for p, m, q in over if m in goats]
    steps = [(p, q) for p, q, _ in STEPS if q in empty]
    reached, grown = set(), set(tigers)
    while grown != reached:
        reached = grown
        grown = reached | {q for p, q in steps if p in reached}
    mover, hand = (tigers if check["tiger_to_move"] else goats), check["goats_in_hand"]
    possible = {(p, q) for p, q in steps if p in mover}
    if check["tiger_to_move"]:
        possible |= {(p, q) for p, _, q in captures}
    allowed = [ACTIONS[a][:2] for a in legal]
    barred = possible - set(allowed) if hand == 0 else set()
    taken, everywhere = check["captured"], range(25)
    on = [tigers, goats, empty, everywhere, range(0, 25, 2)]
    on += [everywhere if flag else [] for flag in
           (not check["tiger_to_move"], check["tiger_to_move"], hand > 0)]
    on += [hand / 20] + [everywhere if flag else [] for flag in
                         (taken == 1, taken == 2, taken == 3, taken >= 4)] + [taken / 20]
    on += [{m for _, m, _ in captures}, {q for _, _, q in captures},
           tigers - {p for p, _ in steps} - {p for p, _, _ in captures},
           {m for _, m, _ in over if m in empty}, empty - reached,
           {p for p, _ in allowed if p is not None}, {q for _, q in allowed},
           {p for p, _ in barred}, {q for _, q in barred}, check["limit_proximity"] / 8]
    x = np.zeros((24, 25))
    for plane, points in enumerate(on):
        x[plane, everywhere if isinstance(points, float) else list(points)] = (
            points if isinstance(points, float) else 1)
    return x.reshape(24, 5, 5)


def evaluate(weights, header, check):
    def convolve(x, name):
        w, wide = weights[name + ".weight"], np.pad(x, ((0, 0), (1, 1), (1, 1)))
        y = sum(np.einsum("oi,ihw->ohw", w[:, :, r, c], wide[:, r:r + 5, c:c + 5])
                for r in range(3) for c in range(3))
        scale = weights.get(name + ".scale", np.ones(len(y)))
        return y * scale[:, None, None] + weights[name + ".bias"][:, None, None]

    def connect(x, name):  # a 1x1 convolution over all points is the same thing
        w = weights[name + ".weight"]
        y = w.reshape(len(w), -1) @ x.reshape(w.shape[1], -1)
        return (y + weights[name + ".bias"][:, None]).squeeze()

    def relu(x):
        return np.maximum(x, 0)

    def softmax(x):
        return np.exp(x - x.max()) / np.exp(x - x.max()).sum()

    x = relu(convolve(planes(check), "stem"))
    for block in range(header["architecture"]["blocks"]):
        name = f"block.{block}."
        y = convolve(relu(convolve(x, name + "conv1")), name + "conv2")
        if header["architecture"]["squeeze_channels"] > 0:
            squeezed = relu(connect(y.mean((1, 2)), name + "squeeze"))
            y *= (1 / (1 + np.exp(-connect(squeezed, name + "excite"))))[:, None, None]
        x = relu(x + y)
    policy = connect(relu(connect(x, "policy.hidden")), "policy.planes")
    pooled = np.concatenate([x.mean((1, 2)), x.max((1, 2))])
    wdl = softmax(connect(relu(connect(pooled, "value.hidden")), "value.wdl"))
    return wdl, softmax(np.array([policy[ACTIONS[a][2:]] for a in check["legal"]]))


def main(path):
    header, weights = read(path)
    worst = 0.0
    for check in header["checks"]:
        wdl, policy = evaluate(weights, header, check)
        worst = max(worst, *abs(wdl - check["wdl"]), *abs(policy - check["policy"]))
    print(f"generation {header['generation']}, {header['architecture']}, "
          f"{sum(w.size for w in weights.values())} weights, {len(header['checks'])} check positions, "
          f"largest difference {worst:.1e}")
    assert worst < 1e-3, "the network does not give the stored answers"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except (AssertionError, OSError, struct.error, ValueError, KeyError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
