# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A journal with other times, as of a device on which whole slices are the best where they hold a row, and chunks the better the
nearer they are to 2048 lanes. Then what was made of it.

Use: beyond.py record JOURNAL
     beyond.py check JOURNAL TUNED SOURCE   prints how far the config for calls beyond the rows is from 2048 lanes, and what runs behind what
"""
import json
import math
import re
import sqlite3
import sys


def packed(nanoseconds):
    """As the journal packs one time: picoseconds in groups of 7 bits."""
    value, out = round(nanoseconds * 1000), bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def chunk_of(config):
    found = re.search(r"reduction_loops=slice\.n=(\d+)", config)
    return int(found[1]) if found else None


def time_of(config):
    if chunk := chunk_of(config):
        return 20000 + 5000 * abs(math.log2(chunk) - 11)
    found = re.search(r"\brn=(\d+)", config)
    return 10 * int(found[1] if found else 1024)  # The knob's default.


def configs_of(journal):
    return dict(journal.execute("SELECT artifact.id, min(config) FROM compile JOIN artifact ON artifact.hash = compile.artifact "
                                "GROUP BY artifact.id"))


def record(path):
    journal = sqlite3.connect(path)
    for artifact, config in configs_of(journal).items():
        time = time_of(config)
        journal.execute("UPDATE sample SET times = ?, median = ? WHERE artifact = ?", (packed(time), time, artifact))
    journal.commit()


def check(path, tuned, source):
    chunks = {chunk_of(config) for config in configs_of(sqlite3.connect(path)).values()} - {None}
    variants = [record for record in map(json.loads, open(tuned)) if record["record"] == "variant"]
    beyond = [variant for variant in variants if variant.get("beyond")]
    distance = min(abs(math.log2(chunk) - 11) for chunk in chunks)
    print(f"{len(beyond)} for calls beyond, of the best chunk: {[abs(math.log2(chunk_of(it['config'])) - 11) == distance for it in beyond]}")
    print(f"served there: {sorted({bool(chunk_of(it['config'])) for it in variants if it.get('reaches')})}, "
          f"ended before: {sorted({bool(chunk_of(it['config'])) for it in variants if not it.get('reaches')})}")
    text = open(source).read()
    config_of = dict(re.findall(r"(CONFIG_\w+) =\s*\d+, // (.*)", text))
    for order in re.findall(r"const int after_\d+\[\] = \{([^}]*)\}", text):
        chunks = [chunk_of(config_of[name]) for name in re.findall(r"CONFIG_\w+", order)]
        behind = [chunk for chunk in chunks[1:] if chunk]
        print(f"whole first: {chunks[0] is None}, then chunks of the best first: {behind[:1] == [chunk_of(beyond[0]['config'])]}")


globals()[sys.argv[1]](*sys.argv[2:])
