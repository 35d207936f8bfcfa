# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run directories that cannot be used: in use, not a folder, a disk that is full (a limit on the size of files).

Use: run-directory.py FOLDER KERNEL CORPUS
"""
import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys

folder, kernel, corpus = sys.argv[1:]


def tune(what, out, run, *flags, limit=None):
    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    before = sorted(os.listdir(out)) if os.path.exists(out) else None
    done = subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--run-dir", run, "--pool", "4",
                           "--threads", "1", *flags], capture_output=True, text=True, preexec_fn=limited if limit else None)
    after = sorted(os.listdir(out)) if os.path.exists(out) else None
    lines = done.stderr.rstrip().split("\n")
    print(f"{what}: exit {done.returncode}, {len(lines)} line, output {'as before' if before == after else 'changed'}: "
          f"{lines[0].replace(folder, 'FOLDER')}")


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run, out = os.path.join(folder, "run"), os.path.join(folder, "out")
os.makedirs(run)
with open(os.path.join(run, "lock"), "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    tune("in use", out, run)
with open(os.path.join(folder, "file"), "w") as file:
    file.write("no folder")
tune("not a folder", out, os.path.join(folder, "file", "run"))
tune("nothing collected", out, run, "--phase", "measure")
tune("nothing measured", out, run, "--phase", "build")
tune("full disk in collect", out, run, limit=40 << 10)
tune("budget", out, os.path.join(folder, "short"), "--gpu-seconds", "0.0001")
subprocess.run(["helion-aot", kernel, "--corpus", corpus, "-o", out, "--run-dir", run, "--pool", "4", "--threads", "1",
                "--phase", "collect"], check=True)
tune("budget for a part", os.path.join(folder, "part"), run, "--budget-seconds", "0.0001", "--threshold", "1e9")
tune("build alone", out, run, "--phase", "build", "--threshold", "1e9")
tune("from nothing but the tuned file", os.path.join(folder, "again"), os.path.join(folder, "unused"), "--phase",
     "build", "--from", os.path.join(out, "vector_add.tuned.jsonl"))
tune("evaluate", out, run, "--phase", "evaluate")


def missed(source, target):
    """The same tuning, had the pool's best been ten times as fast on every row, for a threshold of 1."""
    with open(source) as lines, open(target, "w") as out:
        for record in map(json.loads, lines):
            if record["record"] == "header":
                record["threshold"] = 1
            if record["record"] == "row":
                record["best"] = {key: time / 10 for key, time in record["best"].items()}
            out.write(json.dumps(record) + "\n")


missed(os.path.join(out, "vector_add.tuned.jsonl"), os.path.join(folder, "missed.tuned.jsonl"))
tune("strict", os.path.join(folder, "strict"), os.path.join(folder, "unused"), "--phase", "build", "--from",
     os.path.join(folder, "missed.tuned.jsonl"), "--strict")
