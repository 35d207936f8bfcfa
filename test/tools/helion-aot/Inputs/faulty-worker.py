# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes with a worker that has a fault, once and twice in a row, and says what became of the candidates.

One fault is forgiven: the fresh worker answers, and nobody is blamed. Two in a row are the candidate's.
Use: faulty-worker.py FOLDER STUB KERNEL CORPUS
"""
import os
import shutil
import sqlite3
import subprocess
import sys

folder, stub, kernel, corpus = sys.argv[1:]


def tune(fault, op, times):
    name = os.path.join(folder, f"{fault}-{op}-{times}")
    marks, out = name + ".marks", name
    os.makedirs(marks)
    worker = f"{sys.executable} {stub} {fault} {op} {times} {marks} {shutil.which('helion-worker')}"
    done = subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--pool", "4", "--threads", "1",
                           "--worker", worker], capture_output=True, text=True, timeout=300)
    journal = sqlite3.connect(out + ".run/journal.sqlite")
    bad = journal.execute("SELECT count(*), max(message) FROM verdict WHERE verdict != 0").fetchone()
    print(f"{fault} in {op}, {times} times: exit {'0 or 3' if done.returncode in (0, 3) else done.returncode}, "
          f"{bad[0]} blamed{': ' + bad[1] if bad[0] else ''}")
    if done.returncode not in (0, 3):
        print(done.stderr)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
for fault, op, times in [("crash", "run", 1), ("crash", "time", 1), ("garbage", "run", 1), ("wrong-id", "time", 1),
                         ("crash", "load", 1), ("crash", "case", 1), ("crash", "run", 2)]:
    tune(fault, op, times)
