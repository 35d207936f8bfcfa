# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real worker with one fault: the first N requests of an op for which a marker file is missing fail in some way.

Use: stub-worker.py FAULT OP TIMES FOLDER WORKER; faults: crash, hang, garbage, wrong-id. Each fault leaves a file in FOLDER.
"""
import json
import os
import subprocess
import sys
import time

fault, op, times, folder, worker = sys.argv[1:]
process = subprocess.Popen([worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    seen = len(os.listdir(folder))
    if json.loads(line)["op"] == op and seen < int(times):
        open(os.path.join(folder, str(seen)), "w").close()
        if fault == "crash":
            process.kill()
            os.kill(os.getpid(), 11)
        if fault == "hang":
            time.sleep(3600)
        print("what?" if fault == "garbage" else '{"id":-1,"ok":true}', flush=True)
        continue
    process.stdin.write(line)
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        sys.exit(process.wait())
    print(answer, end="", flush=True)
