# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs helion-aot on each case of a table: exit code, what stderr begins with, and nothing changed in -o and run dir.

A case is `name | exit | message | arguments`; the message is a regular expression for stderr after `helion-aot: `, where
files are named without their folder and `.*` may go over lines. `@FILE NAME` .. `@END` blocks write files first, `@FOLDER
NAME` makes a folder, `@REPEAT NAME N TEXT` a file of a text many times. In arguments, DIR is the folder of these files; -o
and --run-dir are folders with a file in each. A case whose exit is 0 or 3 is no error, and writes a package.
Use: expect-errors.py TABLE FOLDER
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

from tree_hash import tree_hash


def read_table(table, folder):
    cases, target = [], None
    for line in open(table):
        if line.startswith("@FOLDER "):
            os.makedirs(os.path.join(folder, line.split()[1]))
        elif line.startswith("@REPEAT "):
            _, name, times, text = line.rstrip("\n").split(" ", 3)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text * int(times))
        elif line.startswith("@FILE "):
            target = open(os.path.join(folder, line.split()[1]), "w")
        elif line.startswith("@END"):
            target.close()
            target = None
        elif target:
            target.write(line)
        elif line.strip() and not line.startswith("#"):
            cases.append([field.strip() for field in line.split(" | ")])
    return cases


def check(folder, name, code, message, arguments):
    out, run = os.path.join(folder, "out"), os.path.join(folder, "run")
    for path in (out, run):
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        with open(os.path.join(path, "kept"), "w") as file:
            file.write("as it was")
    before = [tree_hash(out), tree_hash(run)]
    words = [word.replace("DIR", folder) for word in shlex.split(arguments)] + ["-o", out, "--run-dir", run]
    if "NO-OUTPUT" in words:
        words = words[:words.index("NO-OUTPUT")]
    done = subprocess.run(["helion-aot"] + words, capture_output=True, text=True, timeout=120, cwd=folder)
    problems = []
    if done.returncode != int(code):
        problems.append(f"exit {done.returncode} instead of {code}")
    seen = done.stderr.replace(folder + "/", "")
    if not re.match("helion-aot: " + message if message != "-" else "$", seen, re.DOTALL):
        problems.append(f"message {seen[:500]!r} does not match {message!r}")
    if len(seen) > 1500:
        problems.append(f"message of {len(seen)} bytes")
    if (before != [tree_hash(out), tree_hash(run)]) != (code in ("0", "3")):
        problems.append("output or run directory changed")
    if bool(done.stdout) != (code in ("0", "3")):
        problems.append(f"stdout {done.stdout!r}")
    for problem in problems:
        print(f"{name}: {problem}")
    return not problems


def main():
    table, folder = sys.argv[1:]
    folder = os.path.abspath(folder)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    cases = read_table(table, folder)
    good = [check(folder, *case) for case in cases]
    print(f"{'all' if all(good) else sum(good)} {len(good)} cases as expected")
    sys.exit(not all(good))


main()
