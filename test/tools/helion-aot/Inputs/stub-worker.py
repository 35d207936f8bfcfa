# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real worker with one fault: the first N requests of an op, for some artifacts, fail in some way.

Faults: crash, garbage, wrong-id, hang (no answer), half (half a line, then nothing), deaf (reads no more; what is asked
then does not arrive), deep (brackets that never close), flood (an endless line). Each fault leaves a file in FOLDER.
SPARED is an artifact that nothing happens to, or `-`. While one hangs, its pid is in FOLDER.hangs. The real worker is given
all the time that it wants.
Use: stub-worker.py FAULT OP TIMES FOLDER SPARED WORKER
"""
import json
import os
import subprocess
import sys
import time

fault, op, times, folder, spared, worker = sys.argv[1:]
process = subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
SAID = {"garbage": "what?\n", "wrong-id": '{"id":-1,"ok":true}\n', "half": '{"id":', "deep": "[" * 10_000_000 + "\n"}
for line in sys.stdin:
    request = json.loads(line)
    seen = len(os.listdir(folder))
    if request["op"] == op and seen < int(times) and request.get("artifact") != spared:
        with open(os.path.join(folder, str(seen)), "w") as file:
            file.write(line)
        if fault == "crash":
            process.kill()
            os.kill(os.getpid(), 11)
        print(SAID.get(fault, ""), end="", flush=True)
        if fault in ("hang", "half", "deaf"):
            with open(folder + ".new", "w") as file:
                file.write(str(os.getpid()))
            os.rename(folder + ".new", folder + ".hangs")
            time.sleep(3600)
        while fault == "flood":
            print("x" * 1_000_000, end="", flush=True)
        continue
    if "deadline_ms" in request:
        request["deadline_ms"] = 3_600_000
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        sys.exit(process.wait())
    print(answer, end="", flush=True)
