#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what code for NVIDIA's GPUs costs to make, without a device: seconds of processor time of a compile, registers of a
thread and bytes that it spills. `defaults`: the default config of each example. `elements`: one tile value of so many elements for
each thread, rows of a softmax and of a normalisation, whatever the bound on them. `rows`: instructions for each element of a row in
tiles of several extents, a program for each row, by kind; needs nvdisasm (of CUDA's toolkit, or nvidia-cuda-nvdisasm of PyPI). All need ptxas.

Use: utils/measure-nvidia-code.py defaults|elements|rows [--target nvidia:sm_90a] [--dtype bf16] [--build DIR] [--nvdisasm PATH]
Example: utils/measure-nvidia-code.py defaults
"""
import argparse
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "Conformance", "Inputs"))
import kernels

LLVM = "/usr/lib/llvm-22/bin"

# Extents and warps by row: the power of two first, then multiples of what threads hold at once.
ROWS = {
    1000: [(1024, 1), (1024, 4)],
    3000: [(4096, 4), (3072, 4), (3072, 2)],
    5120: [(8192, 8), (8192, 4), (5120, 8), (5120, 4)],
    12544: [(16384, 16), (16384, 8), (14336, 16), (14336, 8), (13312, 16), (13312, 8), (13312, 4), (12800, 8), (12544, 8)],
}


def run(*command):
    """Output, and seconds of processor time: other work on the machine does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"measure-nvidia-code: {' '.join(command)}\n{done.stderr}")
    return done.stdout + done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Measurement:
    def __init__(self, options, work):
        self.options, self.work = options, work

    def tool(self, name, *arguments):
        return run(os.path.join(self.options.build, "bin", name), *arguments)

    def imported(self, key, dtype):
        kernel = kernels.KERNELS[key]
        path = os.path.join(self.work, f"{key}-{dtype}.mlir")
        source = os.path.join(ROOT, "examples", kernel.example, kernel.example + ".py")
        signature = kernel.signature.format(t=dtype)
        self.tool("helion-translate", "--import-helion", source, "--kernel", kernel.name or key, "--args", signature, "-o", path)
        self.tool("helion-opt", "--helion-normalize", path, "-o", path)
        space = self.tool("helion-opt", f"--helion-print-config-space=target={self.options.target}", path, "-o", os.devnull)[0]
        return path, json.loads(space)

    def defaults(self):
        print("| kernel | config | seconds | registers | spilled bytes | shared bytes | code bytes |\n|---|---|---|---|---|---|---|")
        for key in sorted(kernels.KERNELS):
            path, space = self.imported(key, self.options.dtype)
            for name in ("default", "universal"):
                folder = os.path.join(self.work, "artifact")
                _, seconds = self.tool("helion-translate", "--emit-artifact", folder, path, "--target", self.options.target,
                                       "--config", space[name])
                with open(os.path.join(folder, "manifest.json")) as file:
                    used = json.load(file)["resources"]
                print(f"| `{key}` | {name} | {seconds:.2f} | {used['registers']} | {used['spill_bytes']} | {used['shared_bytes']} "
                      f"| {used['code_bytes']} |", flush=True)

    def code(self, path, config):
        """Seconds, registers, spilled bytes by the passes one after the other, without a bound on elements."""
        lanes = "helion-assign-layouts{dot-instruction=mma16x8x16}"
        rest = "helion-outline-launches{programs=block},func.func(helion-lower-threads),helion-lower-nvidia"
        pipeline = f"builtin.module(helion-normalize,{config},canonicalize,cse,{lanes},{rest})"
        at = lambda suffix: os.path.join(self.work, "code." + suffix)  # noqa: E731
        chip = self.options.target.partition(":")[2]
        seconds = self.tool("helion-opt", path, f"--pass-pipeline={pipeline}", "-o", at("mlir"))[1]
        seconds += run(f"{LLVM}/mlir-translate", "--mlir-to-llvmir", at("mlir"), "-o", at("ll"))[1]
        seconds += run(f"{LLVM}/opt", "-O2", "-mtriple=nvptx64-nvidia-cuda", at("ll"), "-o", at("bc"))[1]
        seconds += run(f"{LLVM}/llc", "-O3", "-mtriple=nvptx64-nvidia-cuda", f"-mcpu={chip}", at("bc"), "-o", at("ptx"))[1]
        log, assembly = run("ptxas", "-v", f"-arch={chip}", at("ptx"), "-o", at("cubin"))
        registers = max(map(int, re.findall(r"Used (\d+) registers", log)))
        return seconds + assembly, registers, max(map(int, re.findall(r"(\d+) bytes spill stores", log)))

    def elements(self):
        print("| kernel | elements | seconds | registers | spilled bytes |\n|---|---|---|---|---|")
        for key in ("softmax", "layer_norm", "rms_norm"):
            path, space = self.imported(key, self.options.dtype)
            block = next(choice["site"] for choice in space["choices"] if choice["knob"] == "block_sizes" and "start" in choice)
            launch = next(choice["site"] for choice in space["choices"] if choice["knob"] == "num_warps")
            start = next(choice["start"] for choice in space["choices"] if choice["site"] == block)
            for elements in (8, 16, 32, 64, 128, 256, 512):
                # The default's tile has 8 elements for each thread of 4 warps.
                config = re.sub(rf"\b{block}=\d+", f"{block}={start * elements // 8}", space["default"])
                config = config.replace("helion-set-warps", f"helion-set-warps{{num_warps={launch}=4}}")
                seconds, registers, spilled = self.code(path, config)
                print(f"| `{key}` | {elements} | {seconds:.2f} | {registers} | {spilled} |", flush=True)

    def rows(self):
        print("| kernel | row | lanes | warps | elements of a thread | accesses | instructions for each element of the row | registers | of each element of a thread |\n"
              "|---|---|---|---|---|---|---|---|---|")
        for key in ("softmax", "rms_norm"):
            path, space = self.imported(key, self.options.dtype)
            for row, tiles in ROWS.items():
                for extent, warps in tiles:
                    code, used = self.instructions(key, path, space, extent, warps)
                    loads = sum(op.startswith("LDG") for op in code) // (1 if key == "softmax" else 2)
                    elements = extent // (32 * warps)
                    kinds = ", ".join(f"{name} {count / elements:.2f}"
                                      for name, count in collections.Counter(op.split(".")[0] for op in code).most_common()
                                      if count >= elements / 4)
                    print(f"| `{key}` | {row} | {extent} | {warps} | {elements} | {loads} "
                          f"| {len(code) * 32 * warps / row:.2f} | {used['registers']} | {kinds} |", flush=True)

    def instructions(self, key, path, space, extent, warps):
        """Instructions of the kernel, which has no loop, by name; not those of the slow ways of a quotient, which it calls."""
        sites = {knob: sorted({choice["site"] for choice in space["choices"] if choice["knob"] == knob})
                 for knob in ("block_sizes", "num_warps")}
        config = space["default"]
        sizes = ",".join(f"{block}={extent if block[0] == 'r' else 1}" for block in sites["block_sizes"])
        for name, option in (("helion-bind-blocks", f"block_sizes={sizes}"), ("helion-set-warps", f"num_warps={sites['num_warps'][0]}={warps}")):
            config = re.sub(rf"{name}(\{{[^}}]*\}})?", f"{name}{{{option}}}", config)
        folder = os.path.join(self.work, "artifact")
        self.tool("helion-translate", "--emit-artifact", folder, path, "--target", self.options.target, "--config", config)
        text = run(self.options.nvdisasm, "-c", os.path.join(folder, key + ".cubin"))[0]
        kernel = next(part for part in re.split(r"^//-+ \.text\.", text, flags=re.M) if part.startswith(key + "_"))
        code = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", kernel, re.M)
        with open(os.path.join(folder, "manifest.json")) as file:
            return [op for op in code if op != "NOP"], json.load(file)["resources"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["defaults", "elements", "rows"])
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--dtype", default="bf16", choices=["f32", "bf16", "f16"])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--nvdisasm", default="nvdisasm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        getattr(Measurement(options, work), options.what)()


if __name__ == "__main__":
    main()
