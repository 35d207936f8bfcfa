#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the CPU target: the examples, compiled by the tools with the configs of utils/measure-cpu.jsonl, in turn with a rival
in one process: OpenBLAS for products, the faster of memcpy and a copy past the caches, of as many bytes, for the rest. Of a row's
configs the fastest in a few runs of their own is measured; the list below the table names it. Values are checked against numpy after
the timed runs. Figures are medians and quartiles of the ratios of neighbouring runs.

Use: utils/measure-cpu.py [--only TEXT] [--rounds N] [--core N] [--build DIR] [--rows FILE]
Example: utils/measure-cpu.py --only matmul
"""
import argparse
import ctypes
import json
import os
import platform
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OPENBLAS = "libopenblas.so.0"
SAMPLE_NS = 2_000_000  # Short calls are repeated until a sample takes about this long.
TRIAL_ROUNDS = 5  # Of each config of a row, before the fastest is measured.
CHECKED_ROWS = 24
TOLERANCE = {"f32": 2e-5, "bf16": 0.01, "f16": 2e-3}

# OpenBLAS picks its kernels once, when it is loaded: by the processor, not by what the environment forces.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np

sys.path.insert(0, os.path.join(ROOT, "test", "codegen", "Driver", "Inputs"))
import run_artifact


def run(*command, data=None):
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"measure-cpu: `{command[0]}` failed")
    return done.stdout


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores that the system shows, load {os.getloadavg()[0]:.1f}"


def aligned(shape, dtype):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 4096, np.uint8)
    skip = -memory.ctypes.data % 4096
    return memory[skip : skip + size].view(dtype).reshape(shape)


def encode(values, dtype):
    return run_artifact.bfloat16(values) if dtype == "bf16" else values.astype(run_artifact.NUMPY[dtype])


def decode(memory, dtype):
    return (run_artifact.float32(memory) if dtype == "bf16" else memory).astype(np.float64)


class Launch(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("arguments", ctypes.c_char_p), ("grid", ctypes.c_char_p), ("scratch", ctypes.c_int64)]


class Ours:
    """An artifact with its buffers, ready to be called on the thread pool."""

    def __init__(self, row, config, folder, peers, options):
        self.config = config
        module = run("helion-translate", "--import-helion", os.path.join(ROOT, row["file"]), "--kernel", row["kernel"], "--args", row["args"])
        scheduled = run("helion-opt", f"--pass-pipeline=builtin.module(helion-normalize,{config})", "-", data=module)
        run("helion-translate", "-", f"--target={options.target}", f"--emit-artifact={folder}", data=scheduled)
        self.artifact, self.peers = run_artifact.load(folder), peers
        random = np.random.default_rng(0)
        self.values = {}
        for name, (dtype, *shape) in row["inputs"].items():
            self.values[name] = array = aligned(shape, run_artifact.NUMPY[dtype])
            array[...] = encode(random.standard_normal(shape, np.float32), dtype)
        self.values.update(row.get("scalars", {}))
        self.dtype = next(iter(row["inputs"].values()))[0]
        assert self.artifact.legal(**self.values), f"{row['row']}: a fact of the config does not hold"
        self.prepare()

    def prepare(self):
        plan, names = self.artifact.manifest["plan"], self.artifact.names(self.values)
        self.buffers = {name: value for name, value in self.values.items() if isinstance(value, np.ndarray)}
        self.outputs = {}
        for output in plan["outputs"]:
            shape = [int(self.artifact.evaluate(size, names)) for size in output["sizes"]]
            self.outputs[output["name"]] = self.buffers[output["name"]] = aligned(shape, run_artifact.NUMPY[output["dtype"]])
        assert all(step["step"] == "launch" for step in plan["steps"]), "only launches are timed"
        self.launches = (Launch * len(plan["steps"]))()
        for step, launch in zip(plan["steps"], self.launches):
            launch.function = ctypes.cast(self.artifact.library[step["symbol"]], ctypes.c_void_p)
            launch.arguments = b"".join(self.artifact.word(word, names, self.values, self.buffers) for word in step["arguments"])
            launch.grid = struct.pack("<3q", *[int(self.artifact.evaluate(size, names)) for size in step["grid"]])
            launch.scratch = self.artifact.manifest["resources"]["scratch_bytes"]

    def bytes(self):
        return sum(array.nbytes for array in self.buffers.values())

    def time(self, count):
        return self.peers.time_launches(count, self.launches, len(self.launches))

    def read(self, name, rows=slice(None)):
        return decode(self.values[name][rows], self.dtype)

    def check(self, reference):
        count = len(next(iter(self.outputs.values())))
        rows = np.unique(np.linspace(0, count - 1, CHECKED_ROWS).astype(int))
        for array, expected in zip(self.outputs.values(), reference(self.read, rows)):
            dtype = "f32" if array.dtype == np.float32 else self.dtype
            error = np.abs(decode(array[rows], dtype) - expected).max() / np.abs(expected).max()
            assert error < TOLERANCE[dtype], f"a result is off by {error:.1e}"


def softmax(read, rows):
    e = np.exp(read("x", rows) - read("x", rows).max(1, keepdims=True))
    return [e / e.sum(1, keepdims=True)]


def rms_norm(read, rows):
    r = 1 / np.sqrt((read("x", rows) ** 2).mean(1) + 1e-6)
    return read("x", rows) * r[:, None] * read("w"), r


def layer_norm(read, rows):
    x = read("x", rows)
    return [(x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * read("w") + read("bias")]


REFERENCES = {"vector_add": lambda read, rows: [read("x", rows) + read("y", rows)], "softmax": softmax, "rms_norm": rms_norm,
              "layer_norm": layer_norm, "matmul": lambda read, rows: [read("x", rows) @ read("y")]}


class Copies:
    """Copies that read and write together as many bytes as the kernel does, on as many cores."""

    def __init__(self, ours, peers):
        half = ours.bytes() // 2 // 128 * 128
        source, target = aligned([half], np.uint8), aligned([half], np.uint8)
        source[...] = target[...] = 1
        call = lambda time: lambda count: time(count, target.ctypes.data_as(VOID), source.ctypes.data_as(VOID), half)
        self.rivals = {"memcpy": call(peers.time_memcpy), "streaming copy": call(peers.time_streaming_copy)}


class Products:
    def __init__(self, ours, peers):
        blas = ctypes.CDLL(OPENBLAS)
        blas.openblas_get_corename.restype = ctypes.c_char_p
        x, y = ours.values["x"], ours.values["y"]
        out = aligned((x.shape[0], y.shape[1]), np.float32)
        pointers = [array.ctypes.data_as(VOID) for array in (x, y, out)]
        sizes = [x.shape[0], y.shape[1], x.shape[1]]
        name = f"OpenBLAS ({blas.openblas_get_corename().decode()})"
        self.rivals = {name: lambda count, keep=out: peers.time_sgemm(count, blas.cblas_sgemm, *sizes, *pointers)}


VOID = ctypes.c_void_p


def sample(calls, counts, rounds):
    """Times of one call each, by round; the order turns so that nobody always follows the same neighbour."""
    names = list(calls)
    times = {name: np.zeros(rounds) for name in names}
    for turn in range(rounds):
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            times[name][turn] = calls[name](counts[name]) / counts[name]
    return times


def race(ours, rivals, rounds):
    """Times by name, `ours` first."""
    calls = {"ours": ours, **rivals}
    for call in calls.values():
        call(1)
    counts = {name: max(1, int(SAMPLE_NS // max(1, call(1)))) for name, call in calls.items()}
    sample(calls, counts, 1)
    return sample(calls, counts, rounds)


def quartiles(values):
    return "{1:.2f} [{0:.2f}, {2:.2f}]".format(*np.percentile(values, [25, 50, 75]))


def report(row, times, ours):
    """The rivals one after the other, the fastest by median first: that is the one to compare with."""
    mine = np.median(times["ours"])
    rate = f"{row['flops'] / mine:.1f} GFLOP/s" if "flops" in row else f"{ours.bytes() / mine:.1f} GB/s"
    rivals = sorted((name for name in times if name != "ours"), key=lambda name: np.median(times[name]))
    texts = [f"{name} {np.median(times[name]) / 1e6:.3f} | {quartiles(times[name] / times['ours'])} |" for name in rivals]
    print(f"| {row['row']} | {mine / 1e6:.3f} | {rate} | " + " ".join(texts), flush=True)


def fastest(row, folder, peers, options):
    """Ours in the fastest of the row's configs; each is tried in turn with the others."""
    tried = [Ours(row, config, f"{folder}-{at}", peers, options) for at, config in enumerate(row["configs"])]
    if len(tried) == 1:
        return tried[0]
    calls = {at: one.time for at, one in enumerate(tried)}
    for call in calls.values():
        call(1)
    counts = {at: max(1, int(SAMPLE_NS // max(1, call(1)))) for at, call in calls.items()}
    times = sample(calls, counts, TRIAL_ROUNDS)
    return tried[min(times, key=lambda at: np.median(times[at]))]


def measure(row, folder, peers, options):
    """The config that was measured, None where the rival is missing."""
    cores = row.get("cores", 1)
    peers.use_wall_clock(cores > 1)
    os.sched_setaffinity(0, options.cores[:cores])
    peers.set_threads(cores)
    ours = fastest(row, folder, peers, options)
    if cores > 1 and row["rival"] == "openblas":
        on = lambda threads: lambda count: (peers.set_threads(threads), ours.time(1), ours.time(count))[2]
        calls, rivals = on(cores), {"one core": on(1)}
    else:
        calls = ours.time
        try:
            rivals = (Products if row["rival"] == "openblas" else Copies)(ours, peers).rivals
        except OSError:
            print(f"| {row['row']} | skipped: {OPENBLAS} is not there; install libopenblas0-pthread | | | | |", flush=True)
            return None
    times = race(calls, rivals, options.rounds)
    ours.check(REFERENCES[row["kernel"]])
    report(row, times, ours)
    return ours.config


def load_peers(folder):
    path = os.path.join(folder, "peers.so")
    sources = [os.path.join(ROOT, "utils", "measure-cpu-peers.cpp"), os.path.join(ROOT, "aot-runner", "runtime", "ThreadPool.cpp")]
    run("clang++-22", "-O2", "-std=c++17", "-shared", "-fPIC", "-fno-exceptions", "-pthread", f"-I{ROOT}", *sources, "-o", path)
    peers = ctypes.CDLL(path)
    for name, arguments in {"time_launches": [ctypes.c_int64, VOID, ctypes.c_int64],
                            "time_memcpy": [ctypes.c_int64, VOID, VOID, ctypes.c_int64],
                            "time_streaming_copy": [ctypes.c_int64, VOID, VOID, ctypes.c_int64],
                            "time_sgemm": [ctypes.c_int64, VOID] + 3 * [ctypes.c_int64] + 3 * [VOID]}.items():
        function = getattr(peers, name)
        function.restype, function.argtypes = ctypes.c_int64, arguments
    return peers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rows", default=os.path.join(ROOT, "utils", "measure-cpu.jsonl"), help="rows to measure, a JSON object each")
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--target", default="cpu:native")
    parser.add_argument("--core", type=int, default=1, help="the one core; another is added for rows of two")
    options = parser.parse_args()
    options.cores = [options.core] + [core for core in sorted(os.sched_getaffinity(0)) if core != options.core]
    os.environ["PATH"] = os.pathsep.join([os.path.join(options.build, "bin"), os.environ["PATH"]])
    with open(options.rows) as file:
        rows = [json.loads(line) for line in file if line.strip()]
    print(f"{machine()}; numpy {np.__version__}; {options.rounds} rounds\n")
    print("| row | ours, ms | rate | fastest rival, ms | rival / ours: median [quartiles] | other rival, ms | the same |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        peers = load_peers(folder)
        measured = {}
        for number, row in enumerate(rows):
            if options.only in row["row"]:
                config = measure(row, os.path.join(folder, str(number)), peers, options)
                measured.setdefault(config, []).append(row["row"])
    print()
    for config, names in measured.items():
        if config:
            print(f"- {'; '.join(names)}:\n  `{config}`")


if __name__ == "__main__":
    main()
