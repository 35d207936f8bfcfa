#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the CPU target on one core: products of matrices against OpenBLAS, x + y and row softmax against a copy of the same
bytes. Ours and the rival run in turn, call by call; the figures are the best and the median time and the median of the ratios.

Use: env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE utils/measure-cpu.py [--build DIR] [--core N] [--rounds N]
Example: utils/measure-cpu.py --core 1
"""
import argparse
import ctypes
import os
import re
import sys
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "test", "codegen", "CPU")
OPENBLAS = "libopenblas.so.0"
ADD = """
!a = memref<?xf32, strided<[1], offset: 0>>
func.func @add(%x: !a, %y: !a, %out: !a, %begin: index, %end: index, %scratch: memref<?xi8> {helion.scratch}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.constant 4096 : index
  %n = memref.dim %x, %c0 : !a
  scf.for %p = %begin to %end step %c1 {
    %b = arith.muli %p, %size : index
    %t = helion.make_tile %b end %n : !helion.tile<4096>
    %v = helion.load %x[%t] site "x.0" : !a, (!helion.tile<4096>) -> tensor<4096xf32>
    %w = helion.load %y[%t] site "y.0" : !a, (!helion.tile<4096>) -> tensor<4096xf32>
    %s = arith.addf %v, %w : tensor<4096xf32>
    helion.store %s, %out[%t] site "o.0" : tensor<4096xf32>, !a, (!helion.tile<4096>)
  }
  return
}
"""


def definitions(test):
    """The kernel texts of a numeric test, without the part that runs them."""
    with open(os.path.join(TESTS, test)) as file:
        source = file.read().split("\nrandom = ")[0]
    scope = {}
    exec(compile(re.sub(r"sys\.path\.insert.*", "", source), test, "exec"), scope)
    return scope


def aligned(shape, dtype=np.float32, fill=None):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    skip = -memory.ctypes.data % 64
    array = memory[skip : skip + size].view(dtype).reshape(shape)
    array[...] = 1 if fill is None else fill
    return array


def caller(kernel, library, name, *arguments):
    """A call with its arguments unpacked beforehand."""
    scratch = aligned((library.scratch + 64,), np.uint8, 0)
    flat = []
    for argument in arguments:
        flat += kernel.memref(argument) if isinstance(argument, np.ndarray) else [ctypes.c_int64(argument)]
    flat += kernel.memref(scratch)
    function = getattr(library, name)
    function.restype = None
    # The call keeps its memory alive.
    return lambda memory=(scratch, arguments): function(*flat)


def race(what, ours, rival, rounds, work=0.0):
    times = ([], [])
    for _ in range(rounds):
        for call, list_of_times in zip((ours, rival), times):
            start = time.perf_counter()
            call()
            list_of_times.append(time.perf_counter() - start)
    mine, other = map(np.array, times)
    rate = f", {work / np.median(mine) / 1e9:.1f} GFLOP/s" if work else ""
    print(f"{what}: {mine.min() * 1e3:.2f} (median {np.median(mine) * 1e3:.2f}) ms{rate}; rival {other.min() * 1e3:.2f} "
          f"({np.median(other) * 1e3:.2f}) ms; ratio {np.median(other / mine):.3f}", flush=True)


def measure_add(kernel, prefix, rounds):
    count = 1 << 24
    x, y, out = [aligned((count,)) for _ in range(3)]
    source, target = aligned((count * 3 // 2,)), aligned((count * 3 // 2,))
    ours = caller(kernel, kernel.build(ADD, prefix), "add", x, y, out, 0, count // 4096)
    race("x + y, 2^24 f32", ours, lambda: np.copyto(target, source), rounds)


def measure_softmax(kernel, prefix, rounds):
    scope = definitions("softmax-numerics.test")
    for dtype, rows, columns, m, n in (("f32", 1, 4096, 8192, 4096), ("f32", 16, 1024, 32768, 1024), ("bf16", 1, 4096, 16384, 4096)):
        values = np.random.default_rng(0).standard_normal((m, n)).astype(np.float32)
        memory = kernel.encode(values, dtype)[0]
        x, out, source, target = [aligned((m, n), memory.dtype, memory) for _ in range(4)]
        library = kernel.build(scope["text"](scope["WHOLE"], dtype, rows, columns), prefix)
        ours = caller(kernel, library, "softmax", x, out, 0, m // rows)
        race(f"softmax {dtype} {m}x{n}, tile {rows}x{columns}", ours, lambda: np.copyto(target, source), rounds)


def measure_matmul(kernel, prefix, rounds):
    scope = definitions("matmul-numerics.test")
    blas = ctypes.CDLL(OPENBLAS)
    for size, tile in ((512, (64, 512, 256)), (512, (128, 512, 256)), (512, (512, 512, 256)), (1024, (256, 512, 256))):
        x, y = [aligned((size, size), fill=np.random.default_rng(0).standard_normal((size, size))) for _ in range(2)]
        out, other = aligned((size, size)), aligned((size, size))
        library = kernel.build(scope["text"](scope["MATMUL"], "f32", *tile), prefix)
        ours = caller(kernel, library, "matmul", x, y, out, 0, -(-size // tile[0]) * -(-size // tile[1]))
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, other)]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        rival = lambda: blas.cblas_sgemm(101, 111, 111, size, size, size, one, pointers[0], size, pointers[1], size, zero,
                                         pointers[2], size)
        race(f"matmul f32 {size}^3, tile {tile}", ours, rival, rounds, 2.0 * size**3)
        assert np.abs(out - other).max() < 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--core", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.core})
    os.environ["PATH"] = os.pathsep.join([os.path.join(options.build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
    sys.path.insert(0, os.path.join(TESTS, "Inputs"))
    import kernel

    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate((measure_matmul, measure_add, measure_softmax)):
            part(kernel, os.path.join(folder, f"k{number}"), options.rounds)


if __name__ == "__main__":
    main()
