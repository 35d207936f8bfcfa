# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles functions of form S for this machine and calls them on numpy arrays. A test writes the text of the function, whose
# last argument is scratch, and compares with numpy.
#
#   lib = kernel.build(text, sys.argv[1])
#   kernel.call(lib, "name", x, y, 3, 0.5)      arrays as strided memrefs, int as index, float as f32
import ctypes
import re
import subprocess

import numpy as np

TRIPLE = "-mtriple=x86_64-unknown-linux-gnu"
builds = [0]
SCRATCH = "%scratch: memref<?xi8> {helion.scratch}"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(" ".join(command) + "\n" + done.stderr)
    return done.stdout


def build(text, prefix, options="", chip="x86-64-v3"):
    """A loaded library; `prefix` is where files go. Fails when the object calls anything but the memory functions."""
    builds[0] += 1
    # A library of the same name would be taken for the one that is loaded already.
    prefix += f".{builds[0]}"
    with open(prefix + ".mlir", "w") as file:
        file.write(text)
    run("helion-opt", f"--helion-lower-cpu={options}", prefix + ".mlir", "-o", prefix + ".llvm.mlir")
    run("mlir-translate", "--mlir-to-llvmir", prefix + ".llvm.mlir", "-o", prefix + ".ll")
    target = [TRIPLE, "-mcpu=" + chip]
    run("opt", "-O2", *target, prefix + ".ll", "-o", prefix + ".bc")
    run("llc", "-O2", *target, "-relocation-model=pic", "-filetype=obj", prefix + ".bc", "-o", prefix + ".o")
    outside = set(run("llvm-nm", "-u", "--format=just-symbols", prefix + ".o").split())
    assert outside <= {"memcpy", "memmove", "memset"}, outside
    run("clang", "-shared", prefix + ".o", "-o", prefix + ".so")
    library = ctypes.CDLL(prefix + ".so")
    with open(prefix + ".llvm.mlir") as file:
        sizes = re.findall(r"helion.scratch_bytes = (\d+)", file.read())
    library.scratch = max([int(size) for size in sizes], default=0)
    return library


def memref(array):
    pointer = ctypes.c_void_p(array.ctypes.data)
    strides = [stride // array.itemsize for stride in array.strides]
    return [pointer, pointer] + [ctypes.c_int64(number) for number in [0, *array.shape, *strides]]


def call(library, name, *arguments):
    function = getattr(library, name)
    function.restype = None
    # Scratch is aligned and full of a pattern that is NaN in every float type.
    memory = np.full(library.scratch + 64, 0xFF, np.uint8)
    skip = -memory.ctypes.data % 64
    flat = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            flat += memref(argument)
        else:
            flat.append(ctypes.c_float(argument) if isinstance(argument, float) else ctypes.c_int64(argument))
    function(*flat, *memref(memory[skip:]))


def to_bf16(values):
    """Bits of bf16, rounded to nearest even, from f32 or f64 in one rounding."""
    values = np.asarray(values)
    if values.dtype == np.float64:
        nearest = values.astype(np.float32)
        bits = nearest.view(np.uint32).copy()
        grew = np.abs(nearest.astype(np.float64)) > np.abs(values)
        lost = nearest.astype(np.float64) != values
        finite = np.isfinite(values)
        bits[lost & finite] = (bits - grew.astype(np.uint32))[lost & finite] | 1
    else:
        bits = values.astype(np.float32).view(np.uint32)
    result = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), result)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(values, dtype):
    """An f32 array as memory of a kernel's type, and the f32 values that this memory holds."""
    if dtype == "bf16":
        bits = to_bf16(values)
        return bits, from_bf16(bits)
    held = values.astype({"f32": np.float32, "f16": np.float16, "f64": np.float64}[dtype])
    return held, held.astype(np.float32)


def decode(memory, dtype):
    return from_bf16(memory) if dtype == "bf16" else memory.astype(np.float64 if dtype == "f64" else np.float32)


def check(got, expected, tolerance, what=""):
    """Equal NaN and infinities, others within the tolerance relative to the largest of 1 and the value."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    assert got.shape == expected.shape, (what, got.shape, expected.shape)
    special = ~np.isfinite(expected)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    assert same[special].all(), (what, "special values", got[special][~same[special]][:4], expected[special][~same[special]][:4])
    error = np.abs(got[~special] - expected[~special]) / np.maximum(1, np.abs(expected[~special]))
    assert not error.size or error.max() <= tolerance, (what, error.max())
