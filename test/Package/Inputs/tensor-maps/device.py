#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the package of make-check.sh on a GPU with torch's tensors: values at and over the edges of boxes, tensors that move, a captured
graph, and what becomes of strides that a tensor map may not have.

Use: device.py LIBMATMUL.so      (needs torch and a device of compute capability 9.0)
"""
import ctypes
import sys

import torch


class DLTensor(ctypes.Structure):
    """Of DLPack, with its device and type in place; a tensor of bf16 on the first GPU."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]

    def __init__(self, tensor, strides=None):
        rank = tensor.dim()
        super().__init__(tensor.data_ptr(), 2, 0, rank, 4, 16, 1, (ctypes.c_int64 * rank)(*tensor.shape),
                         (ctypes.c_int64 * rank)(*(strides or tensor.stride())), 0)


LIBRARY = ctypes.CDLL(sys.argv[1])
LIBRARY.matmul_strerror.restype = ctypes.c_char_p
FAILED = []


def call(x, y, out):
    tensors = [tensor if isinstance(tensor, DLTensor) else DLTensor(tensor) for tensor in (x, y, out)]
    return LIBRARY.matmul(*[ctypes.byref(tensor) for tensor in tensors], ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), None)


def check(name, status, x=None, y=None, out=None):
    torch.cuda.synchronize()
    good, seen = status == 0, f"{status}: {LIBRARY.matmul_strerror(status).decode()}"
    if good:
        want = x.float() @ y.float()
        error = ((out.float() - want).norm() / want.norm()).item()
        good, seen = error < 5e-3, f"relative error {error:.2e}"
    print(f"{'ok    ' if good else 'FAILED'} {name}: {seen}", flush=True)
    if not good:
        FAILED.append(name)


def random(*shape):
    return torch.randn(shape, device="cuda").bfloat16()


def nans(*shape):
    return torch.full(shape, float("nan"), device="cuda", dtype=torch.bfloat16)


def check_values():
    for m, n, k in ((128, 128, 64), (1000, 504, 264), (1, 8, 8), (129, 136, 72), (4096, 4096, 4096), (300, 2048, 5000)):
        x, y, out = random(m, k), random(k, n), nans(m, n)
        check(f"{m} x {n} x {k}", call(x, y, out), x, y, out)
    wide, out = random(500, 1024), nans(300, 512)
    x, y = wide[100:400, 8:328], wide[7:327, 512:]
    check("views that begin inside", call(x, y, out), x, y, out)


def check_graph():
    x, y, out, other = random(512, 256), random(256, 640), nans(512, 640), nans(512, 640)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        check("before the capture", call(x, y, out), x, y, out)
        graph, moved = torch.cuda.CUDAGraph(), [random(256, 640) for _ in range(8)]
        with torch.cuda.graph(graph, stream=stream):
            status = call(x, y, out)
        for tensor in moved:  # The frames of these calls lie where the captured one's lay.
            call(x, tensor, other)
    torch.cuda.synchronize()
    out.fill_(float("nan"))
    x.copy_(random(512, 256))
    graph.replay()
    check("a captured call, run when its inputs have changed", status, x, y, out)


def check_strides():
    """Each is right or refused with a text; both are well, a lost context is not."""
    x, y = random(256, 256), random(256, 128)
    for name, meant, first, strides in (("rows that repeat", x[:1].expand(256, 256), x, (0, 1)),
                                        ("rows that overlap", x.as_strided((192, 256), (8, 1)), x, (8, 1)),
                                        ("rows backwards", x.flip(0), x[255], (-256, 1)),
                                        ("one row, any stride", x[:1], x, (1 << 41, 1))):
        out, tensor = nans(meant.shape[0], 128), DLTensor(meant, strides)
        tensor.data = first.data_ptr()
        status = call(tensor, y, out)
        if status:
            print(f"       {name}: {status}: {LIBRARY.matmul_strerror(status).decode()}", flush=True)
        else:
            check(name, status, meant, y, out)
    out = nans(256, 128)
    check("works after that", call(x, y, out), x, y, out)


torch.zeros(1, device="cuda")
print(torch.cuda.get_device_name(0), "torch", torch.__version__, "prepare:", LIBRARY.matmul_prepare(0), flush=True)
check_values()
check_graph()
check_strides()
print(f"{len(FAILED)} checks failed" if FAILED else "all checks passed")
sys.exit(bool(FAILED))
