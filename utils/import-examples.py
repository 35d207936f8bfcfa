#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports every kernel of the examples of a Helion checkout, and says which import and what the others miss.

Reads each `examples/*.py` as text (nothing of it is run), finds the functions that a kernel decorator stands over, and gives each to
`helion-translate --import-helion` with its signature of utils/import-examples.txt, then to `helion-opt --helion-normalize`. Prints a
table as Markdown, and what is missing by count: the place and the text of the first error of each kernel.

Use: utils/import-examples.py CHECKOUT [--tools build/bin] [--signatures FILE]
Example: utils/import-examples.py ../helion
"""
import argparse
import ast
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def kernels_in(file):
    """Functions at the file's top level with a decorator that names a kernel."""
    for statement in ast.parse(file.read_text()).body:
        if isinstance(statement, ast.FunctionDef) and any("kernel" in ast.unparse(mark) for mark in statement.decorator_list):
            yield statement.name


def signatures_in(file):
    """(file, kernel) -> signature text."""
    rows = (line.split(maxsplit=2) for line in file.read_text().splitlines() if line and not line.startswith("#"))
    return {(row[0], row[1]): row[2] if len(row) > 2 else "" for row in rows}


def first_error(text):
    """Line of the source and message of the first error."""
    for line in text.splitlines():
        if "error: " in line:
            place, message = line.split("error: ", 1)
            number = re.search(r":(\d+):\d+: $", place)
            return (number.group(1) if number else "-"), message
    return "-", "no message"


def attempt(tools, file, kernel, signature):
    """`None` if the kernel imports and normalizes; else the line and what was said."""
    if signature is None:
        return "-", "no signature in the table"
    done = subprocess.run([str(tools / "helion-translate"), "--import-helion", str(file), "--kernel", kernel, "--args", signature],
                          capture_output=True, text=True)
    if done.returncode:
        return first_error(done.stderr)
    done = subprocess.run([str(tools / "helion-opt"), "--helion-normalize", "-", "-o", "/dev/null"], input=done.stdout,
                          capture_output=True, text=True)
    return first_error(done.stderr) if done.returncode else None


def without_names(message):
    """The message with dims, sizes and names of the kernel taken out, so that equal constructs count as one."""
    return re.sub(r"`[^`]*@[^`]*`|\[[^\]]*\]", "..", message)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, help="folder of a Helion checkout")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--signatures", type=pathlib.Path, default=ROOT / "utils/import-examples.txt")
    options = parser.parse_args()
    files = sorted(options.checkout.glob("examples/*.py"))
    if not files:
        print(f"import-examples.py: `{options.checkout}` has no examples/*.py", file=sys.stderr)
        return 1
    signatures = signatures_in(options.signatures)
    tasks = [(file, kernel) for file in files for kernel in kernels_in(file)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda task: attempt(options.tools, *task, signatures.get((task[0].name, task[1]))), tasks)
        answers = list(answers)
    print("| kernel | file | line | what is missing |\n|---|---|---|---|")
    missing = collections.Counter()
    for (file, kernel), answer in zip(tasks, answers):
        line, message = answer or ("", "imports")
        print(f"| `{kernel}` | {file.name} | {line} | {message} |")
        if answer:
            missing[without_names(message)] += 1
    print(f"\n{answers.count(None)} of {len(tasks)} kernels import.\n\n| count | what is missing |\n|---|---|")
    for message, count in missing.most_common():
        print(f"| {count} | {message} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
