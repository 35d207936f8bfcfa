#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass has one stem: def TileLoopsPass, flag helion-tile-loops, file TileLoops.cpp beside its Passes.td, test
tile-loops.mlir in the same folder under test/. The stem is read from TableGen; everything else is derived.

Use: utils/checks/names.py [--root DIR]
Example: utils/checks/names.py
"""
import json
import re
import subprocess

from tree import run

LLVM = "/usr/lib/llvm-22"


def kebab(stem):
    """TileLoops -> tile-loops, BindL2Grouping -> bind-l2-grouping."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", stem)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", words).lower()


def passes_of(tree, path):
    """The pass records of one .td file, by name: the flag of each."""
    command = [f"{LLVM}/bin/llvm-tblgen", "--dump-json", f"-I{LLVM}/include", f"-I{tree.root}", str(tree.root / path)]
    dumped = subprocess.run(command, capture_output=True, text=True)
    if dumped.returncode != 0:
        raise ValueError(dumped.stderr.strip().split("\n")[0])
    records = json.loads(dumped.stdout)
    return {name: records[name]["argument"] for name in records["!instanceof"].get("PassBase", [])}


def line_of(tree, path, name):
    return next((n for n, line in enumerate(tree.lines(path), 1) if re.match(rf"def\s+{name}\b", line)), 1)


def check_pass(tree, path, name, flag):
    if not name.endswith("Pass"):
        yield f"pass `{name}` is not named `<Verb><Object>Pass`"
        return
    stem = name[:-len("Pass")]
    if flag != f"helion-{kebab(stem)}":
        yield f"pass `{name}` has the flag `{flag}`; its stem gives `helion-{kebab(stem)}`"
    if not tree.exists(path.parent / f"{stem}.cpp"):
        yield f"pass `{name}` has no file `{path.parent / f'{stem}.cpp'}`"
    test = f"test/{path.parent}/{kebab(stem)}.mlir"
    if not tree.exists(test):
        yield f"pass `{name}` has no test `{test}`"


def check(tree):
    for path in tree.ending(".td"):
        if path.name != "Passes.td":
            continue
        try:
            found = passes_of(tree, path)
        except ValueError as error:
            yield path, 1, f"llvm-tblgen: {error}"
            continue
        for name, flag in found.items():
            for text in check_pass(tree, path, name, flag):
                yield path, line_of(tree, path, name), text


if __name__ == "__main__":
    run(check, __doc__)
