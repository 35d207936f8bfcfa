#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports every kernel of a folder, each of which must be refused exactly as its head says.

A file begins with comments: `# args:` the signature, `# kernel:` the name if one is passed, `# error: LINE:COLUMN MARKED|message`,
where MARKED is the text over the caret and its tildes. `--args:COLUMN` in place of the line is an error in the signature.
The tool must exit with 1, print nothing on stdout and exactly that error on stderr.

Use: check-errors.py FOLDER [--show]
Example: check-errors.py test/dialect/Frontend/Inputs/errors
"""
import pathlib
import re
import subprocess
import sys

CARET = re.compile(r"[ \t]*(\^~*)")


def head_of(text):
    return dict(re.findall(r"^# (args|kernel|error): ?(.*)$", text, re.M))


def run(path, head):
    command = ["helion-translate", "--import-helion", str(path), "--args", head["args"]]
    if "kernel" in head:
        command += ["--kernel", head["kernel"]]
    return subprocess.run(command, capture_output=True, text=True)


def describe(path, head, result):
    """The error as the head of a file would say it, or what is wrong with its shape."""
    lines = result.stderr.split("\n")
    if result.returncode != 1 or result.stdout:
        return f"exit code {result.returncode}, {len(result.stdout)} bytes on stdout: {result.stderr.strip()}"
    if len(lines) != 4 or lines[3]:
        return f"stderr is not an error, its line and a caret: {result.stderr!r}"
    found = re.match(r"(.+?):(\d+):(\d+): error: (.*)$", lines[0])
    caret = CARET.fullmatch(lines[2])
    if not found or not caret:
        return f"no error with a place and a caret: {result.stderr!r}"
    name, line, column, message = found.groups()
    source = head["args"] if name == "--args" else path.read_text().split("\n")[int(line) - 1]
    if lines[1] != source or caret.start(1) != int(column) - 1:
        return f"the caret or the line shown is not at {line}:{column}: {result.stderr!r}"
    if name not in ("--args", str(path)):
        return f"another file is named: {lines[0]}"
    place = f"--args:{column}" if name == "--args" else f"{line}:{column}"
    return f"{place} {source[caret.start(1):caret.end(1)]}|{message}"


def main(folder, show):
    failures = 0
    paths = sorted(pathlib.Path(folder).glob("*.py"))
    for path in paths:
        head = head_of(path.read_text())
        seen = describe(path, head, run(path, head))
        if show:
            print(f"{path.name}: {seen}")
        elif seen != head["error"]:
            failures += 1
            print(f"{path}: expected {head['error']}\n{' ' * len(str(path))}  but saw {seen}")
    print(f"{len(paths) - failures} of {len(paths)} errors as written")
    return 1 if failures or not paths else 0


sys.exit(main(sys.argv[1], "--show" in sys.argv[2:]))
