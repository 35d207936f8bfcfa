#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends each line of a script to helion-worker and prints the answers.

Use: ask.py SCRIPT [NAME=VALUE ...]     replaces @NAME@ in the script; lines that start with # are comments
`outputs` with data are printed as numbers (f32). The last line printed is the worker's exit status.
"""
import base64
import json
import struct
import subprocess
import sys


def floats(data):
    raw = base64.b64decode(data)
    return [float(value) for value in struct.unpack(f"<{len(raw) // 4}f", raw)]


script = open(sys.argv[1]).read()
for pair in sys.argv[2:]:
    name, value = pair.split("=", 1)
    script = script.replace(f"@{name}@", value)
lines = [line for line in script.splitlines() if line and not line.startswith("#")]
worker = subprocess.run(["helion-worker"], input="\n".join(lines) + "\n", capture_output=True, text=True)
for line in worker.stdout.splitlines():
    answer = json.loads(line)
    for output in answer.get("outputs", []):
        if "data" in output:
            output["data"] = floats(output["data"])
    print(json.dumps(answer, sort_keys=True))
sys.stderr.write(worker.stderr)
print("exit status", worker.returncode)
