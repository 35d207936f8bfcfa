#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the calls of a report of helion-aot --json as examples/quickstart/Program.cpp reads them, and one more; what the
report says of all goes to stderr.

Use: shapes.py REPORT.json CALL     (CALL names the tensors in the order of the kernel's arguments)
Example: shapes.py report.json x=200x150,y=150x90
"""
import json
import sys

report = json.load(open(sys.argv[1]))
text = (f"{report['kernel']} on {report['target']}: {report['goal']} <= {report['threshold']} is {report['recorded_verdict']}, "
        f"against the best of {report['pool']} artifacts")
if report["verdict"] != report["recorded_verdict"]:
    rows = [row for signature in report["evaluation"]["signatures"] for row in signature["rows"] if row["verdict"] != "met"]
    text += f"; by the linked package, timed again: {report['verdict']}, {len(rows)} shapes not met, the worst at " + \
            f"{max((row['slowdown']['median'] for row in rows), default=1.0):.2f} (was the machine busy?)"
print(text, file=sys.stderr, flush=True)
extra = dict(tensor.split("=") for tensor in sys.argv[2].split(","))
for signature in report["signatures"]:
    for row in signature["rows"]:
        shapes = ("x".join(map(str, row["args"][name]["shape"])) for name in extra)
        print(",".join(shapes), f"{row['time_ns']['median'] / 1e3:.2f}",
              f"{row['slowdown']['median']:.3f}", row["verdict"])
print(",".join(extra.values()), "- - -")
