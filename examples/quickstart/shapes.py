#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the shapes of a report of helion-aot --json as examples/quickstart/main.cpp reads them, and one more shape; what
the report says of all goes to stderr.

Use: shapes.py REPORT.json M K N
Example: shapes.py report.json 200 150 90
"""
import json
import sys

report = json.load(open(sys.argv[1]))
print(f"{report['kernel']} on {report['target']}: {report['goal']} <= {report['threshold']} is {report['verdict']}, "
      f"against the best of {report['pool']} artifacts", file=sys.stderr)
for signature in report["signatures"]:
    for row in signature["rows"]:
        (m, k), (_, n) = row["args"]["x"]["shape"], row["args"]["y"]["shape"]
        print(m, k, n, row["config_id"], f"{row['time_ns']['median'] / 1e3:.2f}", f"{row['slowdown']['median']:.3f}",
              row["verdict"])
print(*sys.argv[2:5], "- - - -")
