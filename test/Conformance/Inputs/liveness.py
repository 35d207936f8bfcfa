# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every value of every knob makes another artifact than the default does, on the kernel that the table below names.

Use: liveness.py [--target cpu:x86-64-v3] [--jobs 2] [--work DIR] KNOBS.td ...
A knob without a row, a row without a knob, a value that changes nothing: each fails by name. So does a knob that no choice
of the row's kernel has.
"""
import argparse
import concurrent.futures
import dataclasses
import importlib.util
import json
import os
import pathlib
import sys

import conformance

ROOT = pathlib.Path(conformance.ROOT)


@dataclasses.dataclass
class Row:
    kernel: str
    example: str
    signature: str
    site: str
    base: dict = dataclasses.field(default_factory=dict)  # (knob, site) -> text, in both configs.
    more: tuple = ()  # Values between those that the search tries.
    target: str = ""  # Where the option's target has no such knob.


MATMUL = ("matmul", "matmul", "x=f32[?,?] y=f32[?,?]")
SOFTMAX = ("softmax", "softmax", "x=f32[?,?]")
WIDE = {("block_sizes", "bi"): "64", ("block_sizes", "bj"): "64"}
TALL = {("block_sizes", "bi"): "66", ("block_sizes", "bj"): "64"}
ROW = {("block_sizes", "bi"): "1"}  # So that the largest slice is legal.
STAGED = {("block_sizes", "bi"): "32", ("block_sizes", "bj"): "32", ("block_sizes", "bk"): "32"}
GROUPS = {("block_sizes", "bi"): "64", ("block_sizes", "bj"): "64", ("block_sizes", "bk"): "32", ("num_stages", "loop.k"): "3",
          ("copies", "loop.k"): "boxes"}
PERSISTENT = {("pid_type", "softmax"): "persistent_blocked"}
STAYS = PERSISTENT | {("block_sizes", "bi"): "1"}

# By the name of the record; a value must be alive on one of the rows.
ROWS = {
    "ReductionLoops": Row(*SOFTMAX, "slice.n", base=ROW),
    "LoopOrders": Row(*MATMUL, "loop.ij"),
    "BlockSizes": Row("vector_add", "vector_add", "x=f32[?] y=f32[?]", "bi", more=(3, 12, 48, 65535)),
    "SliceSizes": Row(*SOFTMAX, "rn", base=ROW, more=(24, 504, 12544, 13312)),
    "FlattenLoopsKnob": Row("embedding", "embedding", "ids=i64[?] w=f32[?,?]", "loop.ie"),
    "L2Groupings": Row(*MATMUL, "loop.ij", more=(3, 63)),
    "PidType": Row(*MATMUL, "matmul"),
    "NumSmMultiplier": Row(*SOFTMAX, "softmax", base=PERSISTENT),
    "RangeUnrollFactors": Row(*MATMUL, "loop.k"),
    "Indexing": Row("vector_add", "vector_add", "x=f32[?] y=f32[?]", "x.0", target="nvidia:sm_90a"),
    "LoadEvictionPolicies": Row("vector_add", "vector_add", "x=f32[?] y=f32[?]", "x.0", target="nvidia:sm_90a"),
    "StoreCacheModifiers": Row("vector_add", "vector_add", "x=f32[?] y=f32[?]", "out.0", target="nvidia:sm_90a"),
    "NumWarps": Row(*SOFTMAX, "softmax", base=ROW, target="nvidia:sm_90a"),
    "NumStages": Row("matmul", "matmul", "x=bf16[?,?] y=bf16[?,?]", "loop.k", base=STAGED, target="nvidia:sm_90a"),
    "Copies": Row("matmul", "matmul", "x=bf16[?,?] y=bf16[?,?]", "loop.k", base=STAGED | {("num_stages", "loop.k"): "3"},
                  target="nvidia:sm_90a"),
    "GridStages": Row("softmax", "softmax", "x=bf16[?,?]", "softmax", base=STAYS, target="nvidia:sm_90a"),
    "GridCopies": Row("softmax", "softmax", "x=bf16[?,?]", "softmax", base=STAYS | {("num_stages", "softmax"): "2"},
                      target="nvidia:sm_90a"),
    "Dots": Row("matmul", "matmul", "x=bf16[?,?] y=bf16[?,?]", "loop.k", base=GROUPS, target="nvidia:sm_90a"),
    "StaticRanges": Row("matmul", "matmul", "x=f32[?,40] y=f32[40,?]", "loop.k"),
    "StepVectors": Row(*SOFTMAX, "softmax"),
    "StreamStores": Row("vector_add", "vector_add", "x=f32[?] y=f32[?]", "out.0"),
    "RegisterTiles": [Row(*MATMUL, "dot.0", base=WIDE), Row(*MATMUL, "dot.0", base=TALL)],
}


def knob_records(files):
    """Record -> (knob's name, pass), as the tables in C++ have them."""
    path = ROOT / "utils" / "gen-knobs.py"
    spec = importlib.util.spec_from_file_location("gen_knobs", path)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    records = {}
    for file in files:
        for knob in generator.Records("/usr/lib/llvm-22/bin/llvm-tblgen", ROOT, file).knobs():
            records[knob["def"]] = (knob["name"], knob["pass"]["name"])
    return records


def text_of(value):
    return str(value).replace(" ", "").lower()


def config_with(default, passes, settings):
    """The default's text with settings put into the passes that take them. A flag is its bare site."""
    texts = []
    for text in conformance.split_outside(default, ",", "{}"):
        name, _, inner = text.partition("{")
        options = {}
        for option in filter(None, inner.rstrip("}").split(" ")):
            knob, _, entries = option.partition("=")
            named = {site for (other, site) in settings if other == knob}
            kept = [entry for entry in conformance.split_outside(entries, ",", "[]") if entry.partition("=")[0] not in named]
            options[knob] = kept
        for (knob, site), value in settings.items():
            if passes[knob] == name:
                options.setdefault(knob, []).append(site if value == "true" else f"{site}={value}")
        inner = " ".join(f"{knob}={','.join(sites)}" for knob, sites in sorted(options.items()) if sites)
        texts.append(f"{name}{{{inner}}}" if inner else name)
    return ",".join(texts)


class Examiner:
    def __init__(self, options, passes):
        self.options, self.passes, self.imported = options, passes, {}

    def target(self, row):
        return row.target or self.options.target

    def kernel(self, row):
        key = (row.kernel, row.signature, self.target(row))
        if key not in self.imported:
            path = os.path.join(self.options.work, f"{row.kernel}-{len(self.imported)}.mlir")
            source = str(ROOT / "examples" / row.example / (row.example + ".py"))
            conformance.tool("helion-translate", "--import-helion", source, "--kernel", row.kernel, "--args", row.signature,
                             "-o", path)
            conformance.tool("helion-opt", "--helion-normalize", path, "-o", path)
            self.imported[key] = (path, conformance.space_of(path, self.target(row)))
        return self.imported[key]

    def artifact(self, path, config, folder, target):
        folder = os.path.join(self.options.work, folder)
        conformance.tool("helion-translate", "--emit-artifact", folder, path, "--target", target, "--config", config)
        return conformance.artifact_name(folder)

    def dead_values(self, record, row, knob, pool):
        """Values of the knob that change nothing on the row's kernel."""
        path, space = self.kernel(row)
        choices = [choice for choice in space["choices"] if (choice["knob"], choice["site"]) == (knob, row.site)]
        if not choices:
            sys.exit(f"{record}: `{row.kernel}` has no `{knob}` at `{row.site}`")
        values = [text_of(value) for value in [*choices[0]["values"], *row.more]]
        default = text_of(choices[0]["default"])
        configs = {value: config_with(space["default"], self.passes, row.base | {(knob, row.site): value}) for value in values
                   if value != default}
        configs[default] = config_with(space["default"], self.passes, row.base)
        pending = {value: pool.submit(self.artifact, path, config, f"{record}-{number}", self.target(row))
                   for number, (value, config) in enumerate(configs.items())}
        names = {value: future.result() for value, future in pending.items()}
        distinct = len(set(names.values()))
        print(f"{record}: {len(names)} values of `{knob}` at `{row.site}` of {row.kernel}, {distinct} distinct artifacts", flush=True)
        return {value for value, name in names.items() if value != default and name == names[default]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cpu:x86-64-v3")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", default="liveness")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    records = knob_records(options.files)
    wrong = [f"{record}: no row says where it is alive" for record in sorted(records.keys() - ROWS.keys())]
    wrong += [f"{record}: no such knob" for record in sorted(ROWS.keys() - records.keys())]
    examiner = Examiner(options, {knob: name for knob, name in records.values()})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for record in sorted(records.keys() & ROWS.keys()):
            rows = ROWS[record] if isinstance(ROWS[record], list) else [ROWS[record]]
            dead = set.intersection(*(examiner.dead_values(record, row, records[record][0], pool) for row in rows))
            wrong += [f"{record}: `{value}` changes nothing" for value in sorted(dead)]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
