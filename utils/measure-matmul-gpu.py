#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates of the bf16 matrix product for an NVIDIA GPU: compiles a list of configs to cubins, a folder each, and on a machine with
the device measures them in turn with torch, in one process, caches cold, values checked.

Use: utils/measure-matmul-gpu.py emit OUT [--target nvidia:sm_90a] [--only TEXT] [--quick]     where the compiler is
     utils/measure-matmul-gpu.py run OUT [--sizes 4096x4096x4096,..] [--rounds 15] [--only TEXT]   where the device is; needs torch
Example: utils/measure-matmul-gpu.py emit matmul-cubins --quick && utils/measure-matmul-gpu.py run matmul-cubins
`emit` prints registers, spilled and shared bytes of each; `run` one line per candidate and size, fastest last, sizes as MxNxK.
"""
import argparse
import ctypes
import itertools
import json
import os
import statistics
import struct
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("HELION_BIN", os.path.join(ROOT, "build", "bin"))
DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
FLUSH_BYTES = 512 << 20

BLOCKS = [(64, 64, 64), (64, 128, 64), (128, 64, 64), (128, 128, 32), (128, 128, 64), (128, 256, 32), (128, 256, 64), (256, 128, 32),
          (256, 128, 64)]
SHARED_BYTES = 227 << 10


# Who copies what loops load, and the instruction of their dots.
WAYS = [("pieces", "mma"), ("boxes", "mma"), ("boxes", "wgmma")]


def configs(quick):
    """(blocks, warps, stages, group, copies, dots); slots that no block could hold are left out."""
    stages = (1, 3, 4) if quick else (1, 2, 3, 4, 5)
    for block, warps, depth, group, way in itertools.product(BLOCKS, (4, 8), stages, (8,) if quick else (1, 8, 16), WAYS):
        rows, columns, steps = block
        slot = 2 * steps * (rows + columns)
        accumulators = rows * columns // (32 * warps)
        if depth * slot <= SHARED_BYTES and 32 <= accumulators <= 128 and (depth > 1 or way == WAYS[0]):
            yield block, warps, depth, group, *way


def text_of(block, warps, stages, group, copies, dots):
    ring = f"num_stages=loop.k={stages}" + (" copies=loop.k=boxes" if copies == "boxes" else "")
    ring += " dots=loop.k=wgmma" if dots == "wgmma" else ""
    options = {
        "helion-roll-reductions": "", "helion-order-loops": "",
        "helion-bind-blocks": "{block_sizes=bi=%d,bj=%d,bk=%d}" % block, "helion-flatten-loops": "",
        "helion-map-programs": "{l2_groupings=loop.ij=%d}" % group if group > 1 else "", "helion-unroll-loops": "",
        "helion-choose-access": "", "helion-set-warps": "{num_warps=matmul=%d}" % warps if warps != 4 else "",
        "helion-set-stages": "{%s}" % ring if stages > 1 else ""}
    return ",".join(["helion-config{v=1}"] + [name + value for name, value in options.items()])


def emit(arguments):
    tool = os.path.join(BUILD, "helion-translate")
    os.makedirs(arguments.out, exist_ok=True)
    kernel = os.path.join(arguments.out, "matmul.mlir")
    subprocess.run([tool, "--import-helion", f"{ROOT}/examples/matmul/matmul.py", "--kernel", "matmul", "--args",
                    "x=bf16[?,?] y=bf16[?,?]", "-o", kernel], check=True)
    for block, warps, stages, group, copies, dots in configs(arguments.quick):
        name = "%dx%dx%d" % block + f"-w{warps}-s{stages}-g{group}" + (f"-{copies}-{dots}" if copies == "boxes" else "")
        if arguments.only and arguments.only not in name:
            continue
        folder, begin = os.path.join(arguments.out, name), time.time()
        done = subprocess.run([tool, "--emit-artifact", folder, kernel, "--target", arguments.target, "--config",
                               text_of(block, warps, stages, group, copies, dots)], capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: {done.stderr.strip().splitlines()[0]}", flush=True)
            continue
        with open(os.path.join(folder, "manifest.json")) as file:
            resources = json.load(file)["resources"]
        print(f"{name}: {resources}, {time.time() - begin:.1f} s", flush=True)


class Candidate:
    """One artifact, launched by the driver on torch's stream."""

    def __init__(self, folder, driver, artifact):
        self.name, self.driver, self.artifact = os.path.basename(folder), driver, artifact
        self.artifact.read_manifest(folder)
        cubin = next(name for name in os.listdir(folder) if name.endswith((".cubin", ".ptx")))
        with open(os.path.join(folder, cubin), "rb") as file:
            image = file.read() + b"\0"
        self.module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def prepare(self, tensors):
        """What a launch of each step needs, once for the tensors."""
        names = {name: Tensor(value) for name, value in tensors.items()}
        evaluate = lambda text: int(self.artifact.evaluate(text, names))  # noqa: E731
        self.launches = []
        for step in self.artifact.manifest["plan"]["steps"]:
            words = [self.parameter(word, tensors, evaluate) for word in step["arguments"]]
            function, shared = ctypes.c_void_p(), step.get("shared", 0)
            self.call("cuModuleGetFunction", ctypes.byref(function), self.module, step["symbol"].encode())
            if shared > 48 << 10:
                self.call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, shared)
            parameters = (ctypes.c_void_p * len(words))(*[word.address for word in words])
            self.launches.append((function, [evaluate(size) for size in step["grid"]], step["threads"], shared, parameters, words))

    def parameter(self, word, tensors, evaluate):
        import cuda_artifact
        if "map" in word:
            return cuda_artifact.TensorMap(self.driver, word, tensors[word["map"]].data_ptr(), evaluate)
        value = evaluate(word["offset" if "pointer" in word else "index"])
        if "pointer" in word:
            tensor = tensors[word["pointer"]]
            value = tensor.data_ptr() + value * tensor.element_size()
        return cuda_artifact.Word(struct.pack("<q", value))

    def run(self):
        for function, grid, threads, shared, parameters, _ in self.launches:
            self.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared, None, parameters, None)


class Tensor:
    """A tensor of torch, as facts and plans ask for it."""

    def __init__(self, tensor):
        import run_artifact
        self.tensor, self.integer = tensor, run_artifact.Integer
        self.align = self.integer(tensor.data_ptr() & -tensor.data_ptr())

    def size(self, dim):
        return self.integer(self.tensor.shape[dim])

    def stride(self, dim):
        return self.integer(self.tensor.stride(dim))


def measure(size, candidates, rounds, torch):
    m, n, k = size
    x, y = (torch.randn(shape, device="cuda", dtype=torch.float32).bfloat16() for shape in ((m, k), (k, n)))
    out, want = torch.empty(m, n, device="cuda", dtype=torch.bfloat16), x @ y
    flush = torch.empty(FLUSH_BYTES, device="cuda", dtype=torch.uint8)
    runners = {"torch": lambda: torch.mm(x, y, out=want)}
    for candidate in candidates:
        candidate.prepare({"x": x, "y": y, "out": out})
        out.fill_(float("nan"))
        candidate.run()
        torch.cuda.synchronize()
        error = ((out.float() - want.float()).norm() / want.float().norm()).item()
        if not error < 5e-3:
            print(f"{m}x{n}x{k} {candidate.name}: WRONG, relative error {error}", flush=True)
        else:
            runners[candidate.name] = candidate.run
    times = {name: [] for name in runners}
    for number in range(rounds + 1):
        order = list(runners)
        order = order[number % len(order):] + order[: number % len(order)]
        for name in order:
            flush.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            runners[name]()
            end.record()
            torch.cuda.synchronize()
            if number:
                times[name].append(begin.elapsed_time(end))
            time.sleep(0.003)
    torch_time = statistics.median(times["torch"])
    for name in sorted(times, key=lambda name: -statistics.median(times[name])):
        median = statistics.median(times[name])
        print(f"{m}x{n}x{k} {name}: {median * 1000:.1f} us, {2 * m * n * k / median / 1e9:.0f} TFLOP/s, {torch_time / median:.3f} of torch",
              flush=True)


def run(arguments):
    sys.path[:0] = [os.path.join(ROOT, "test", *folder, "Inputs") for folder in (("codegen", "Driver"), ("Conformance",))]
    import run_artifact
    import torch
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    run_artifact.DEVICE["sms"] = torch.cuda.get_device_properties(0).multi_processor_count
    driver = ctypes.CDLL("libcuda.so.1")
    print(torch.cuda.get_device_name(0), "torch", torch.__version__, flush=True)
    candidates = []
    for name in sorted(os.listdir(arguments.out)):
        folder = os.path.join(arguments.out, name)
        if os.path.exists(os.path.join(folder, "manifest.json")) and (not arguments.only or arguments.only in name):
            try:
                candidates.append(Candidate(folder, driver, object.__new__(run_artifact.Artifact)))
            except RuntimeError as error:
                print(f"{name}: {error}", flush=True)
    for size in arguments.sizes.split(","):
        measure([int(extent) for extent in size.split("x")], candidates, arguments.rounds, torch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["emit", "run"])
    parser.add_argument("out")
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--sizes", default="4096x4096x4096")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    emit(arguments) if arguments.what == "emit" else run(arguments)


if __name__ == "__main__":
    main()
