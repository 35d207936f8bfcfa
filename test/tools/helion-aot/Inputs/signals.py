# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SIGINT and SIGTERM at random moments: exit 130 in good time, no process left, no file unfinished, and the run goes on. A signal
that comes when the package is there already changes nothing.

Use: signals.py FOLDER KERNEL CORPUS ROUNDS
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

folder, kernel, corpus, rounds = sys.argv[1:]
folder = os.path.abspath(folder)
TEMPORARY = os.path.join(folder, "tmp")


def start(name):
    return subprocess.Popen(["helion-aot", kernel, "--corpus", corpus, "-o", name, "--pool", "4", "--threads", "1", "--cxx", "none",
                             "--threshold", "1e9"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TMPDIR": TEMPORARY, "SIGNALS_TEST": name})


def processes(name):
    """Those that have the mark of this tuning in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"SIGNALS_TEST={name}\0".encode() in file.read():
                    found.append(pid)
        except OSError:
            pass
    return found


def unfinished():
    return [os.path.join(path, name) for path, below, files in os.walk(folder) for name in below + files
            if re.search(r"\.tmp$|\.partial|\.helion-new|^helion-", name)]


def whole(name):
    process = start(name)
    begin = time.time()
    text = process.communicate(timeout=300)
    if process.returncode != 0:
        sys.exit(f"{name}: exit {process.returncode}: {text}")
    return time.time() - begin


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(TEMPORARY)
duration = whole(os.path.join(folder, "whole"))
early = late = 0
for seed in range(int(rounds)):
    chance = random.Random(seed)
    name = os.path.join(folder, str(seed))
    process = start(name)
    time.sleep(chance.uniform(0.02, 1) * duration)
    number = chance.choice([signal.SIGINT, signal.SIGTERM])
    sent = time.time()
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    patience = time.time() - sent
    what = f"seed {seed}, {number.name}"
    if process.returncode == 0 and os.path.exists(os.path.join(name, "vector_add.tuned.jsonl")) and "package: " in out:
        late += 1
    elif process.returncode == 130 and err == "helion-aot: interrupted\n" and not out and not os.path.exists(name):
        early += 1
    else:
        sys.exit(f"{what}: exit {process.returncode}: {out}{err}")
    if patience > 20:
        sys.exit(f"{what}: took {patience} s to end")
    if processes(name):
        sys.exit(f"{what}: processes {processes(name)} outlive it")
    if unfinished():
        sys.exit(f"{what}: left {unfinished()}")
    whole(name)
print(f"{early} interrupted, {late} done before, all finished")
