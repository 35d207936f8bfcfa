# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that calls of a sweep use again and again: on an NVIDIA device through torch, or here through numpy.

A buffer lies between red zones and keeps the lowest bits that its address has on the host. Values are compared where they
are; what is compared with was made once.
"""
import ctypes

import numpy

import cuda_artifact
import run_artifact

ZONE, KEPT, RED, GARBAGE = 4096, 256, 0xA5, 0x7B


class Host:
    """The same on a CPU, so that all but the driver's calls can be tried without a device."""

    math = numpy

    def upload(self, array):
        """A copy whose first byte is a multiple of KEPT."""
        raw = numpy.empty(array.nbytes + KEPT, numpy.uint8)
        begin = -raw.ctypes.data % KEPT
        copy = raw[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
        copy[...] = array
        return copy

    def address(self, memory):
        return memory.ctypes.data

    def same(self, one, other):
        return numpy.array_equal(one, other)

    def floats(self, memory, dtype):
        view = memory.view(run_artifact.NUMPY[dtype])
        return (run_artifact.float32(view) if dtype == "bf16" else view).astype(numpy.float64)

    def synchronize(self):
        pass

    def load(self, folder):
        return HostArtifact(folder)


class Device:
    def __init__(self):
        import torch  # Where there is no device there need not be one.

        self.math = torch
        torch.zeros(1, device="cuda")
        cuda_artifact.driver()
        self.types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64}

    def upload(self, array):
        return self.math.from_numpy(numpy.ascontiguousarray(array)).cuda()

    def address(self, memory):
        return memory.data_ptr()

    def same(self, one, other):
        return bool(self.math.equal(one, other))

    def floats(self, memory, dtype):
        return memory.view(self.types[dtype]).double()

    def synchronize(self):
        cuda_artifact.driver().call("cuCtxSynchronize")

    def load(self, folder):
        return DeviceArtifact(folder)


class Buffer:
    """`data`: bytes, `origin` of them before the element at index 0, whose address ends as `low` does."""

    def __init__(self, place, data, origin, low):
        self.place, self.size = place, len(data)
        self.front = ZONE + (low - origin) % KEPT
        raw = numpy.full(self.front + self.size + ZONE, RED, numpy.uint8)
        raw[self.front : self.front + self.size] = data
        self.memory, self.before = place.upload(raw), place.upload(raw)
        self.address = place.address(self.memory) + self.front + origin

    def inside(self):
        return self.memory[self.front : self.front + self.size]

    def reset(self):
        self.memory[:] = self.before

    def is_unchanged(self):
        return self.place.same(self.memory, self.before)

    def is_red_around(self):
        end = self.front + self.size
        return self.place.same(self.memory[: self.front], self.before[: self.front]) and self.place.same(
            self.memory[end:], self.before[end:])


def of_array(place, array):
    """The bytes that the elements span, whatever the strides."""
    spans = [(stride * (size - 1)) if size else 0 for stride, size in zip(array.strides, array.shape)]
    low = sum(min(span, 0) for span in spans)
    high = sum(max(span, 0) for span in spans) + (array.itemsize if array.size else 0)
    data = (ctypes.c_uint8 * (high - low)).from_address(array.ctypes.data + low) if array.size else b""
    return Buffer(place, numpy.frombuffer(data, numpy.uint8), -low if array.size else 0, array.ctypes.data)


def garbage(place, elements, dtype, low=0):
    return Buffer(place, numpy.full(elements * itemsize(dtype), GARBAGE, numpy.uint8), 0, low)


def itemsize(dtype):
    return numpy.dtype(run_artifact.NUMPY[dtype]).itemsize


class Evaluated:
    """Texts of a manifest, each compiled once."""

    codes = {}

    def evaluate(self, text, names):
        code = self.codes.get(text)
        if code is None:
            code = self.codes[text] = compile(self.python_of(text), "manifest", "eval")
        return eval(code, {"__builtins__": {}, "min": min, "max": max, "Integer": run_artifact.Integer}, names)


class HostArtifact(Evaluated, run_artifact.Artifact):
    pointer, dtypes = cuda_artifact.Artifact.pointer, cuda_artifact.Artifact.dtypes

    def launch(self, step, names, values, buffers):
        self.zones = []
        run_artifact.Artifact.launch(self, step, names, values, buffers, 3)

    def fill(self, step, names, values, buffers):
        data = filled(self, step, names)
        ctypes.memmove(buffers[step["buffer"]].address, data, len(data))

    def close(self):
        pass


class DeviceArtifact(Evaluated, cuda_artifact.Artifact):
    def fill(self, step, names, values, buffers):
        data = filled(self, step, names)
        cuda_artifact.driver().call("cuMemcpyHtoD_v2", ctypes.c_uint64(buffers[step["buffer"]].address), data,
                                    ctypes.c_size_t(len(data)))

    def close(self):
        cuda_artifact.driver().call("cuModuleUnload", self.module)


def filled(artifact, step, names):
    item = artifact.word({"scalar": None, "dtype": step["dtype"]}, names, {None: float(step["value"])}, {})
    return item[: itemsize(step["dtype"])] * int(artifact.evaluate(step["elements"], names))


def place_of(target):
    return Host() if target.startswith("cpu:") else Device()
