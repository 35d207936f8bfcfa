#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a kernel for every statement of a list; each must be refused as the line below it says (`=> MARKED|message`).

Use: check-statements.py LIST SCRATCH [--write]
Example: check-statements.py test/dialect/Frontend/Inputs/error-statements.txt /tmp/statements
"""
import pathlib
import subprocess
import sys

HEAD = """import math
import torch
import helion
import helion.language as hl

@helion.kernel()
def kernel(x, ids, n, eps):
    out = torch.empty_like(x)
"""
LOOP = "    for tile in hl.tile(x.size(0)):\n"
ARGUMENTS = "x=f32[?,?] ids=i32[?] n=i64 eps=f32"


def kernel_text(place, statement):
    if place == "[host]":
        return f"{HEAD}    {statement}\n{LOOP}        out[tile, :] = x[tile, :]\n    return out\n"
    return f"{HEAD}{LOOP}        {statement}\n    return out\n"


def refusal(path, text):
    path.write_text(text)
    command = ["helion-translate", "--import-helion", str(path), "--args", ARGUMENTS]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stderr.split("\n")
    if done.returncode != 1 or done.stdout or len(lines) != 4:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    name, line, column, message = lines[0].split(":", 3)
    caret = lines[2].lstrip()
    begin = int(column) - 1
    if lines[1] != text.split("\n")[int(line) - 1] or lines[2] != " " * begin + caret or name != str(path):
        return f"the error is not at its place: {done.stderr.strip()}"
    return f"{lines[1][begin:begin + len(caret)]}|{message.removeprefix(' error: ')}"


def main(path, scratch, write):
    scratch.mkdir(parents=True, exist_ok=True)
    place, problems, count, out = "", 0, 0, []
    lines = [line for line in path.read_text().split("\n") if line]
    for i, line in enumerate(lines):
        if line.startswith("=> "):
            continue
        out.append(line)
        if line.startswith(("#", "[host]", "[device]")):
            place = line
            continue
        count += 1
        seen = refusal(scratch / "kernel.py", kernel_text(place, line))
        out.append(f"=> {seen}")
        expected = lines[i + 1] if i + 1 < len(lines) else ""
        if expected != f"=> {seen}" and not write:
            problems += 1
            print(f"{line}\n  expected {expected}\n  but saw  => {seen}")
    if write:
        path.write_text("\n".join(out) + "\n")
    print(f"{count} statements, {problems} problems")
    return 1 if problems or not count else 0


sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "--write" in sys.argv))
