# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples with loops whose loads come through rings: form S with choices of `num_stages`, then layouts, rings, one thread's code with
matrix instructions and asynchronous copies, emulated (matrices.cpp), every thread of every block, compared with numpy.

Use: pipelined.py COMMON_INPUTS WORK [KERNEL:TYPE[:PRECISION]..]
Prints one line per kernel. Fails on the first wrong value and on a config that serves no call.
"""
import ctypes
import dataclasses
import os
import re
import struct
import sys

import numpy

COMMON, WORK = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, COMMON)
import simulated  # noqa: E402
import threads  # noqa: E402
from simulated import conformance, kernels  # noqa: E402
from kernels import normal  # noqa: E402

threads.sources = [os.path.join(HERE, "matrices.cpp")]
MATRICES = "dot-instruction=mma16x8x16,mma16x8x8,mma16x8x32"


def padded(rows, columns, stride):
    """Rows of any length at multiples of 16 bytes."""
    return normal(rows, stride)[:, :columns]


def matmul_calls():
    for m, k, n in ((1, 8, 8), (64, 64, 64), (37, 56, 40), (100, 200, 72), (5, 0, 16), (0, 8, 8)):
        yield f"{m}x{k}x{n}", dict(x=normal(m, k), y=normal(k, n))
    yield "padded", dict(x=padded(33, 43, 48), y=padded(43, 29, 32))


def int8_calls():
    def call(x, w):
        x, w = numpy.rint(40 * x), numpy.rint(40 * w)
        return dict(x=x, w=w, x_scale=numpy.abs(normal(len(x))), w_scale=numpy.abs(normal(len(w))))

    for m, k, n in ((1, 16, 1), (64, 64, 64), (37, 48, 41), (100, 208, 72), (5, 0, 16), (0, 16, 8)):
        yield f"{m}x{k}x{n}", call(normal(m, k), normal(n, k))
    yield "padded", call(padded(33, 43, 48), padded(29, 43, 48))


def attention_calls():
    for b, h, m, s in ((1, 1, 16, 32), (1, 2, 40, 72)):
        yield f"{b}x{h}x{m}x{s}", dict(q=normal(b, h, m, 16), k=normal(b, h, s, 16), v=normal(b, h, s, 16))


def row_calls():
    for m, n in ((1, 8), (5, 256), (37, 200), (64, 136), (7, 16), (0, 8)):
        yield f"{m}x{n}", dict(x=normal(m, n))
    x = normal(9, 64)
    x[2], x[3, 5], x[4, 7], x[5] = -numpy.inf, numpy.inf, numpy.nan, 1e4
    yield "special", dict(x=x)
    yield "padded", dict(x=padded(21, 80, 128))


def norm_calls():
    for m, n in ((1, 8), (37, 200), (64, 136), (0, 8)):
        yield f"{m}x{n}", dict(x=normal(m, n), w=normal(n), eps=1e-6)


def add_calls():
    for n in (4, 1000, 256, 5000, 0):
        yield str(n), dict(x=normal(n), y=normal(n))


def bmm_calls():
    for b, m, k, n in ((1, 8, 8, 8), (3, 40, 36, 20), (2, 64, 64, 64), (2, 5, 0, 8)):
        yield f"{b}x{m}x{k}x{n}", dict(x=normal(b, m, k), y=normal(b, k, n))


# Dots that the example wants exact, and others that follow on one whose accumulator is their left operand.
PRECISE_BMM = (bmm_calls, [
    ("helion-bind-blocks{block_sizes=bb=2,bm=32,bn=16,bk=16}", 1, "warps=4"),
    ("helion-bind-blocks{block_sizes=bb=1,bm=32,bn=32,bk=16}", 2, "warps=2"),
    ("boxes,helion-bind-blocks{block_sizes=bb=1,bm=32,bn=32,bk=32}", 2, "warps=2")])
PRECISE_ATTENTION = (attention_calls, [
    ("helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32}", 1, "warps=1"),
    ("helion-bind-blocks{block_sizes=bb=1,bi=32,bn=16}", 3, "warps=2"),
    ("boxes,helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32}", 2, "warps=1"),
    ("helion-bind-blocks{block_sizes=bb=1,bi=32,bn=8}", 2, "warps=4")])
# What dots of a precision that a case gives in place of the example's add to its error.
PRECISIONS = {"tf32": kernels.TF32, "tf32x3": 2 ** -19}

# Kernel, type and precision of dots if not the example's: calls, and configs as (choices of passes, stages, options of helion-assign-layouts). One loop is staged.
CASES = {
    "matmul:bf16": (matmul_calls, [
        ("boxes,wgmma,helion-bind-blocks{block_sizes=bi=64,bj=64,bk=64}", 2, "warps=4"),
        ("boxes,wgmma,helion-bind-blocks{block_sizes=bi=128,bj=32,bk=32}", 3, "warps=8"),
        ("boxes,wgmma,helion-bind-blocks{block_sizes=bi=64,bj=128,bk=16},helion-map-programs{pid_type=matmul=persistent_interleaved}", 4, "warps=8"),
        ("boxes,wgmma,helion-bind-blocks{block_sizes=bi=128,bj=16,bk=64},helion-unroll-loops{range_unroll_factors=loop.k=2}", 3, "warps=4"),
        ("boxes,helion-bind-blocks{block_sizes=bi=32,bj=64,bk=64}", 2, "warps=4"),
        ("boxes,helion-bind-blocks{block_sizes=bi=16,bj=256,bk=32},helion-map-programs{pid_type=matmul=persistent_interleaved}", 3, "warps=2"),
        ("boxes,helion-bind-blocks{block_sizes=bi=32,bj=16,bk=32},helion-unroll-loops{range_unroll_factors=loop.k=2}", 4, "warps=1"),
        ("helion-bind-blocks{block_sizes=bi=32,bj=32,bk=32}", 1, "warps=4"),
        ("helion-bind-blocks{block_sizes=bi=32,bj=64,bk=64}", 2, "warps=4"),
        ("helion-bind-blocks{block_sizes=bi=64,bj=32,bk=16}", 3, "warps=8"),
        ("helion-bind-blocks{block_sizes=bi=16,bj=48,bk=32},helion-map-programs{pid_type=matmul=persistent_interleaved}", 4, "warps=1"),
        ("helion-bind-blocks{block_sizes=bi=32,bj=32,bk=32},helion-unroll-loops{range_unroll_factors=loop.k=2}", 3, "warps=2")]),
    "matmul:f32": (matmul_calls, [
        ("helion-bind-blocks{block_sizes=bi=32,bj=32,bk=32}", 1, "warps=4"),
        ("helion-bind-blocks{block_sizes=bi=32,bj=64,bk=32}", 2, "warps=4"),
        ("helion-bind-blocks{block_sizes=bi=16,bj=48,bk=8},helion-unroll-loops{range_unroll_factors=loop.k=2}", 3, "warps=1"),
        ("boxes,helion-bind-blocks{block_sizes=bi=64,bj=32,bk=16}", 2, "warps=8")]),
    "int8_gemm:f32": (int8_calls, [
        ("helion-bind-blocks{block_sizes=bm=32,bn=32,bk=64}", 1, "warps=4"),
        ("helion-bind-blocks{block_sizes=bm=32,bn=64,bk=64}", 2, "warps=4"),
        ("helion-bind-blocks{block_sizes=bm=16,bn=48,bk=32},helion-unroll-loops{range_unroll_factors=loop.k=2}", 3, "warps=1"),
        ("boxes,helion-bind-blocks{block_sizes=bm=64,bn=32,bk=128}", 2, "warps=8"),
        ("both,helion-bind-blocks{block_sizes=bm=32,bn=32,bk=64},helion-map-programs{l2_groupings=loop.mn=4 pid_type=int8_gemm=persistent_interleaved}", 2, "warps=4")]),
    "attention:bf16": (attention_calls, [
        ("boxes,helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32}", 2, "warps=1"),
        ("helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32}", 2, "warps=1"),
        ("helion-bind-blocks{block_sizes=bb=1,bi=32,bn=16}", 3, "warps=2"),
        ("tiles,helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32},helion-map-programs{pid_type=attention=persistent_blocked}", 2, "warps=1"),
        ("both,helion-bind-blocks{block_sizes=bb=1,bi=32,bn=16},helion-map-programs{pid_type=attention=persistent_interleaved}", 3, "warps=2"),
        ("both,boxes,helion-bind-blocks{block_sizes=bb=1,bi=16,bn=32},helion-map-programs{l2_groupings=loop.bi=4 pid_type=attention=persistent_interleaved}", 2, "warps=1")]),
    "rms_norm:bf16": (norm_calls, [
        ("tiles,helion-bind-blocks{block_sizes=bm=2,rn=256},helion-map-programs{pid_type=rms_norm=persistent_interleaved}", 2, "warps=4"),
        ("tiles,boxes,helion-bind-blocks{block_sizes=bm=1,rn=512},helion-map-programs{pid_type=rms_norm=persistent_blocked}", 3, "warps=2")]),
    "vector_add:f32": (add_calls, [
        ("tiles,helion-bind-blocks{block_sizes=bi=256},helion-map-programs{pid_type=vector_add=persistent_interleaved}", 3, "warps=2"),
        ("tiles,boxes,helion-bind-blocks{block_sizes=bi=512},helion-map-programs{pid_type=vector_add=persistent_interleaved}", 2, "warps=4")]),
    "softmax:bf16": (row_calls, [
        ("tiles,helion-bind-blocks{block_sizes=bi=1,rn=256},helion-map-programs{pid_type=softmax=persistent_interleaved}", 2, "warps=4"),
        ("tiles,helion-bind-blocks{block_sizes=bi=4,rn=256},helion-map-programs{pid_type=softmax=persistent_blocked}", 3, "warps=2"),
        ("tiles,helion-bind-blocks{block_sizes=bi=2,rn=320},helion-map-programs{pid_type=softmax=persistent_interleaved}", 4, "warps=1"),
        ("tiles,boxes,helion-bind-blocks{block_sizes=bi=1,rn=512},helion-map-programs{pid_type=softmax=persistent_interleaved}", 2, "warps=4"),
        ("tiles,boxes,helion-bind-blocks{block_sizes=bi=4,rn=256},helion-map-programs{pid_type=softmax=persistent_blocked}", 3, "warps=4"),
        ("tiles,boxes,helion-bind-blocks{block_sizes=bi=2,rn=640},helion-map-programs{pid_type=softmax=persistent_blocked}", 2, "warps=4")]),
    "bmm:f32:tf32": PRECISE_BMM,
    "bmm:f32:tf32x3": PRECISE_BMM,
    "attention:f32:tf32": PRECISE_ATTENTION,
    "attention:f32:tf32x3": PRECISE_ATTENTION,
}
ORDER = ["helion-roll-reductions", "helion-order-loops", "helion-bind-blocks", "helion-flatten-loops", "helion-map-programs",
         "helion-unroll-loops"]


def scheduled(path, choices, stages, out):
    given = {text.partition("{")[0]: text for text in conformance.split_outside(choices, ",", "{}")}
    passes = ",".join(given.get(name, name) for name in ORDER)
    simulated.opt(f"helion-normalize,helion-config{{v=1}},{passes}", path, out)
    if stages == 1:
        return
    with open(out) as file:
        text = file.read()
    sites = [] if "tiles" in given else re.findall(r'site = "(loop[^"]*)"', text)
    if "tiles" in given or "both" in given:
        sites += re.findall(r'helion.launch "([^"]*)"', text)
    sites = sorted(set(sites))
    each = lambda value: ",".join(f"{site}={value}" for site in sites)  # noqa: E731
    words = "".join(f" {option}={each(word)}" for option, word in (("copies", "boxes"), ("dots", "wgmma")) if word in given)
    simulated.opt(f"helion-set-stages{{num_stages={each(stages)}{words}}}", out, out)


class Simulated(simulated.Simulated):
    """With tensor maps as matrices.cpp reads them."""

    def word(self, word, names, values, buffers):
        if "map" not in word:
            return super().word(word, names, values, buffers)
        number = lambda text: int(self.evaluate(text, names))  # noqa: E731
        array = buffers[word["map"]]
        item = array.itemsize
        fill = lambda entries: entries + [0] * (5 - len(entries))  # noqa: E731
        sizes, strides = [number(size) for size in word["sizes"]], [item] + [number(stride) * item for stride in word["strides"]]
        # What cuTensorMapEncodeTiled refuses.
        address = array.ctypes.data + number(word["offset"]) * item
        assert address % 16 == 0 and all(stride % 16 == 0 for stride in strides[1:]) and all(0 < size < 1 << 31 for size in sizes)
        assert all(0 < extent <= 256 for extent in word["box"]) and word["box"][0] * item % 16 == 0
        assert not word["swizzle"] or word["box"][0] * item <= word["swizzle"]
        numbers = [address, len(sizes), item, word["swizzle"]] + fill(sizes) + fill(strides) + fill(word["box"])
        self.maps = getattr(self, "maps", []) + [ctypes.create_string_buffer(struct.pack("<19q", *numbers))]
        return struct.pack("<q", ctypes.addressof(self.maps[-1]))


def set_precision(path, precision):
    with open(path) as file:
        text, count = re.subn(r'(helion\.dot .* site "[^"]*")( precision \w+)?', rf"\1 precision {precision}", file.read())
    assert count
    with open(path, "w") as file:
        file.write(text)


def compile_threads(source, variant, stages, folder, harness, through_ldmatrix):
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    simulated.opt(f"canonicalize,cse,helion-assign-layouts{{{MATRICES} {variant}}},helion.kernel(helion-fill-loads),"
                  "helion-pipeline-loads,canonicalize,cse", source, at("laidout.mlir"))
    simulated.opt("helion-outline-launches{programs=block}", at("laidout.mlir"), at("outlined.mlir"))
    simulated.opt("helion-lower-nvidia-threads,canonicalize,cse", at("outlined.mlir"), at("threads.mlir"))
    with open(source) as scheduled, open(at("threads.mlir")) as lowered:
        has_dots, text = "helion.dot " in scheduled.read(), lowered.read()
    if has_dots and "nvvm.wgmma.mma_async" not in text:
        assert "nvvm.mma.sync" in text and ("nvgpu.ldmatrix" in text or not through_ldmatrix)
    if "nvgpu.tma.async.load" not in text:
        copies = re.findall(r"nvgpu.device_async_copy .*, (\d+), %.* to memref<[0-9x]+x[a-z]+(\d+),", text)
        assert all(int(elements) * int(bits) == 128 for elements, bits in copies), "copies are in pieces of 16 bytes"
        assert stages == 1 or copies
    simulated.opt("helion-simulate-matrices,helion-simulate-threads", at("threads.mlir"), at("simulated.mlir"))
    simulated.finish(folder, harness)


def check(key, harness):
    calls, configs = CASES[key]
    name, dtype, *precision = key.split(":")
    path = os.path.join(WORK, key.replace(":", "-") + ".mlir")
    kernel, dtypes = conformance.import_kernel(name, dtype, path)
    kernel = conformance.on_target(kernel, dtype, "emulated")
    for given in precision:
        set_precision(path, given)
        kernel = dataclasses.replace(kernel, tolerance=kernel.tolerance + PRECISIONS[given])
    made = [conformance.Call(kernel, name, arguments, dtypes, number % 2 == 1)
            for number, (name, arguments) in enumerate(calls())]
    served = set()
    for number, (choices, stages, variant) in enumerate(configs):
        source, folder = f"{path}.{number}.s.mlir", f"{path}.{number}"
        scheduled(path, choices, stages, source)
        # Operands of 4 bytes whose depth is not contiguous come element by element: of these cases some have no others.
        compile_threads(source, variant, stages, folder, harness, through_ldmatrix=not precision and "tiles" not in choices)
        labels, wrong = conformance.isolated(conformance.check_artifact, folder, made, kernel)
        if wrong or not labels:
            sys.exit(f"{key}: {choices}, {stages} stages, {variant}: {wrong or 'serves no call'}")
        served.update(labels)
    print(f"{key}: {len(configs)} configs, {len(served)} of {len(made)} calls equal numpy", flush=True)


def main():
    os.makedirs(WORK, exist_ok=True)
    harness = threads.harness(os.path.join(WORK, "all"), os.path.join(COMMON, "harness.cpp"))
    conformance.run_artifact.load = Simulated
    conformance.run_artifact.DEVICE["sms"] = 2  # Programs that stay have several tiles.
    for key in sys.argv[3:] or CASES:
        check(key, harness)


if __name__ == "__main__":
    main()
