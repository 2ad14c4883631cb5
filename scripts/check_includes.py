#!/usr/bin/env python3
"""Checks the direction of dependency: engine <- nn <- play <- web <- selfplay <- training <- cli.

A file may include headers of its own module and of the modules before it in that order. LibTorch is
for nn and training alone: no file of another module may include it, be it through a header of
theirs. Prints every offence as FILE:LINE and exits with 1 if there is one.
"""

import pathlib
import re
import sys

MODULES = ["engine", "nn", "play", "web", "selfplay", "training", "cli"]
MODULES_WITH_LIBTORCH = ["nn", "training"]
LIBTORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes_of(text):
    """Yields (line number, bracket, target) of every include in `text`."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def headers_with_libtorch(sources):
    """The headers in `sources` (name -> text) that include LibTorch, directly or through others."""
    targets = {name: {target for _, _, target in includes_of(text)} for name, text in sources.items()}
    found = {name for name in sources if any(map(LIBTORCH.match, targets[name]))}
    while True:
        more = {name for name in sources if targets[name] & found} - found
        if not more:
            return {name for name in found if name.endswith(".h")}
        found |= more


def offences(sources):
    """Yields (name, line number, what is wrong) for `sources`, name -> text."""
    with_libtorch = headers_with_libtorch(sources)
    for name, text in sources.items():
        module = name.split("/")[0]
        if name.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
            yield name, 1, "has no '#pragma once'"
        for number, bracket, target in includes_of(text):
            if module not in MODULES_WITH_LIBTORCH:
                if LIBTORCH.match(target):
                    yield name, number, f"{module} must not include LibTorch ({target})"
                if target in with_libtorch:
                    yield name, number, f"{module} must not include LibTorch, as {target} does"
            folder = target.split("/")[0]
            if "/" in target and folder in MODULES:
                if MODULES.index(folder) > MODULES.index(module):
                    yield name, number, f"{module} must not include {target}: {folder} builds upon it"
                if bracket == "<":
                    yield name, number, f'write "{target}" in quotes: it is a header of this project'
            elif bracket == '"':
                yield name, number, f'name "{target}" by its path from the top folder'


def self_test():
    """The check must be able to fail, and must not fail for what is right."""
    right = {
        "nn/a.cpp": '#include "engine/board.h"\n#include <torch/torch.h>\n#include "nn/n.h"\n',
        "nn/n.h": "#pragma once\n#include <ATen/ATen.h>\n",
    }
    assert not list(offences(right))
    for name, text in [
        ("engine/a.cpp", '#include "nn/inference.h"\n'),
        ("engine/a.cpp", "#include <torch/torch.h>\n"),
        ("selfplay/a.cpp", "  #  include <ATen/ATen.h>\n"),
        ("selfplay/a.cpp", '#include "nn/n.h"\n'),
        ("training/a.h", '#pragma once\n#include "cli/config.h"\n'),
        ("nn/a.cpp", '#include "inference.h"\n'),
        ("nn/a.cpp", "#include <engine/board.h>\n"),
        ("nn/a.h", "int x;\n"),
    ]:
        assert list(offences({**right, name: text})), (name, text)


def main():
    self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for module in MODULES
        for path in sorted((root / module).rglob("*"))
        if path.suffix in {".h", ".cpp"}
    }
    found = list(offences(sources))
    for name, line, fault in found:
        print(f"{name}:{line}: {fault}")
    print(f"{len(sources)} files, {len(found)} offences against the direction of dependency")
    return 1 if found or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
