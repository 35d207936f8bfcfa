# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills helion-aot with SIGKILL after some answered samples, lets it finish, and reads what the worker was asked.

Nothing that is in the journal is asked again: of each row and artifact, the gate's two runs are answered once (the check
that was in flight is lost, so one may be answered twice), and no sample is taken beyond what a run without a kill may
take. Anchors are taken in each session by design: the
artifact that opens the first sample of a row is one.
Use: kill-and-resume.py FOLDER LOG_WORKER KERNEL CORPUS
"""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import time

folder, log_worker, kernel, corpus = sys.argv[1:]
MOST_SAMPLES = 9  # Of one artifact on one row (aot-runner/Phases/Tuning.cpp).


def answered(log):
    """The requests that have an answer, in order. A line that is still being written is none."""
    requests, last = [], None
    for line in open(log) if os.path.exists(log) else []:
        if not line.endswith("\n"):
            break
        if line.startswith("> "):
            last = json.loads(line[2:])
        elif line.startswith("< ") and last:
            requests.append(last)
    return requests


def measured(log):
    return [r for r in answered(log) if r["op"] in ("run", "time")]


def workers_alive(log):
    return [line for line in open(log) if line.startswith("# ") and os.path.exists("/proc/" + line[2:].strip())]


def start(phase, out, log):
    worker = f"{sys.executable} {log_worker} {log} {shutil.which('helion-worker')}"
    return subprocess.Popen(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--pool", "4", "--phase", phase,
                             "--threads", "1", "--worker", worker], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def run(phase, out, log, kill_after=None, kill_with=signal.SIGKILL):
    process = start(phase, out, log)
    while kill_after is not None and process.poll() is None and len(measured(log)) < kill_after:
        time.sleep(0.002)
    if kill_after is not None and process.poll() is None:
        process.send_signal(kill_with)
    text = process.communicate()[0].decode()
    # A worker that lost its caller ends when it next reads.
    deadline = time.time() + 20
    while kill_with == signal.SIGKILL and workers_alive(log) and time.time() < deadline:
        time.sleep(0.01)
    if kill_after is None and process.returncode not in (0, 3):
        sys.exit(f"{phase}: exit {process.returncode}: {text}")
    return process.returncode


def check(requests, what):
    runs = collections.Counter((r["case"], r["artifact"], r["poison"]) for r in requests if r["op"] == "run")
    again = {(case, artifact) for (case, artifact, poison), count in runs.items() if count > 1}
    if len(again) > 1 or max(runs.values()) > 2:
        sys.exit(f"{what}: the gate asked again for {sorted(again)}")
    anchors = {}
    for r in requests:
        if r["op"] == "time":
            anchors.setdefault(r["case"], r["artifact"])
    times = collections.Counter((r["case"], r["artifact"]) for r in requests if r["op"] == "time")
    for (case, artifact), count in times.items():
        if count > MOST_SAMPLES and anchors[case] != artifact:
            sys.exit(f"{what}: {count} samples of {artifact} on {case}")

def interrupt():
    """Ctrl-C: exit 130, workers ended, and the run directory goes on."""
    name = os.path.join(folder, "interrupted")
    log = name + ".log"
    code = run("all", name, log, kill_after=5, kill_with=signal.SIGINT)
    alive = workers_alive(log)
    run("all", name, log)
    check(measured(log), "interrupted")
    print(f"interrupted: exit {code}, {len(alive)} workers alive, finished")


def main():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    whole = os.path.join(folder, "whole.log")
    out = os.path.join(folder, "whole")
    run("collect", out, whole)
    first = len(measured(whole))
    run("measure", out, whole)
    second = len(measured(whole)) - first
    kills = {"collect": [1, first // 2, first - 1], "measure": [1, second // 2, second - 1]}
    for phase in kills:
        for after in kills[phase]:
            name = os.path.join(folder, f"{phase}-{after}")
            log = name + ".log"
            if phase == "measure":
                run("collect", name, log)
            before = len(measured(log))
            code = run(phase, name, log, kill_after=before + after)
            kept = len(measured(log))
            run("all", name, log)
            check(measured(log), f"{phase} killed after {after}")
            print(f"{phase}: killed {'by signal' if code < 0 else 'too late'} after {kept - before} of its samples, finished")
    interrupt()


main()
