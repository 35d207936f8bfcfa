# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SIGINT and SIGTERM after every so many system calls: exit 130, no process left, no file unfinished, and the run goes on. A signal
that comes when the package is there already changes nothing.

A preloaded library counts the calls and sends the signal; times are a log-worker's, so that tunings are alike.
Use: signals.py FOLDER KERNEL CORPUS LIBRARY LOG_WORKER ROUNDS
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

folder, kernel, corpus, library, log_worker, rounds = sys.argv[1:]
folder = os.path.abspath(folder)
TEMPORARY = os.path.join(folder, "tmp")


def run(name, preload=()):
    worker = " ".join([sys.executable, log_worker, name + ".log", shutil.which("helion-worker")])
    return subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", name, "--pool", "4", "--threads", "1", "--cxx", "none",
                           "--threshold", "1e9", "--worker", worker], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "TMPDIR": TEMPORARY, "SIGNALS_TEST": name, **dict(preload)})


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


def whole(name, preload=()):
    done = run(name, preload)
    if done.returncode != 0:
        sys.exit(f"{name}: exit {done.returncode}: {done.stdout}{done.stderr}")


def all_ended(name):
    """What was killed may take a moment to be gone."""
    deadline = time.time() + 60
    while processes(name) and time.time() < deadline:
        time.sleep(0.01)
    return not processes(name)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(TEMPORARY)
total = os.path.join(folder, "total")
whole(os.path.join(folder, "whole"), {"LD_PRELOAD": library, "SIGNAL_AT": "0", "SIGNAL_TOTAL": total})
calls = int(open(total).read())
early = late = 0
for point in range(int(rounds)):
    at = 1 + calls * point // int(rounds)
    number = [signal.SIGINT, signal.SIGTERM][point % 2]
    name = os.path.join(folder, str(at))
    done = run(name, {"LD_PRELOAD": library, "SIGNAL_AT": str(at), "SIGNAL_NUMBER": str(int(number))})
    what = f"call {at} of {calls}, {number.name}"
    if done.returncode == 0 and os.path.exists(os.path.join(name, "vector_add.tuned.jsonl")) and "package: " in done.stdout:
        late += 1
    elif done.returncode == 130 and done.stderr == "helion-aot: interrupted\n" and not done.stdout and not os.path.exists(name):
        early += 1
    else:
        sys.exit(f"{what}: exit {done.returncode}: {done.stdout}{done.stderr}")
    if not all_ended(name):
        sys.exit(f"{what}: processes {processes(name)} outlive it")
    if unfinished():
        sys.exit(f"{what}: left {unfinished()}")
    whole(name)
print(f"{early} interrupted, {late} done before, all finished")
