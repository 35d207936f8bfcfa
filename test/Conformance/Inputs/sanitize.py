#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's compute-sanitizer over one config of each kind of lowering, on a machine that has neither LLVM nor this tree.

Use: sanitize.py pack DIR [--target nvidia:sm_90a] [--draw 150] [--rounds 8] [--seed 1] [--kinds "KIND;.."]
         Here, with helion-opt and helion-translate on PATH. Draws configs, up to 8 times 150, until one's PTX has what a kind is about, and puts
         its artifact and these scripts into DIR; also faults to plant: the same PTX without its barriers or its waits.
     sanitize.py run DIR [--tools memcheck,racecheck] [--jobs 4] [--seconds 60] [--sanitizer PROGRAM] [--kinds ..]
         There, with Python, numpy and compute-sanitizer. Prints a table; status 1 where a tool found something, values are
         wrong, a call was never made, or a planted fault was not seen.
     sanitize.py call DIR KIND
         What runs under the tool: all calls of one kind that the code's facts allow, compared with numpy.
Buffers end where their elements do, so the tool sees an access behind them. Plans are told of a device with two multiprocessors,
so programs that stay have more than one block to do.
"""
import argparse
import concurrent.futures
import dataclasses
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("sanitize.py", "conformance.py", "cuda_artifact.py", "kernels.py")
LEAST_ELEMENTS = 2048  # Of the inputs of a call, so that several blocks and steps of loops run.
NO_TOOLKIT = os.path.join(os.sep, "nonexistent")  # Code is then PTX, which can be read.


@dataclasses.dataclass
class Kind:
    """What the PTX has and has not, as regular expressions, and what the config's text has and has not."""

    row: str
    has: tuple = ()
    lacks: tuple = ()
    says: tuple = ()
    silent: tuple = ()


ACROSS = (r"\bshfl\.sync", r"\bst\.shared", r"\bld\.shared", r"\bbar\.sync")
BOXES = (r"\bcp\.async\.bulk\.tensor", r"\bmbarrier\.try_wait")
GROUP = BOXES + (r"\bwgmma\.mma_async", r"\bwgmma\.wait_group")
RING = (r"\bcp\.async\.c[ag]\.", r"\bmma\.sync", r"\bldmatrix", r"\bbar\.sync")
KINDS = {
    "pointwise": Kind("vector_add:bf16", (r"\bld\.global\S*\.v4",), (r"\bbar\.sync",)),
    "gather": Kind("embedding:f32", (r"\bld\.global\S*\.v[24]",), (r"\bbar\.sync",)),
    "scatter": Kind("scatter_rows:f32", (r"\bst\.global\S*\.v[24]",)),
    "atomics": Kind("scatter_add:f32", (r"\b(atom|red)\.global(?s:.*)\b(atom|red)\.global",)),
    "reduction, persistent, in a warp": Kind("softmax:f32", (r"\bshfl\.sync",), (r"\bbar\.sync",), (), ("reduction_loops",)),
    "reduction, looped": Kind("softmax:f32", ACROSS, (), ("reduction_loops",)),
    "reduction, across warps in shared memory": Kind("softmax:bf16", ACROSS, (), (), ("reduction_loops",)),
    "reduction, the next rows in a ring": Kind("softmax:bf16", (r"\bcp\.async\.c[ag]\.", r"\bbar\.sync"), (), ("num_stages=softmax=",), ("copies",)),
    "reduction, the next rows in boxes": Kind("softmax:bf16", BOXES, (), ("copies=softmax=boxes",)),
    "pointwise, the next tiles in boxes": Kind("vector_add:bf16", BOXES, (), ("copies=vector_add=boxes",)),
    "scan, in a warp": Kind("cumsum:f32", (r"\bshfl\.sync",), (r"\bbar\.sync",)),
    "scan, across warps in shared memory": Kind("cumsum:bf16", ACROSS),
    "scan by a region, and atomics": Kind("segment_sum:f32", (r"\b(atom|red)\.global",) + ACROSS),
    "layout conversion through shared memory": Kind("scatter_rows:f32", (r"\bld\.shared", r"\bst\.shared", r"\bbar\.sync"), (r"\bshfl",)),
    "dot, mma.sync, no ring": Kind("matmul:bf16", (r"\bmma\.sync", r"\bldmatrix"), (r"\bcp\.async",)),
    "dot, mma.sync, ring": Kind("matmul:bf16", RING, (), ("num_stages=loop.k=3",), ("persistent",)),
    "dot, mma.sync, ring, programs that stay": Kind("matmul:bf16", RING, (), ("num_stages", "persistent"), ("num_sm_multiplier",)),
    "dot, mma.sync, boxes": Kind("matmul:bf16", BOXES + (r"\bmma\.sync", r"\bldmatrix"), (), ("copies=loop.k=boxes",)),
    "dot, wgmma, boxes": Kind("matmul:bf16", GROUP, (r"\bmma\.sync",), ("dots=loop.k=wgmma",)),
    "dot, wgmma, boxes, one step in a ring's turn": Kind("matmul:bf16", GROUP, (r"\bmma\.sync",), ("dots=loop.k=wgmma",), ("range_unroll_factors",)),
    "dot, wgmma of f16, boxes": Kind("matmul:f16", GROUP + (r"\bwgmma\.mma_async\S*\.f16",), (r"\bmma\.sync",), ("dots=loop.k=wgmma",)),
    "dot, mma.sync, two rings, online softmax": Kind("attention:bf16", RING + (r"\bshfl\.sync",), (), ("num_stages",)),
    "dot, batched": Kind("bmm:bf16", (r"\bmma\.sync", r"\bbar\.sync")),
    "dot, mma.sync of f16, ring": Kind("matmul:f16", RING + (r"\bmma\.sync\S*m16n8k16\S*\.f16",), (), ("num_stages",)),
    "dot, mma.sync of tf32, no ring": Kind("matmul:f32", (r"\bmma\.sync\S*m16n8k8\S*\.tf32", r"\bcvt\.rna\.tf32"), (r"\bcp\.async",)),
    "dot, mma.sync of tf32, ring": Kind("matmul:f32", RING + (r"\bmma\.sync\S*m16n8k8\S*\.tf32",), (), ("num_stages",)),
    "dot, mma.sync of i8, no ring": Kind("int8_gemm:bf16", (r"\bmma\.sync\S*m16n8k32\S*\.s8",), (r"\bcp\.async",)),
    "dot, mma.sync of i8, ring": Kind("int8_gemm:bf16", RING + (r"\bmma\.sync\S*m16n8k32\S*\.s8",), (), ("num_stages",)),
    "dot, no matrix units": Kind("bmm:f32", (r"\bfma\.rn", r"\bst\.shared", r"\bbar\.sync"), (r"\bmma\.",)),
    "plan of several launches": Kind("rms_norm_bwd:f32", ACROSS),
    "plan with a workspace": Kind("long_sum_split:f32", (r"\bshfl\.sync",)),
}
# Name -> the kind that it is planted in, what is taken out of its PTX, the tool that must see it. Without a tool the same code
# is compiled from PTX there and must be clean. `isCertain`: a tool that does not see it fails the run.
BARRIERS, WAITS = r"^\s*bar\.sync[^;]*;", r"^\s*cp\.async\.wait_group[^;]*;"
GROUP_WAITS = r"^\s*wgmma\.wait_group[^;]*;"
BOX_WAITS = r"\bLAB_WAIT:(?s:.*?)\bDONE:"  # The loop around an mbarrier.try_wait.


@dataclasses.dataclass
class Fault:
    kind: str
    cut: str
    tool: str
    isCertain: bool = True
    isShort: bool = False  # The last element of each result's buffer is missing.


FAULTS = {
    "none, from PTX": Fault("reduction, across warps in shared memory", "", ""),
    "no barriers in a reduction": Fault("reduction, across warps in shared memory", BARRIERS, "racecheck"),
    "no barriers in a layout conversion": Fault("layout conversion through shared memory", BARRIERS, "racecheck"),
    "no barriers around a ring": Fault("dot, mma.sync, ring", BARRIERS, "racecheck"),
    "no waits for a ring": Fault("dot, mma.sync, ring", WAITS, "racecheck", False),
    "none in boxes, from PTX": Fault("dot, mma.sync, boxes", "", ""),
    "no waits for boxes": Fault("dot, mma.sync, boxes", BOX_WAITS, "racecheck", False),
    "none in wgmma, from PTX": Fault("dot, wgmma, boxes", "", ""),
    "no waits for wgmma": Fault("dot, wgmma, boxes", GROUP_WAITS, "racecheck", False),
    "no waits for the boxes of wgmma": Fault("dot, wgmma, boxes", BOX_WAITS, "racecheck", False),
    "results an element short": Fault("pointwise", "", "memcheck", True, True),
}


def folder_of(options, name):
    return os.path.join(options.folder, re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-"))


@functools.lru_cache(None)
def more_kernels():
    """Kernels that no example has, and calls that the facts of wide code allow."""
    import kernels
    import numpy

    def scatter_add(ids, x, like):
        out = numpy.zeros_like(like)
        numpy.add.at(out, ids, x)
        return [out]

    def scatter_add_calls():
        for count, rows, columns in ((0, 5, 4), (37, 10, 53), (200, 16, 64), (256, 3, 130)):
            yield f"{count} of {rows}x{columns}", dict(ids=kernels.RNG.integers(0, rows, count), x=kernels.indexed(count, columns),
                                                       like=kernels.normal(rows, columns))

    def and_also(calls, **sizes):
        def both():
            yield from calls()
            yield "wide", {name: kernels.normal(*size) for name, size in sizes.items()}

        return both

    table = kernels.KERNELS
    table["scatter_add"] = kernels.Kernel("", "ids=i64[?] x={t}[?,?] like={t}[?,?]", scatter_add_calls, scatter_add, 1e-6)
    for name, sizes in (("matmul", dict(x=(96, 256), y=(256, 160))), ("bmm", dict(x=(2, 96, 128), y=(2, 128, 160))),
                        ("int8_gemm", dict(x=(96, 256), w=(160, 256), x_scale=(96,), w_scale=(160,))),
                        ("attention", dict(q=(1, 2, 64, 16), k=(1, 2, 96, 16), v=(1, 2, 96, 16)))):
        table[name] = dataclasses.replace(table[name], calls=and_also(table[name].calls, **sizes))
    return table


def calls_of(row):
    import conformance

    kernel = conformance.on_target(more_kernels()[row.split(":")[0]], row.split(":")[1], "nvidia:")
    dtypes = conformance.dtypes_of(kernel.signature.format(t=row.split(":")[1]))
    return kernel, [conformance.Call(kernel, name, arguments, dtypes, False) for name, arguments in kernel.calls()]


# Here: what is carried.


def import_row(row, path):
    import conformance

    key, dtype = row.split(":")
    kernel = more_kernels()[key]
    if kernel.example:
        conformance.import_kernel(key, dtype, path)
        return
    conformance.tool("helion-translate", "--import-helion", os.path.join(HERE, "sanitized.py"), "--kernel", key, "--args",
                     kernel.signature.format(t=dtype), "-o", path)
    conformance.tool("helion-opt", "--helion-normalize", path, "-o", path)


def emit(options, source, config, folder, environment=None):
    shutil.rmtree(folder, ignore_errors=True)
    command = ["helion-translate", "--emit-artifact", folder, source, "--target", options.target, "--config", config]
    return subprocess.run(command, capture_output=True, text=True, env=environment).returncode == 0


def ptx_of(folder):
    names = [name for name in os.listdir(folder) if name.endswith(".ptx")]
    with open(os.path.join(folder, names[0])) as file:
        return names[0], file.read()


def serves(folder, calls):
    """Whether a call that is large enough may be made."""
    import cuda_artifact
    import numpy

    artifact = cuda_artifact.Artifact.__new__(cuda_artifact.Artifact)
    artifact.read_manifest(folder)
    sizes = [sum(value.size for value in call.given.values() if isinstance(value, numpy.ndarray))
             for call in calls if artifact.legal(**call.given)]
    return len(sizes) >= 2 and max(sizes) >= LEAST_ELEMENTS


class Draws:
    """The configs of one kernel, drawn when they are asked for."""

    def __init__(self, options, source):
        self.options, self.source, self.configs, self.round = options, source, [], 0

    def __iter__(self):
        import conformance

        number = 0
        while True:
            while number == len(self.configs):
                if self.round == self.options.rounds:
                    return
                self.configs += conformance.draw_configs(self.source, self.options.draw, self.options.seed + self.round, self.options.target)
                self.round += 1
            yield self.configs[number]
            number += 1


def find_config(options, kind, source, configs, calls):
    """The first config that is of the kind; its artifact in PTX is then in the folder that is returned."""
    folder = os.path.join(options.folder, "ptx")
    plain = dict(os.environ, CUDA_HOME=NO_TOOLKIT)
    for config in configs:
        if not all(word in config for word in kind.says) or any(word in config for word in kind.silent):
            continue
        if not emit(options, source, config, folder, plain):
            continue
        _, text = ptx_of(folder)
        has = all(re.search(pattern, text) for pattern in kind.has)
        if has and not any(re.search(pattern, text) for pattern in kind.lacks) and serves(folder, calls):
            return config, folder
    return None, folder


def plant(options, name, fault, ptx):
    """The artifact in PTX without what is cut."""
    folder = folder_of(options, "fault " + name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ptx, folder)
    image, text = ptx_of(folder)
    changed, count = re.subn(fault.cut, "", text, flags=re.M) if fault.cut else (text, 0)
    if fault.cut and not count:
        sys.exit(f"sanitize: the code of `{fault.kind}` has nothing to cut for `{name}`")
    with open(os.path.join(folder, image), "w") as file:
        file.write(changed)
    return count


def pack(options):
    import conformance

    os.makedirs(options.folder, exist_ok=True)
    for source in [os.path.join(HERE, name) for name in SCRIPTS] + [conformance.run_artifact.__file__]:
        shutil.copy(source, options.folder)
    packed, drawn = {}, {}
    for name in options.kinds:
        kind = KINDS[name]
        source = folder_of(options, kind.row) + ".mlir"
        if kind.row not in drawn:
            import_row(kind.row, source)
            drawn[kind.row] = Draws(options, source), calls_of(kind.row)[1]
        configs, calls = drawn[kind.row]
        config, ptx = find_config(options, kind, source, configs, calls)
        if config is None:
            sys.exit(f"sanitize: none of {len(configs.configs)} configs of `{kind.row}` is of the kind `{name}`; draw more by --draw")
        if not emit(options, source, config, folder_of(options, name)):
            sys.exit(f"sanitize: `{kind.row}` does not compile with `{config}`")
        packed[name] = config
        print(f"{name}: {kind.row} {config}", flush=True)
        for fault, what in FAULTS.items():
            if what.kind == name:
                print(f"fault {fault}: {plant(options, fault, what, ptx)} cuts", flush=True)
    shutil.rmtree(os.path.join(options.folder, "ptx"), ignore_errors=True)
    for source in {folder_of(options, row) + ".mlir" for row in drawn}:
        os.remove(source)
    with open(os.path.join(options.folder, "kinds.json"), "w") as file:
        json.dump(packed, file, indent=1)
    return 0


# There: one process under a tool.


def call(options):
    import conformance
    import cuda_artifact
    import numpy

    cuda_artifact.ZONE, cuda_artifact.PAGE = 0, 16
    conformance.run_artifact.load = cuda_artifact.load
    cuda_artifact.driver()
    conformance.run_artifact.DEVICE["sms"] = 2
    fault = FAULTS.get(options.kind.removeprefix("fault "))
    row = KINDS[fault.kind if fault else options.kind].row
    kernel, calls = calls_of(row)
    if fault and fault.isShort:
        whole = cuda_artifact.Artifact.garbage
        cuda_artifact.Artifact.garbage = lambda self, elements, dtype: whole(self, max(elements - 1, 0), dtype)
        calls = [one for one in calls if all(value.size for value in one.given.values() if isinstance(value, numpy.ndarray))]
    try:
        served, wrong = conformance.check_artifact(folder_of(options, options.kind), calls, kernel)
    except (RuntimeError, AssertionError, ValueError) as error:
        served, wrong = [], f"{type(error).__name__}: {error}"
    print(json.dumps({"served": served, "calls": len(calls), "wrong": wrong}), flush=True)
    return 0


# There: all of them.


def sanitizer_of(options):
    places = [options.sanitizer, shutil.which("compute-sanitizer"), "/usr/local/cuda/bin/compute-sanitizer",
              "/usr/local/cuda/compute-sanitizer/compute-sanitizer"]
    found = [place for place in places if place and os.path.exists(place)]
    if not found:
        sys.exit("sanitize: no compute-sanitizer on PATH or in /usr/local/cuda; name it by --sanitizer")
    return found[0]


def findings_of(text):
    """What the summary counts; None without one, which is no clean run."""
    race = re.search(r"RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)", text)
    other = re.search(r"ERROR SUMMARY: (\d+) errors?", text)
    if race:
        return max(int(number) for number in race.groups())
    return int(other[1]) if other else None


def run_tool(options, program, name, tool):
    command = [program, "--tool", tool, "--print-limit", "20", sys.executable, os.path.join(options.folder, "sanitize.py"), "call",
               options.folder, name]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=options.seconds)
        text, why = done.stdout, f"ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        text, why = (error.stdout or b"").decode(errors="replace"), f"not done in {options.seconds:g} s"
    path = folder_of(options, f"{name} {tool}") + ".txt"
    with open(path, "w") as file:
        file.write(text)
    answers = [json.loads(line) for line in text.splitlines() if line.startswith('{"served"')]
    return {"found": findings_of(text), "answer": answers[0] if answers else {"served": [], "calls": 0, "wrong": why}, "log": path,
            "seconds": time.monotonic() - begin}


def report_kinds(options, packed, results):
    bad = 0
    print("| kind | kernel | config | calls | values | " + " | ".join(options.tools) + " |")
    print("|---" * (5 + len(options.tools)) + "|")
    for name, config in packed.items():
        runs = [results[name, tool].result() for tool in options.tools]
        served = min(len(one["answer"]["served"]) for one in runs)
        wrong = next((one["answer"]["wrong"] for one in runs if one["answer"]["wrong"]), None)
        cells = ["no summary" if one["found"] is None else f"{one['found']} found" if one["found"] else "clean" for one in runs]
        isBad = wrong or not served or any(one["found"] != 0 for one in runs)
        bad += bool(isBad)
        print(f"| {name} | `{KINDS[name].row}` | `{config}` | {served} of {runs[0]['answer']['calls']} | {wrong or 'right'} "
              f"| {' | '.join(cells)} |", flush=True)
        if isBad:
            print("\n".join(f"see {one['log']}" for one in runs), file=sys.stderr)
    return bad


def report_faults(options, faults, results):
    """A tool that does not see what was planted says nothing by being clean."""
    bad = 0
    print("\n| planted | in | tool | seen | values |")
    print("|---|---|---|---|---|")
    for name in faults:
        fault = FAULTS[name]
        for tool in [fault.tool] if fault.tool else options.tools:
            if ("fault " + name, tool) not in results:
                continue
            one = results["fault " + name, tool].result()
            found, wrong = one["found"], one["answer"]["wrong"]
            said = "no summary" if found is None else f"{found} found" if found else "not seen" if fault.tool else "clean"
            bad += (not found and fault.isCertain) if fault.tool else found != 0
            print(f"| {name} | {fault.kind} | {tool} | {said} | {wrong or 'right'} |", flush=True)
    return bad


def run(options):
    program = sanitizer_of(options)
    with open(os.path.join(options.folder, "kinds.json")) as file:
        packed = {name: config for name, config in json.load(file).items() if name in options.kinds}
    faults = [name for name, fault in FAULTS.items() if fault.kind in packed]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = {(name, tool): pool.submit(run_tool, options, program, name, tool) for name in packed for tool in options.tools}
        for name in faults:
            tools = [FAULTS[name].tool] if FAULTS[name].tool else options.tools
            results.update({("fault " + name, tool): pool.submit(run_tool, options, program, "fault " + name, tool)
                            for tool in tools if tool in options.tools})
        bad = report_kinds(options, packed, results) + report_faults(options, faults, results)
    slowest = max(results, key=lambda key: results[key].result()["seconds"])
    print(f"\n{len(packed)} kinds, {bad} bad; the slowest run took {results[slowest].result()['seconds']:.0f} s ({slowest[0]}, {slowest[1]})")
    return 1 if bad or not packed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("pack", "run", "call"))
    parser.add_argument("folder")
    parser.add_argument("kind", nargs="?")
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--draw", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", type=lambda text: re.split(r";", text), default=list(KINDS), help="separated by `;`")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=["memcheck", "racecheck"])
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sanitizer")
    options = parser.parse_args()
    options.folder = os.path.abspath(options.folder)
    unknown = [name for name in options.kinds if name not in KINDS]
    if unknown:
        sys.exit(f"sanitize: there is no kind `{unknown[0]}`; there are: {'; '.join(KINDS)}")
    sys.exit({"pack": pack, "run": run, "call": call}[options.command](options))


if __name__ == "__main__":
    main()
