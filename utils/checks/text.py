#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No left-over markers, no path of somebody's machine, no tab, no blank at a line's end, a newline at a file's end.

Recorded inputs of tests (folders named Inputs) may hold what they recorded; shell scripts may use a temporary folder.
Use: utils/checks/text.py [--root DIR] [--fix]      (--fix mends blanks at line ends and the last newline)
Example: utils/checks/text.py --fix
"""
import re

from tree import run

# Put together from parts, so that this file does not report itself.
MARKERS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
MACHINE = re.compile(r"(?<![\w.$}/-])/(?:work|root|tmp|home|Users)/[\w.$-]*")


def sources(tree):
    for path in tree.files:
        text = None if "Inputs" in path.parts else tree.text(path)
        if text:
            yield path, text


def check(tree):
    for path, text in sources(tree):
        lines = text.split("\n")
        if lines[-1]:
            yield path, len(lines), "no newline at the end of the file"
        for number, line in enumerate(lines, 1):
            yield from ((path, number, problem) for problem in problems(path, line))


def problems(path, line):
    if "\t" in line:
        yield "tab"
    if line != line.rstrip():
        yield "blank at the end of the line"
    marker = MARKERS.search(line)
    if marker:
        yield f"marker `{marker.group(0)}`; do it or leave it out"
    machine = MACHINE.search(line)
    if machine and not (path.suffix == ".sh" and "mktemp" in line):
        yield f"path of one machine `{machine.group(0)}`"


def fix(tree):
    for path, text in sources(tree):
        lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
        mended = "\n".join(lines) + "\n"
        if mended != text:
            (tree.root / path).write_text(mended)


if __name__ == "__main__":
    run(check, __doc__, fix)
