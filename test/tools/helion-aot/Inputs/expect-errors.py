# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs helion-aot on each case of a table: exit code, the one line on stderr, and nothing changed in -o and run dir.

A case is `name | exit | message (a regular expression) | arguments`; `@FILE NAME` .. `@END` blocks write files first.
In arguments, DIR is the folder of these files, OUT and RUN are folders with a file in each.
Use: expect-errors.py TABLE FOLDER
"""
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys


def tree_hash(folder):
    digest = hashlib.sha256()
    for path, folders, files in sorted(os.walk(folder)):
        folders.sort()
        digest.update(repr((path, sorted(folders))).encode())
        for name in sorted(files):
            with open(os.path.join(path, name), "rb") as file:
                digest.update(name.encode() + file.read())
    return digest.hexdigest()


def read_table(table, folder):
    cases, target = [], None
    for line in open(table):
        if line.startswith("@FILE "):
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
    words = [word.replace("DIR", folder).replace("OUT", out).replace("RUN", run) for word in shlex.split(arguments)]
    done = subprocess.run(["helion-aot"] + words, capture_output=True, text=True, timeout=120, cwd=folder)
    first = done.stderr.split("\n")[0]
    problems = []
    if done.returncode != int(code):
        problems.append(f"exit {done.returncode} instead of {code}")
    if not re.search(message, first):
        problems.append(f"message {first!r} does not match {message!r}")
    if before != [tree_hash(out), tree_hash(run)]:
        problems.append("output or run directory changed")
    if done.stdout:
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
