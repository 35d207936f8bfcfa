#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts, for each row of a journal, the artifacts that are right and were timed there, by how they reduce: whole slices or
chunks. Then says what the tuned file tells of the pool.

Use: count-strategies.py JOURNAL TUNED
"""
import json
import sqlite3
import sys

journal = sqlite3.connect(sys.argv[1])
looped = {artifact: "reduction_loops" in config for artifact, config in
          journal.execute("SELECT artifact.id, min(config) FROM compile JOIN artifact ON artifact.hash = compile.artifact "
                          "GROUP BY artifact.id")}
rows = {}
for args, artifact in journal.execute(
        "SELECT DISTINCT case_.args, sample.artifact FROM sample JOIN case_ ON case_.id = sample.case_ JOIN verdict ON "
        "verdict.case_ = sample.case_ AND verdict.artifact = sample.artifact WHERE NOT sample.anchor AND verdict.verdict = 0"):
    shape = "x".join(map(str, json.loads(args)["args"]["x"]["shape"]))
    rows.setdefault(shape, [0, 0])[looped[artifact]] += 1
for shape, (whole, chunks) in sorted(rows.items()):
    print(f"{shape}: whole {'>= 10' if whole >= 10 else whole}, chunks {'>= 10' if chunks >= 10 else chunks}")
header = json.loads(open(sys.argv[2]).readline())
size, drawn = header["pool"], header["pool_random"]
print(f"pool {'>= 64' if size >= 64 else size}, random {'>= 32' if drawn >= 32 else drawn}, "
      f"whole space {header.get('pool_whole', False)}")
