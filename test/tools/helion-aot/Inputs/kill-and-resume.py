# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills helion-aot with SIGKILL at some answers of a worker that logs, lets it finish, and compares what the worker was asked.

What a tuning asks is written as keys: `run` with case, artifact and poison; `time` with case, artifact and how many times
that was asked before. A tuning that was killed asks for the same keys as one that was not, each once. Anchors alone are
timed in each session anew, by design; which samples are anchors, the journal says, and it has one for each answer to
`time`. Requests that put a worker into its state (hello, load, case, free) follow the process.
Use: kill-and-resume.py FOLDER LOG_WORKER KERNEL CORPUS
"""
import collections
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

folder, log_worker, kernel, corpus = sys.argv[1:]


def answered(log):
    """The requests that have an answer, in order."""
    requests, last = [], None
    for line in open(log):
        if line.startswith("> "):
            last = json.loads(line[2:])
        elif line.startswith("< ") and last:
            requests.append(last)
            last = None
    return requests


def workers_alive(log):
    pids = [pid for line in open(log) if line.startswith("# ") for pid in line[2:].split()]
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


def run(phase, name, kill=()):
    log = name + ".log"
    worker = " ".join([sys.executable, log_worker, log, shutil.which("helion-worker"), *map(str, kill)])
    done = subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", name, "--pool", "4", "--phase", phase,
                           "--threads", "1", "--cxx", "none", "--worker", worker], capture_output=True, text=True, timeout=300)
    if done.returncode not in ([-signal.SIGKILL] if kill else [0, 3]):
        sys.exit(f"{phase} {kill}: exit {done.returncode}: {done.stderr}")
    deadline = time.time() + 20
    while workers_alive(log):
        if time.time() > deadline:
            sys.exit(f"{phase} {kill}: a worker outlives its caller")
        time.sleep(0.01)


def keys(name):
    """The keys that were answered, and how many anchors."""
    journal = sqlite3.connect(name + ".run/journal.sqlite")
    samples = iter(journal.execute(
        "SELECT hash, anchor FROM sample JOIN artifact ON artifact.id=sample.artifact "
        "JOIN session ON session.id=sample.session ORDER BY started, ordinal").fetchall())
    found, times, anchors = collections.Counter(), collections.Counter(), 0
    for request in answered(name + ".log"):
        what = (request.get("case"), request.get("artifact"))
        if request["op"] == "run":
            found["run", *what, request["poison"]] += 1
        if request["op"] == "time":
            artifact, anchor = next(samples, (None, None))
            if artifact != request["artifact"]:
                sys.exit(f"{name}: the journal has no sample for {request}")
            anchors += anchor
            if not anchor:
                found["time", *what, times[what]] += 1
                times[what] += 1
    if next(samples, None):
        sys.exit(f"{name}: the journal has a sample that nobody answered")
    return found, anchors


def tune(name, killed_phase=None, kill=()):
    for phase in ("collect", "measure"):
        if phase == killed_phase:
            run(phase, name, kill)
        run(phase, name)
    run("build", name)
    if not os.path.exists(os.path.join(name, "vector_add.tuned.jsonl")):
        sys.exit(f"{name}: no package")


def count(name, op):
    return sum(request["op"] == op for request in answered(name + ".log"))


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
whole, part = os.path.join(folder, "whole"), os.path.join(folder, "part")
tune(whole)
run("collect", part)
samples = {"collect": count(part, "time"), "measure": count(whole, "time") - count(part, "time")}
checks = count(part, "run")
wanted, wanted_anchors = keys(whole)
points = [(phase, "time", n) for phase in samples for n in (1, samples[phase] // 2, samples[phase] - 1)]
points += [("collect", "run", n) for n in (1, checks // 2, checks - 1)]
for phase, op, n in points:
    name = os.path.join(folder, f"{phase}-{op}-{n}")
    tune(name, phase, (op, n))
    got, anchors = keys(name)
    again = [key for key, times in got.items() if times > 1]
    if got != wanted:
        sys.exit(f"{phase} {op} {n}: asked again {again}, more {list(got - wanted)}, less {list(wanted - got)}")
    # A round that was cut in two has an anchor more at its new beginning, or none at its end when nothing else is missing.
    if abs(anchors - wanted_anchors) > 1:
        sys.exit(f"{phase} {op} {n}: {anchors} anchors instead of {wanted_anchors}")
    what = "samples" if op == "time" else "gate runs"
    print(f"{phase}: killed after {n} {what}, {len(again)} of {sum(got.values())} asked again, finished")
