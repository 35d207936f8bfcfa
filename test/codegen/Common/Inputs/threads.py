# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles functions of form L to the code of one thread, makes that a program for this machine, and runs all threads of each
# block on numpy arrays.
#
#   k = threads.Kernel("x:f32[m,n] out:f32[m,n] eps:f32", body, warps=4)   %x, %out are memrefs, %m, %n indices, %eps a float
#   k(x=x, out=out, m=7, n=19, eps=0.5, grid=(3,))
#
# The last stride of a tensor is 1, others are run-time numbers; `x:f32[m,n]!` has run-time strides only; `x:f32[m]@16` says that
# the pointer is aligned to 16 bytes, `n%4` that the index is a multiple, `x_s0%4` that the stride is.
import ctypes
import mmap
import re
import subprocess
import sys

import numpy as np

TRIPLE = "-mtriple=x86_64-unknown-linux-gnu"
NUMPY = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
    "i32": np.int32, "i64": np.int64, "index": np.int64}
ORDERS = (0, 1, 7)
builds = [0]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(" ".join(command) + "\n" + done.stderr)
    return done.stdout


# Further sources beside the harness, passes that replace helion-lower-threads, and passes before helion-simulate-threads:
# a vendor's tests set them.
sources = []
LOWER = "func.func(helion-lower-threads{{lanes={lanes} {options}}},canonicalize,cse)"
lower = LOWER
simulate = ["--helion-simulate-threads"]


def harness(prefix, source):
    """The harness as an object, made once for each test."""
    objects = []
    for number, path in enumerate([source] + sources):
        objects.append(f"{prefix}.harness{number}.o")
        run("clang++", "-std=c++17", "-O1", "-fPIC", "-c", path, "-o", objects[-1])
    run("ld.lld", "-r", *objects, "-o", prefix + ".harness.o")
    return prefix + ".harness.o"


class Tensor:
    def __init__(self, name, dtype, sizes, strided, align):
        self.name, self.dtype, self.sizes, self.align = name, dtype, sizes, align
        self.strides = [f"{name}_s{d}" for d in range(len(sizes))]
        if not strided and sizes:
            self.strides[-1] = None

    def type(self):
        shape = "".join("?x" for _ in self.sizes)
        strides = ", ".join("?" if s else "1" for s in self.strides)
        return f"memref<{shape}{self.dtype}, strided<[{strides}]>>"

    def prologue(self):
        n, rank0 = self.name, f"memref<{self.dtype}>"
        struct = "!llvm.struct<(ptr, ptr, i64)>"
        sizes = ", ".join("%" + s for s in self.sizes)
        strides = ", ".join("%" + s if s else "1" for s in self.strides)
        return f"""
  %{n}_d0 = llvm.mlir.poison : {struct}
  %{n}_d1 = llvm.insertvalue %{n}_p, %{n}_d0[0] : {struct}
  %{n}_d2 = llvm.insertvalue %{n}_p, %{n}_d1[1] : {struct}
  %{n}_z = llvm.mlir.constant(0 : i64) : i64
  %{n}_d3 = llvm.insertvalue %{n}_z, %{n}_d2[2] : {struct}
  %{n}_b = builtin.unrealized_conversion_cast %{n}_d3 : {struct} to {rank0}
  %{n} = memref.reinterpret_cast %{n}_b to offset: [0], sizes: [{sizes}], strides: [{strides}] : {rank0} to {self.type()}"""


def parse(signature):
    """Tensors, (name, type, multiple) of scalars, sizes first, and multiples of strides."""
    tensors, scalars, names, steps = [], [], [], {}
    for word in signature.split():
        tensor = re.fullmatch(r"(\w+):(\w+)\[([\w,]*)\](!?)(?:@(\d+))?", word)
        multiple = re.fullmatch(r"(\w+)%(\d+)", word)
        if tensor:
            name, dtype, sizes, strided, align = tensor.groups()
            sizes = [s for s in sizes.split(",") if s]
            tensors.append(Tensor(name, dtype, sizes, bool(strided), align))
            for size in sizes:
                if size not in names:
                    names.append(size)
                    scalars.append([size, "index", None])
        elif multiple:
            known = [s for s in scalars if s[0] == multiple[1]]
            if known:
                known[0][2] = multiple[2]
            else:
                steps[multiple[1]] = multiple[2]
        else:
            name, dtype = word.split(":")
            scalars.append([name, dtype, None])
    return tensors, scalars, steps


class Kernel:
    def __init__(self, signature, body, warps=1, lanes=32, types="", options="", alone=True):
        self.tensors, self.scalars, steps = parse(signature)
        self.warps, self.lanes = warps, lanes
        arguments = []
        for t in self.tensors:
            attributes = (["llvm.noalias"] if alone else []) + ([f"llvm.align = {t.align} : i64"] if t.align else [])
            arguments.append(f"%{t.name}_p: !llvm.ptr {{{', '.join(attributes)}}}")
        for name, dtype, multiple in self.scalars:
            arguments.append(f"%{name}: {dtype}" + (f" {{helion.multiple = {multiple} : i64}}" if multiple else ""))
        self.strides = [(t, d, s) for t in self.tensors for d, s in enumerate(t.strides) if s]
        arguments += [f"%{stride}: index" + (f" {{helion.multiple = {steps[stride]} : i64}}" if stride in steps else "")
                      for _, _, stride in self.strides]
        aliases = "\n".join(f"!{t.name} = {t.type()}" for t in self.tensors)
        self.text = f"""{types}
{aliases}
func.func @k({', '.join(arguments)}) attributes {{warps = {warps} : i64}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index{''.join(t.prologue() for t in self.tensors)}
{body}
  return
}}
"""
        self.build(options)

    def build(self, options):
        prefix, source = sys.argv[1], sys.argv[2] + "/harness.cpp"
        builds[0] += 1
        if builds[0] == 1:
            harness(prefix, source)
        name = f"{prefix}.{builds[0]}"
        with open(name + ".mlir", "w") as file:
            file.write(self.text)
        passes = lower.format(lanes=self.lanes, options=options)
        run("helion-opt", f"--pass-pipeline=builtin.module({passes})", name + ".mlir", "-o", name + ".threads.mlir")
        self.lowered = open(name + ".threads.mlir").read()
        self.shared = int(re.search(r"helion.shared_bytes = (\d+)", self.lowered)[1])
        self.barriers = self.lowered.count("gpu.barrier")
        self.shuffles = self.lowered.count("gpu.shuffle")
        run("helion-opt", *simulate, "--helion-lower-cpu", name + ".threads.mlir", "-o", name + ".llvm.mlir")
        run("mlir-translate", "--mlir-to-llvmir", name + ".llvm.mlir", "-o", name + ".ll")
        target = [TRIPLE, "-mcpu=x86-64-v3"]
        run("opt", "-O1", *target, name + ".ll", "-o", name + ".bc")
        run("llc", "-O1", *target, "-relocation-model=pic", "-filetype=obj", name + ".bc", "-o", name + ".o")
        run("clang++", "-shared", name + ".o", prefix + ".harness.o", "-o", name + ".so")
        self.library = ctypes.CDLL(name + ".so")
        self.library.helion_harness_run.restype = ctypes.c_char_p

    def words(self, values):
        words = np.zeros(64, np.int64)
        position = 0
        for t in self.tensors:
            array = values[t.name]
            assert array.dtype == NUMPY[t.dtype], (t.name, array.dtype)
            words[position] = array.ctypes.data
            position += 1
        for name, dtype, _ in self.scalars:
            words[position:position + 1].view(NUMPY[dtype] if dtype[0] == "f" else np.int64)[0] = values[name]
            position += 1
        for t, d, _ in self.strides:
            words[position] = values[t.name].strides[d] // values[t.name].itemsize
            position += 1
        return words

    def __call__(self, grid=(1,), order=0, **values):
        words = self.words(values)
        sizes = (ctypes.c_int64 * 3)(*(list(grid) + [1, 1])[:3])
        error = self.library.helion_harness_run(
            ctypes.cast(self.library.k, ctypes.c_void_p), ctypes.c_void_p(words.ctypes.data), sizes,
            ctypes.c_int64(self.warps * self.lanes), ctypes.c_int64(self.lanes), ctypes.c_int64(self.shared), ctypes.c_int64(order))
        if error:
            raise SystemExit(error.decode())


def guarded(array):
    """A copy whose last byte is the last of a page; the next page cannot be touched."""
    page = mmap.PAGESIZE
    size = -(-max(array.nbytes, 1) // page) * page
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    base = libc.mmap(None, size + 2 * page, 3, 0x22, -1, 0)
    libc.mprotect(base, page, 0)
    libc.mprotect(base + page + size, page, 0)
    buffer = (ctypes.c_char * max(array.nbytes, 1)).from_address(base + page + size - array.nbytes)
    copy = np.frombuffer(buffer, array.dtype, array.size).reshape(array.shape)
    copy[...] = array
    return copy


def sparse(rows, step, columns, dtype):
    """Rows of zeros that lie `step` bytes apart in memory that only the rows take."""
    size = rows * step
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000))
    buffer = np.frombuffer(memory, dtype, size // np.dtype(dtype).itemsize)
    return np.lib.stride_tricks.as_strided(buffer, (rows, columns), (step, np.dtype(dtype).itemsize))


def to_bf16(values):
    """Bits of bf16, rounded to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def numbers(memory, dtype):
    return from_bf16(memory).astype(np.float64) if dtype == "bf16" else memory.astype(np.float64)


def check(got, expected, tolerance, what=""):
    """Equal NaN and infinities, others within the tolerance relative to the largest of 1 and the value."""
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    assert got.shape == expected.shape, (what, got.shape, expected.shape)
    special = ~np.isfinite(expected)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    assert same[special].all(), (what, "special values", got[special], expected[special])
    error = np.abs(got[~special] - expected[~special]) / np.maximum(1, np.abs(expected[~special]))
    assert not error.size or error.max() <= tolerance, (what, error.max())
