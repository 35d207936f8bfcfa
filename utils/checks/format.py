#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ sources are what clang-format-22 makes of them with .clang-format.

Use: utils/checks/format.py [--root DIR] [--fix]
Example: utils/checks/format.py --fix
"""
import re
import subprocess

from tree import run

FORMATTER = "/usr/lib/llvm-22/bin/clang-format"
WARNING = re.compile(r"^(.*?):(\d+):\d+: (?:error|warning): ")


def sources(tree):
    return [str(path) for path in tree.ending(".cpp", ".h", ".c") if "Inputs" not in path.parts]


def clang_format(tree, *options):
    files = sources(tree)
    if not files:
        return []
    done = subprocess.run([FORMATTER, *options, *files], cwd=tree.root, capture_output=True, text=True)
    return done.stderr.split("\n")


def check(tree):
    first = {}
    for line in clang_format(tree, "--dry-run"):
        match = WARNING.match(line)
        if match:
            first.setdefault(match.group(1), int(match.group(2)))
    for path, line in first.items():
        yield path, line, "not as clang-format-22 writes it; utils/checks/format.py --fix mends it"


if __name__ == "__main__":
    run(check, __doc__, lambda tree: clang_format(tree, "-i"))
