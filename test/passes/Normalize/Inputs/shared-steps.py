#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a file with each line `// STEPS TYPE` replaced by steps v = v * (x - v), from %v0 to %last, where x is %v0.

Use: shared-steps.py COUNT FILE
Example: shared-steps.py 40 test/passes/Normalize/split-lanes-shared.mlir
"""
import pathlib
import sys


def steps(count, kind):
    for i in range(count):
        yield f"%d{i} = arith.subf %v0, %v{i} : {kind}"
        yield f"%{'last' if i + 1 == count else f'v{i + 1}'} = arith.mulf %v{i}, %d{i} : {kind}"


for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
    words = line.split()
    print("\n".join(steps(int(sys.argv[1]), words[2])) if words[:2] == ["//", "STEPS"] else line)
