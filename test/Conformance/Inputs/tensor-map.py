# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what a fake driver was asked for. Use: tensor-map.py LIBCUDA FOLDER-OF-run_artifact.py"""
import ctypes
import struct
import sys

sys.path.append(sys.argv[2])
import cuda_artifact  # noqa: E402
import run_artifact  # noqa: E402

LIBRARY = ctypes.CDLL(sys.argv[1])
WORD = {"map": "x", "offset": "22 * 104", "dtype": "bf16", "sizes": ["100 - 4", "46"], "strides": ["208 floordiv 2"],
        "box": [64, 32], "swizzle": 128}
FLAT = {"map": "x", "offset": 0, "dtype": "f8e4m3", "sizes": ["4096"], "strides": [], "box": [256], "swizzle": 0}
ARTIFACT = object.__new__(run_artifact.Artifact)


def evaluate(text):
    return int(ARTIFACT.evaluate(text, {}))


def ask(word):
    made = cuda_artifact.TensorMap(LIBRARY, word, 0x1000, evaluate)
    _, address, *numbers = struct.unpack("<11Q5H4B", ctypes.string_at(made.address, 102))
    sizes, strides, box, (rank, number, swizzle, promotion) = numbers[:5], numbers[5:9], numbers[9:14], numbers[14:]
    print(f"rank {rank}, type {number}, swizzle {swizzle}, promotion {promotion}, address {address:#x}, sizes {sizes[:rank]}, "
          f"strides {strides[:rank - 1]}, box {box[:rank]}")


ask(WORD)
ask(FLAT)
try:
    ask({**WORD, "offset": 0, "strides": ["100"]})
except RuntimeError as error:
    print(error)
try:
    ARTIFACT.word(WORD, {}, {}, {})
except ValueError as error:
    print(error)
