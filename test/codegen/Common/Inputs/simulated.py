# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the conformance suite by way of S, L and threads, run block by block as fibers and compared with numpy.

Use: simulated.py KERNEL.. [--dtype f32] [--configs 2] [--seed 1] [--work DIR]
Prints one line per kernel. Fails on the first config that gives a wrong value or serves no call.
"""
import argparse
import ctypes
import json
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
sys.path.insert(0, os.path.join(ROOT, "test", "Conformance", "Inputs"))
import conformance  # noqa: E402
import kernels  # noqa: E402
import threads  # noqa: E402

SCHEDULE = {"helion-roll-reductions", "helion-order-loops", "helion-bind-blocks", "helion-flatten-loops", "helion-map-programs",
            "helion-unroll-loops", "helion-choose-access"}
# Warps of a program and its vectors, in turn.
VARIANTS = ["warps=4", "warps=1", "warps=6 vector-bytes=4", "warps=8 dot-instruction=mma16x8x16,mma16x8x8,mma16x8x32"]
LANES = 32

# Elements of a tile: a program that a device would run too.
LARGEST_TILE = 16384


class Simulated(conformance.run_artifact.Artifact):
    """An artifact whose launches run blocks of threads."""

    def __init__(self, folder):
        with open(os.path.join(folder, "manifest.json")) as file:
            self.manifest = json.load(file)
        self.library = ctypes.CDLL(os.path.join(folder, "kernel.so"))
        self.library.helion_harness_run.restype = ctypes.c_char_p
        with open(os.path.join(folder, "threads.mlir")) as file:
            functions = re.findall(r"func.func @(\w+)\(.*?attributes \{(.*?)\} \{", file.read(), re.S)
        self.blocks = {}
        for name, attributes in functions:
            numbers = dict(re.findall(r"([\w.]+) = (\d+)", attributes))
            self.blocks[name] = int(numbers["warps"]), int(numbers["helion.shared_bytes"])
        self.order = 0

    def launch(self, step, names, values, buffers, spans):
        grid = [int(self.evaluate(size, names)) for size in step["grid"]]
        if grid[0] * grid[1] * grid[2] == 0:
            return
        words = b"".join(self.word(word, names, values, buffers) for word in step["arguments"])
        warps, shared = self.blocks[step["symbol"]]
        self.order += 1
        error = self.library.helion_harness_run(
            ctypes.cast(self.library[step["symbol"]], ctypes.c_void_p), words, struct.pack("<3q", *grid),
            ctypes.c_int64(warps * LANES), ctypes.c_int64(LANES), ctypes.c_int64(shared), ctypes.c_int64(self.order % 3))
        if error:
            raise RuntimeError(error.decode())


def opt(passes, source, path):
    conformance.tool("helion-opt", source, f"--pass-pipeline=builtin.module({passes})", "-o", path)


def schedule_of(config):
    """The choices of a config that make form S; the others are a target's."""
    passes = conformance.split_outside(config, ",", "{}")
    return ",".join(text for text in passes if text.partition("{")[0] in SCHEDULE)


def largest_tile(path):
    with open(path) as file:
        tiles = re.findall(r"tensor<((?:\d+x)+)", file.read())
    sizes = [1]
    for tile in tiles:
        sizes.append(1)
        for extent in filter(None, tile.split("x")):
            sizes[-1] *= int(extent)
    return max(sizes)


def compile_threads(scheduled, variant, folder, harness):
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    opt(f"canonicalize,cse,helion-assign-layouts{{{variant}}},canonicalize,cse", scheduled, at("laidout.mlir"))
    opt("helion-outline-launches{programs=block}", at("laidout.mlir"), at("outlined.mlir"))
    opt("func.func(helion-fill-loads,helion-lower-threads,canonicalize,cse)", at("outlined.mlir"), at("threads.mlir"))
    opt("helion-simulate-threads", at("threads.mlir"), at("simulated.mlir"))
    finish(folder, harness)


def finish(folder, harness):
    """From simulated.mlir to a library, and the manifest beside it."""
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    conformance.tool("helion-opt", "--helion-lower-cpu", at("simulated.mlir"), "-o", at("llvm.mlir"))
    with open(at("outlined.mlir")) as file:
        text = re.search(r'helion.manifest = "((?:[^"\\]|\\.)*)"', file.read())[1]
    manifest = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), text)
    with open(at("manifest.json"), "w") as file:
        file.write(manifest)
    conformance.tool("mlir-translate", "--mlir-to-llvmir", at("llvm.mlir"), "-o", at("kernel.ll"))
    target = [threads.TRIPLE, "-mcpu=x86-64-v3"]
    conformance.tool("llc", "-O1", *target, "-relocation-model=pic", "-filetype=obj", at("kernel.ll"), "-o", at("kernel.o"))
    conformance.tool("clang++", "-shared", at("kernel.o"), harness, "-o", at("kernel.so"))


def check_kernel(key, options, harness):
    path = os.path.join(options.work, f"{key}-{options.dtype}.mlir")
    kernel, dtypes = conformance.import_kernel(key, options.dtype, path)
    calls = [conformance.Call(kernel, name, arguments, dtypes, number % 2 == 1)
             for number, (name, arguments) in enumerate(kernel.calls())]
    drawn = conformance.draw_configs(path, 8 * options.configs, options.seed, "nvidia:sm_90a")
    configs = list(dict.fromkeys(map(schedule_of, drawn)))
    number, served = 0, set()
    for config in configs:
        scheduled = f"{path}.{number}.s.mlir"
        opt(f"helion-normalize,{config}", path, scheduled)
        if largest_tile(scheduled) > LARGEST_TILE:
            continue
        variant = VARIANTS[(number + sorted(kernels.KERNELS).index(key)) % len(VARIANTS)]
        folder = f"{path}.{number}"
        compile_threads(scheduled, variant, folder, harness)
        labels, wrong = conformance.isolated(conformance.check_artifact, folder, calls, kernel)
        if wrong:
            sys.exit(f"{key}: {config} with `{variant}`: {wrong}")
        served.update(labels)
        number += 1
        if number == options.configs:
            break
    if not served:
        sys.exit(f"{key}: no call is served by any config")
    print(f"{key} {options.dtype}: {number} configs, {len(served)} of {len(calls)} calls equal numpy", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", choices=sorted(kernels.KERNELS))
    parser.add_argument("--dtype", default="f32", choices=sorted(conformance.ROUNDING))
    parser.add_argument("--configs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", default="simulated")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    os.makedirs(options.work, exist_ok=True)
    harness = threads.harness(os.path.join(options.work, "all"), os.path.join(HERE, "harness.cpp"))
    conformance.run_artifact.load = Simulated
    for key in options.kernels:
        check_kernel(key, options, harness)


if __name__ == "__main__":
    main()
