# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Small .npy files, good and broken, for the tests of errors.
# Use: make-npy.py FOLDER
import os
import sys

import numpy as np

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def path(name):
    return os.path.join(folder, name)


def raw(name, data):
    with open(path(name), "wb") as file:
        file.write(data)


def header(text, version=1, data=b"", magic=b"\x93NUMPY"):
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return magic + bytes([version, 0]) + length + text.encode() + data


np.save(path("f8.npy"), np.arange(8, dtype=np.float32))
np.save(path("f9.npy"), np.arange(9, dtype=np.float32))
np.save(path("d8.npy"), np.arange(8, dtype=np.float64))
np.save(path("f4x2.npy"), np.zeros((4, 2), np.float32))
np.save(path("u2.npy"), np.zeros(8, np.uint16))
np.save(path("big-endian.npy"), np.zeros(8, ">f4"))
np.save(path("complex.npy"), np.zeros(8, np.complex64))
np.save(path("records.npy"), np.zeros(8, [("a", "f4"), ("b", "i4")]))
np.save(path("i64.npy"), np.array([0, 5, 2, 7], np.int64))
np.save(path("minus.npy"), np.array([0, -1, 2, 3], np.int64))
np.save(path("zeros.npy"), np.array([3, 0, 1], np.int32))
np.save(path("ones.npy"), np.array([1, 2, -3], np.int32))
np.save(path("bool.npy"), np.array([True, False, True]))
raw("empty.npy", b"")
raw("text.npy", b"not an array\n")
raw("version.npy", header("{}", version=9))
raw("short-header.npy", header("{'descr': '<f4'")[:12])
raw("no-keys.npy", header("{'descr': '<f4', }\n"))
raw("short-data.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }\n", data=bytes(12)))
raw("bad-shape.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (8,x), }\n", data=bytes(32)))
raw("huge.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }\n"))
raw("version2.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", version=2,
                           data=np.array([5, 6], np.float32).tobytes()))
