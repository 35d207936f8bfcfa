# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact folder for an NVIDIA target on numpy arrays, through the driver's own library and nothing of the project.

As run_artifact.py, which reads the manifest. Every buffer of the device lies between red zones; outputs and workspace
start as garbage; inputs keep their strides and the lowest address bits that they have on the host.
"""
import ctypes
import os
import struct

import numpy

import run_artifact

PAGE, ZONE, RED = 4096, 4096, 0xA5
DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
MULTIPROCESSORS = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
# CU_TENSOR_MAP_DATA_TYPE_.. and bytes: a type of the same width stands for those that maps do not know.
MAP_TYPES = {"ui8": (0, 1), "i8": (0, 1), "bool": (0, 1), "f8e4m3": (0, 1), "f8e5m2": (0, 1), "i16": (1, 2), "i32": (3, 4),
             "i64": (5, 8), "f16": (6, 2), "f32": (7, 4), "f64": (8, 8), "bf16": (9, 2)}
MAP_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # CU_TENSOR_MAP_SWIZZLE_..
L2_256_BYTES = 3  # CU_TENSOR_MAP_L2_PROMOTION_L2_256B


class Driver:
    """The calls that are needed, and one context."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        device, context, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuDeviceGetAttribute", ctypes.byref(count), MULTIPROCESSORS, device)
        run_artifact.DEVICE["sms"] = count.value

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value


DRIVER = None


def driver():
    global DRIVER
    DRIVER = DRIVER or Driver()
    return DRIVER


class TensorMap:
    """A parameter that is a tensor map (docs/design/0018) of the buffer at `buffer`; `evaluate` gives the values of expressions."""

    def __init__(self, library, word, buffer, evaluate):
        number, item = MAP_TYPES[word["dtype"]]
        sizes, strides = [evaluate(size) for size in word["sizes"]], [item * evaluate(stride) for stride in word["strides"]]
        rank, data = len(sizes), buffer + item * evaluate(word["offset"])
        self.memory = ctypes.create_string_buffer(128 + 64)
        self.address = ctypes.addressof(self.memory) + -ctypes.addressof(self.memory) % 64
        status = library.cuTensorMapEncodeTiled(
            ctypes.c_void_p(self.address), number, rank, ctypes.c_void_p(data), (ctypes.c_uint64 * rank)(*sizes),
            (ctypes.c_uint64 * rank)(*strides), (ctypes.c_uint32 * rank)(*word["box"]), (ctypes.c_uint32 * rank)(*[1] * rank),
            0, MAP_SWIZZLES[word["swizzle"]], L2_256_BYTES, 0)
        if status:
            raise RuntimeError(f"cuTensorMapEncodeTiled: error {status} for the map of `{word['map']}`: address {data:#x}, sizes {sizes}, "
                               f"strides of {strides} bytes, box {word['box']}, swizzle {word['swizzle']}")


class Word:
    """A parameter of 8 bytes."""

    def __init__(self, data):
        self.memory = ctypes.create_string_buffer(data, 8)
        self.address = ctypes.addressof(self.memory)


class Buffer:
    """Bytes of the host, `origin` of them before the element at index 0, and their copy on the device."""

    def __init__(self, data, origin, address):
        self.data, self.size = data, len(data)
        self.front = ZONE + (address - origin) % PAGE
        self.memory = driver().allocate(self.front + self.size + ZONE)
        raw = numpy.full(self.front + self.size + ZONE, RED, numpy.uint8)
        raw[self.front : self.front + self.size] = data
        driver().call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.memory), raw.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(raw)))
        self.address = self.memory + self.front + origin

    def read(self):
        """What lies there now; fails where a red zone was written."""
        raw = numpy.empty(self.front + self.size + ZONE, numpy.uint8)
        driver().call("cuMemcpyDtoH_v2", raw.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.memory), ctypes.c_size_t(len(raw)))
        assert (raw[: self.front] == RED).all() and (raw[self.front + self.size :] == RED).all(), "a red zone was written"
        return raw[self.front : self.front + self.size]

    def free(self):
        driver().call("cuMemFree_v2", ctypes.c_uint64(self.memory))


def of_array(array):
    """The bytes that the elements span, whatever the strides."""
    spans = [(stride * (size - 1)) if size else 0 for stride, size in zip(array.strides, array.shape)]
    low = sum(min(span, 0) for span in spans)
    high = sum(max(span, 0) for span in spans) + (array.itemsize if array.size else 0)
    data = (ctypes.c_uint8 * (high - low)).from_address(array.ctypes.data + low) if array.size else b""
    return Buffer(numpy.frombuffer(data, numpy.uint8).copy(), -low if array.size else 0, array.ctypes.data)


class Artifact(run_artifact.Artifact):
    def __init__(self, folder):
        self.read_manifest(folder)
        name = next(name for name in os.listdir(folder) if name.endswith((".cubin", ".ptx")))
        with open(os.path.join(folder, name), "rb") as file:
            image = file.read() + b"\0"
        self.module = ctypes.c_void_p()
        driver().call("cuModuleLoadData", ctypes.byref(self.module), image)

    def run(self, **values):
        assert self.legal(**values), "a fact or check does not hold"
        names, plan = self.names(values), self.manifest["plan"]
        buffers = {name: of_array(value) for name, value in values.items() if isinstance(value, numpy.ndarray)}
        before = {name: buffer.data for name, buffer in buffers.items()}
        shapes = {}
        for output in plan["outputs"]:
            shapes[output["name"]] = shape = [int(self.evaluate(size, names)) for size in output["sizes"]]
            buffers[output["name"]] = self.garbage(int(numpy.prod(shape)), output["dtype"])
        for space in plan["workspace"]:
            buffers[space["name"]] = self.garbage(int(self.evaluate(space["elements"], names)), space["dtype"])
        for step in plan["steps"]:
            getattr(self, step["step"])(step, names, values, buffers)
        driver().call("cuCtxSynchronize")
        after = {name: buffer.read() for name, buffer in buffers.items()}
        for buffer in buffers.values():
            buffer.free()
        writes = {argument["name"] for argument in self.manifest["arguments"] if argument.get("writes")}
        assert all((after[name] == data).all() for name, data in before.items() if name not in writes), "an input was written"
        return {output["name"]: after[output["name"]].view(run_artifact.NUMPY[output["dtype"]]).reshape(shapes[output["name"]])
                for output in plan["outputs"]}

    def garbage(self, elements, dtype):
        return Buffer(numpy.full(elements * numpy.dtype(run_artifact.NUMPY[dtype]).itemsize, 0x7B, numpy.uint8), 0, 0)

    def fill(self, step, names, values, buffers):
        buffer = buffers[step["buffer"]]
        elements = int(self.evaluate(step["elements"], names))
        item = self.word({"scalar": None, "dtype": step["dtype"]}, names, {None: float(step["value"])}, buffers)
        data = item[: numpy.dtype(run_artifact.NUMPY[step["dtype"]]).itemsize] * elements
        driver().call("cuMemcpyHtoD_v2", ctypes.c_uint64(buffer.address), data, ctypes.c_size_t(len(data)))

    def launch(self, step, names, values, buffers):
        grid = [int(self.evaluate(size, names)) for size in step["grid"]]
        if 0 in grid:
            return
        words = [self.parameter(word, names, values, buffers) for word in step["arguments"]]
        parameters = (ctypes.c_void_p * len(words))(*[word.address for word in words])
        function = ctypes.c_void_p()
        driver().call("cuModuleGetFunction", ctypes.byref(function), self.module, step["symbol"].encode())
        shared = step.get("shared", 0)
        if shared > 48 << 10:
            driver().call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, shared)
        driver().call("cuLaunchKernel", function, *grid, step["threads"], 1, 1, shared, None, parameters, None)

    def parameter(self, word, names, values, buffers):
        if "map" not in word:
            return Word(self.word(word, names, values, buffers))
        return TensorMap(driver().library, word, buffers[word["map"]].address, lambda text: int(self.evaluate(text, names)))

    def pointer(self, word, names, buffers):
        item = numpy.dtype(run_artifact.NUMPY[self.dtypes()[word["pointer"]]]).itemsize
        return struct.pack("<Q", buffers[word["pointer"]].address + int(self.evaluate(word["offset"], names)) * item)

    def dtypes(self):
        plan = self.manifest["plan"]
        return {buffer["name"]: buffer["dtype"]
                for buffer in self.manifest["arguments"] + plan["outputs"] + plan["workspace"] if "dtype" in buffer}


def load(folder):
    return Artifact(folder)
