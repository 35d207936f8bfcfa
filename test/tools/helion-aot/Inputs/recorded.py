# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes what a tuned file says of times. `faster`: all are a millionth. `first`: as version 1 wrote it, with the anchor's times
as those of the universal variant. `none`: no time but the best's.

Use: recorded.py FILE faster|first|none
"""
import json
import sys

path, how = sys.argv[1:]
records = [json.loads(line) for line in open(path)]
universal = [str(record["variant"]) for record in records if record.get("universal")][0]
for record in records:
    if record["record"] == "header" and how == "first":
        record["version"] = 1
    if record["record"] == "signature" and how == "first":
        anchor = record.pop("anchor")
    if record["record"] == "variant" and str(record["variant"]) == universal and how == "first":
        record["artifact"] = anchor
    if record["record"] == "row":
        if how == "faster":
            for times in [record["best"], record["anchor"], *record["variants"].values()]:
                times.update({end: times[end] / 1e6 for end in times})
        if how == "first":
            record["variants"][universal] = record["anchor"]
        if how == "none":
            record["variants"] = {}
        if how != "faster":
            del record["anchor"]
with open(path, "w") as file:
    file.writelines(json.dumps(record) + "\n" for record in records)
