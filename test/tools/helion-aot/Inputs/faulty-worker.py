# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes with a worker that has a fault, once and twice in a row, and says what became of the candidates.

One fault is forgiven: the fresh worker answers, and nobody is blamed. Two in a row are the candidate's, and the run goes on
with the others. The universal config is spared: without it nothing can be compared. The clock of helion-aot stands still but
where a worker hangs, so none is late by chance.
Use: faulty-worker.py FOLDER STUB CLOCK KERNEL CORPUS
"""
import os
import shutil
import sqlite3
import subprocess
import sys

folder, stub, clock, kernel, corpus = sys.argv[1:]
CASES = [("crash", "run", 1), ("crash", "time", 1), ("crash", "load", 1), ("crash", "case", 1), ("crash", "free", 1),
         ("garbage", "run", 1), ("wrong-id", "time", 1), ("deep", "run", 1), ("hang", "run", 1), ("half", "time", 1),
         ("hang", "load", 1), ("crash", "run", 2), ("garbage", "run", 2), ("hang", "run", 2), ("half", "time", 2)]


def tune(name, *flags):
    return subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", name, "--pool", "4", "--threads", "1", "--cxx", "none",
                           "--answer-seconds", "1", *flags], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "LD_PRELOAD": clock, "HANG_CLOCK": os.path.abspath(name) + ".marks.hangs"})


def journal(name, query):
    return sqlite3.connect(name + ".run/journal.sqlite").execute(query).fetchall()


def anchor():
    """The artifact of the universal config."""
    name = os.path.join(folder, "good")
    tune(name)
    return journal(name, "SELECT DISTINCT hash FROM sample JOIN artifact ON artifact.id=sample.artifact WHERE anchor")[0][0]


def with_fault(fault, op, times, spared):
    name = os.path.join(folder, f"{fault}-{op}-{times}")
    marks = name + ".marks"
    os.makedirs(marks)
    done = tune(name, "--worker", f"{sys.executable} {stub} {fault} {op} {times} {marks} {spared} "
                                  f"{shutil.which('helion-worker')}")
    blamed = journal(name, "SELECT message FROM verdict WHERE verdict != 0")
    code = "0 or 3" if done.returncode in (0, 3) else done.returncode
    package = "a package" if os.path.exists(os.path.join(name, "vector_add.tuned.jsonl")) else "no package"
    print(f"{fault} in {op}, {times} times: exit {code}, {package}, {len(os.listdir(marks))} faults, "
          f"{len(blamed)} blamed{': ' + blamed[0][0] if blamed else ''}", flush=True)
    if done.returncode not in (0, 3):
        print(done.stderr)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
spared = anchor()
for case in CASES:
    with_fault(*case, spared)
