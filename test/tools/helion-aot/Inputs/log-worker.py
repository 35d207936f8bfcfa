# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A worker behind a log: each request and each answer is appended to LOG before it goes on, after a line with the pids.

Times are replaced by ones that follow from case and artifact alone, so that two tunings decide alike. With OP and N, the
request after the N-th answer to OP kills the caller instead of being answered: all that was answered, it has dealt with.
Use: log-worker.py LOG WORKER [OP N]
"""
import json
import os
import signal
import subprocess
import sys
import zlib

log, worker = sys.argv[1:3]
kill_op, kill_after = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) > 3 else (None, 0)
caller = os.getppid()
process = subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def note(text):
    with open(log, "a") as file:
        file.write(text)


note(f"# {os.getpid()} {process.pid}\n")
answered = 0
for line in sys.stdin:
    note("> " + line)
    if kill_op and answered == kill_after:
        os.kill(caller, signal.SIGKILL)
        continue
    process.stdin.write(line)
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        sys.exit(process.wait())
    request, reply = json.loads(line), json.loads(answer)
    if "ns" in reply:
        steady = 1000 + zlib.crc32((request["case"] + request["artifact"]).encode()) % 1000
        reply["ns"] = [steady] * len(reply["ns"])
    answer = json.dumps(reply) + "\n"
    note("< " + answer)
    answered += request["op"] == kill_op
    print(answer, end="", flush=True)
process.stdin.close()
process.wait()
