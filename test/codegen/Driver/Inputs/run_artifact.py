# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact folder (helion-translate --emit-artifact) on numpy arrays by what its manifest says.

An implementation of docs/design/0002 that shares no code with the compiler: tests import it and compare with numpy.
Example: run_artifact.load("out/").run(x=numpy.ones((3, 4), numpy.float32), eps=0.5)["out"]
"""
import ctypes
import json
import os
import re
import struct

import numpy

NUMPY = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "uint16", "i8": "int8", "i16": "int16",
         "i32": "int32", "i64": "int64", "ui8": "uint8", "bool": "int8"}
DEVICE = {"sms": 2}
RED, ZONE = 0xA5, 128


class Integer(int):
    """Python's precedence fits the grammar if ceildiv is written as the operator @."""

    def __matmul__(self, other):
        return Integer(-(-int(self) // int(other)))

    def _wrap(name):
        return lambda self, other: Integer(getattr(int, name)(self, int(other)))

    __add__, __sub__, __mul__ = _wrap("__add__"), _wrap("__sub__"), _wrap("__mul__")
    __floordiv__, __mod__ = _wrap("__floordiv__"), _wrap("__mod__")


class Tensor:
    def __init__(self, array):
        self.array = array
        address = array.ctypes.data
        self.align = Integer(address & -address or 4096)

    def size(self, dim):
        return Integer(self.array.shape[dim])

    def stride(self, dim):
        return Integer(self.array.strides[dim] // self.array.itemsize)


def bfloat16(array):
    """float32 -> the bits of bfloat16, to nearest even; nan stays nan."""
    bits = numpy.asarray(array, numpy.float32).view(numpy.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.where(numpy.isnan(array), numpy.uint16(0x7FC0), rounded)


def float32(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


class Artifact:
    def __init__(self, folder):
        self.read_manifest(folder)
        self.library = ctypes.CDLL(os.path.abspath(os.path.join(folder, self.manifest["kernel"] + ".so")))

    def read_manifest(self, folder):
        with open(os.path.join(folder, "manifest.json")) as file:
            self.manifest = json.load(file)

    @staticmethod
    def python_of(text):
        text = re.sub(r"\bfloordiv\b", "//", re.sub(r"\bceildiv\b", "@", str(text)))
        return re.sub(r"(?<![\w.])(\d+)\b", r"Integer(\1)", text)

    def evaluate(self, text, names):
        return eval(self.python_of(text), {"__builtins__": {}, "min": min, "max": max, "Integer": Integer}, names)

    def holds(self, pred, names):
        return bool(self.evaluate(pred, names)) if "overlap" not in pred else True

    def names(self, values):
        names = {"dev": type("Device", (), {key: Integer(value) for key, value in DEVICE.items()})}
        for output in self.manifest["plan"]["outputs"]:
            names[output["name"]] = type("Output", (), {"align": Integer(64)})  # As `garbage` makes them.
        for name, value in values.items():
            if isinstance(value, numpy.ndarray):
                names[name] = Tensor(value)
            elif value is not None:
                names[name] = Integer(value) if isinstance(value, int) else value
        return names

    def legal(self, **values):
        """Whether the facts and the checks of the plan hold for this call."""
        names = self.names(values)
        preds = self.manifest["facts"] + [check["pred"] for check in self.manifest["plan"]["checks"]]
        return all(self.holds(pred, names) for pred in preds)

    def run(self, spans=3, **values):
        """The outputs by name; each launch is done in `spans` calls. Outputs and workspace start as garbage."""
        assert self.legal(**values), "a fact or check does not hold"
        names, plan = self.names(values), self.manifest["plan"]
        buffers = {name: value for name, value in values.items() if isinstance(value, numpy.ndarray)}
        outputs, self.zones = {}, []
        for output in plan["outputs"]:
            shape = [int(self.evaluate(size, names)) for size in output["sizes"]]
            outputs[output["name"]] = buffers[output["name"]] = self.garbage(shape, output["dtype"])
        for space in plan["workspace"]:
            elements = int(self.evaluate(space["elements"], names))
            buffers[space["name"]] = self.garbage([elements], space["dtype"])
        for step in plan["steps"]:
            getattr(self, step["step"])(step, names, values, buffers, spans)
        assert all((zone == RED).all() for zone in self.zones), "a byte beside an output, workspace or scratch was written"
        return outputs

    def garbage(self, shape, dtype):
        """An array of 0x7B bytes, aligned to 64, between two red zones that `run` looks at."""
        size = int(numpy.prod(shape)) * numpy.dtype(NUMPY[dtype]).itemsize
        raw = numpy.full(size + 3 * ZONE, RED, numpy.uint8)
        begin = ZONE + -(raw.ctypes.data + ZONE) % 64
        raw[begin : begin + size] = 0x7B
        self.zones += [raw[:begin], raw[begin + size :]]
        return raw[begin : begin + size].view(NUMPY[dtype]).reshape(shape)

    def fill(self, step, names, values, buffers, spans):
        value = float(step["value"]) if isinstance(step["value"], str) else step["value"]
        value = bfloat16(numpy.float32([value]))[0] if step["dtype"] == "bf16" else value
        buffers[step["buffer"]].reshape(-1)[: int(self.evaluate(step["elements"], names))] = value

    def launch(self, step, names, values, buffers, spans):
        grid = [int(self.evaluate(size, names)) for size in step["grid"]]
        programs = grid[0] * grid[1] * grid[2]
        if programs == 0:
            return
        words = b"".join(self.word(word, names, values, buffers) for word in step["arguments"])
        scratch = self.garbage([self.manifest["resources"]["scratch_bytes"]], "ui8")
        function = self.library[step["symbol"]]
        function.restype = None
        function.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
        ends = [programs * (span + 1) // spans for span in range(spans)]
        for begin, end in reversed(list(zip([0] + ends, ends))):
            function(words, struct.pack("<3q", *grid), begin, end, scratch.ctypes.data)

    def word(self, word, names, values, buffers):
        if "pointer" in word:
            return self.pointer(word, names, buffers)
        if "index" in word:
            return struct.pack("<q", int(self.evaluate(word["index"], names)))
        if "map" in word:
            raise ValueError(f"`{word['map']}` is passed as a tensor map, which only kernels of a GPU take")
        value = values[word["scalar"]]
        if word["dtype"] == "bf16":
            return bfloat16(numpy.float32([value])).tobytes().ljust(8, b"\0")
        return numpy.array([value], NUMPY[word["dtype"]]).tobytes().ljust(8, b"\0")

    def pointer(self, word, names, buffers):
        array = buffers[word["pointer"]]
        return struct.pack("<q", array.ctypes.data + int(self.evaluate(word["offset"], names)) * array.itemsize)


def load(folder):
    return Artifact(folder)
