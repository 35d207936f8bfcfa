# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A worker behind a log: each request and each answer is appended to LOG before it goes on, after a line with the pid.

Use: log-worker.py LOG WORKER
"""
import os
import subprocess
import sys

log, worker = sys.argv[1:]
process = subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
with open(log, "a") as file:
    file.write(f"# {os.getpid()}\n")
for line in sys.stdin:
    with open(log, "a") as file:
        file.write("> " + line)
    process.stdin.write(line)
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        sys.exit(process.wait())
    with open(log, "a") as file:
        file.write("< " + answer)
    print(answer, end="", flush=True)
