# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluation with a compiler that never ends: Ctrl-C and the budget end it, and all that it started.

Use: hanging-build.py FOLDER COMPILER KERNEL CORPUS
"""
import os
import shutil
import signal
import subprocess
import sys
import time

folder, compiler, kernel, corpus = sys.argv[1:]
MARK = os.path.join(os.path.abspath(folder), "hanging")
PACKAGE = os.path.join(folder, "out")


def aot(*flags):
    return subprocess.Popen(["helion-aot", kernel, "--corpus", corpus, "-o", PACKAGE, "--threads", "1", *flags], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "HANGING": MARK})


def processes():
    """Those that have our mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"HANGING={MARK}\0".encode() in file.read():
                    found.append(pid)
        except OSError:
            pass
    return found


def hang(*flags, send=None):
    process = aot("--phase", "evaluate", "--cxx", compiler, *flags)
    while send and not os.path.exists(MARK):
        if process.poll() is not None:
            sys.exit(f"the compiler was not asked: exit {process.returncode}: {process.stderr.read()}")
        time.sleep(0.01)
    if send:
        process.send_signal(send)
    out, err = process.communicate(timeout=120)
    began = "began" if os.path.exists(MARK) else "never began"
    deadline = time.time() + 20
    while processes() and time.time() < deadline:
        time.sleep(0.01)
    left = processes()
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)
    print(f"{began}, exit {process.returncode}, {len(left)} processes left: {err.strip()}")
    print("\n".join(line for line in out.splitlines() if "budget" in line), flush=True)
    os.remove(MARK)


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
process = aot("--pool", "2", "--cxx", "none", "--threshold", "1e9")
out, err = process.communicate(timeout=300)
if process.returncode != 0:
    sys.exit(f"exit {process.returncode}: {out}{err}")
hang(send=signal.SIGINT)
hang(send=signal.SIGTERM)
hang("--budget-seconds", "15")
