# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the artifact of scale.mlir with numpy: odd sizes, no rows, a transposed and a reversed x, a window of a larger array."""
import sys

import numpy

import run_artifact

artifact = run_artifact.load(sys.argv[1])
random = numpy.random.default_rng(0)
base = random.standard_normal((64, 80)).astype(numpy.float32)
cases = {"odd": base[:37, :53].copy(), "one": base[:1, :1].copy(), "no rows": base[:0], "transposed": base.T,
         "reversed": base[::-1, ::-1], "window": base[3:50:2, 5:71:3], "repeated": numpy.broadcast_to(base[:1], (9, 80))}
for name, x in cases.items():
    for spans in 1, 4:
        result = artifact.run(spans=spans, x=x, eps=0.25, n=-3)
        out = x * numpy.float32(0.25) + numpy.float32(-3)
        numpy.testing.assert_array_equal(result["out"], out, name)
        numpy.testing.assert_allclose(result["sum"], 7 + out.sum(0, dtype=numpy.float64), rtol=1e-4, atol=1e-3, err_msg=name)
assert not artifact.legal(x=base[:, :0], eps=1.0, n=1), "the plan lost the kernel's check"
print(len(cases), "cases equal numpy")
