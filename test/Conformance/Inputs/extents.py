# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over rows with whole slices in tiles whose extents are no powers of two, against numpy: rows of no element, of one, of
all but one and of all lanes; of -inf alone, with NaN, with infinities. A row of one more is refused by the recorded fact.

Use: extents.py KERNEL.. [--dtype f32] [--target cpu:native] [--threads any vector] [--work DIR]
With --threads the code is that of the threads of a GPU, run as fibers, with as many warps as the table says, and accesses of these kinds.
Prints one line per kernel and extent, and fails on the first that is wrong.
"""
import argparse
import os
import re
import sys

import numpy

import conformance
import kernels

ROOT = conformance.ROOT

# Extents with rows of a tile and warps: odd parts from 3 to 63; one, all and more threads than the largest power of two in it.
CASES = [(24, 4, 1), (104, 2, 2), (448, 1, 4), (504, 3, 8), (832, 1, 2), (3072, 1, 4), (5120, 2, 16), (6400, 1, 8), (12544, 1, 8)]

# A layer norm whose size is no part of the signature, so that its slice has a block.
LAYER_NORM = '''
import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=False)
def layer_norm(x: torch.Tensor, w: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    m, n = x.size()
    assert w.size(0) == n
    out = torch.empty_like(x)
    for tile_m in hl.tile(m):
        row = x[tile_m, :].to(torch.float32)
        var, mean = torch.var_mean(row, dim=-1, keepdim=True, correction=0)
        out[tile_m, :] = ((row - mean) * torch.rsqrt(var + eps) * w[:].to(torch.float32)).to(x.dtype)
    return out
'''


def layer_norm(x, w, eps):
    columns = max(x.shape[1], 1)
    centred = x - x.sum(1, keepdims=True) / columns
    return [centred / numpy.sqrt((centred * centred).sum(1, keepdims=True) / columns + eps) * w]


TABLE = {
    "softmax": kernels.KERNELS["softmax"],
    "rms_norm": kernels.KERNELS["rms_norm"],
    "layer_norm": kernels.Kernel("", "x={t}[?,?] w={t}[?] eps=f32", None, layer_norm, 1e-5),
}


def import_kernel(key, dtype, work):
    kernel, path = TABLE[key], os.path.join(work, f"{key}-{dtype}.mlir")
    source = os.path.join(ROOT, "examples", kernel.example, kernel.example + ".py")
    if not kernel.example:
        source = os.path.join(work, key + ".py")
        with open(source, "w") as file:
            file.write(LAYER_NORM)
    signature = kernel.signature.format(t=dtype)
    conformance.tool("helion-translate", "--import-helion", source, "--kernel", key, "--args", signature, "-o", path)
    conformance.tool("helion-opt", "--helion-normalize", path, "-o", path)
    return kernel, conformance.dtypes_of(signature), path


def calls_of(kernel, dtypes, extent, access):
    """Accesses of vectors serve rows of whole ones; the stride of an empty row is no multiple."""
    def make(label, x, walled=False):
        more = {"w": kernels.normal(x.shape[1]), "eps": 1e-6}
        arguments = {name: value for name, value in {"x": x, **more}.items() if name in dtypes}
        return conformance.Call(kernel, label, arguments, dtypes, walled)

    with numpy.errstate(all="ignore"):
        for columns in (8, extent - 8, extent) if access == "vector" else (0, 1, extent // 2 + 1, extent - 1, extent):
            yield make(f"5x{columns}", kernels.normal(5, columns), True)
        yield make("special", kernels.special(6, extent))
        yield make("special, ragged", kernels.special(6, extent - (8 if access == "vector" else 3)))
        if access == "any":
            yield make("strided", kernels.strided(kernels.normal(3, extent - 8)))


def config_of(space, extent, rows, access):
    """The default with other blocks and accesses."""
    text = space["default"]
    for name, knob, value in (("helion-bind-blocks", "block_sizes", lambda site: extent if site[0] == "r" else rows),
                              ("helion-choose-access", "indexing", lambda _: access)):
        sites = sorted({choice["site"] for choice in space["choices"] if choice["knob"] == knob})
        assert knob != "block_sizes" or len(sites) == 2, sites
        options = f"{name}{{{knob}=" + ",".join(f"{site}={value(site)}" for site in sites) + "}"
        text = re.sub(rf"{name}(\{{[^}}]*\}})?", options, text) if sites else text
    return text


def compile_cpu(path, config, folder, warps, options):
    conformance.compile_config(path, config, options.target, folder)


def compile_threads(path, config, folder, warps, options):
    sys.path.insert(0, os.path.join(ROOT, "test", "codegen", "Common", "Inputs"))
    import simulated

    conformance.run_artifact.load = simulated.Simulated
    simulated.opt(f"helion-normalize,{simulated.schedule_of(config)}", path, folder + ".s.mlir")
    harness = simulated.threads.harness(os.path.join(options.work, "all"), os.path.join(simulated.HERE, "harness.cpp"))
    simulated.compile_threads(folder + ".s.mlir", f"warps={warps}", folder, harness)


def check_calls(kernel, dtypes, extent, access, folder):
    """How many calls are right, and what is wrong."""
    calls = list(calls_of(kernel, dtypes, extent, access))
    labels, wrong = conformance.isolated(conformance.check_artifact, folder, calls, kernel)
    if not wrong and (missing := sorted({call.label for call in calls} - set(labels))):
        wrong = f"not served: {missing}"
    longer = [call for call in calls_of(kernel, dtypes, extent + 8, access) if call.label == f"5x{extent + 8}"]
    if not wrong and conformance.isolated(conformance.check_artifact, folder, longer, kernel)[0]:
        wrong = "a row longer than the tile is served"
    return len(labels), wrong


def check_kernel(key, options):
    kernel, dtypes, path = import_kernel(key, options.dtype, options.work)
    space = conformance.space_of(path, "nvidia:sm_90a" if options.threads else options.target)
    for extent, rows, warps in CASES:
        for access in options.threads or ["any"]:
            folder = f"{path.removesuffix('.mlir')}-{extent}-{access}"
            compile_case = compile_threads if options.threads else compile_cpu
            compile_case(path, config_of(space, extent, rows, access), folder, warps, options)
            served, wrong = check_calls(kernel, dtypes, extent, access, folder)
            if wrong:
                sys.exit(f"{key} {options.dtype}: tile of {rows} x {extent}, {warps} warps, {access}: {wrong}")
            print(f"{key} {options.dtype}: {rows} x {extent}, {access}, {served} calls equal numpy", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", choices=sorted(TABLE))
    parser.add_argument("--dtype", default="f32", choices=sorted(conformance.ROUNDING))
    parser.add_argument("--target", default="cpu:native")
    parser.add_argument("--threads", nargs="+", default=[], choices=["any", "vector"])
    parser.add_argument("--work", default="extents")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    os.makedirs(options.work, exist_ok=True)
    for key in options.kernels:
        check_kernel(key, options)


if __name__ == "__main__":
    main()
