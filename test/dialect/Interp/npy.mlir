// RUN: %python %S/Inputs/make-npy.py %t
//
// What is no array that helion-run can read, one line each.
// DEFINE: %{run} = helion-run --interpret %s --kernel copy --print --arg
// RUN: not %{run} x=%t/absent.npy 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: helion-run: argument `x`: cannot read `{{.*}}absent.npy`: No such file or directory
// RUN: not %{run} x=%t/empty.npy 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not %{run} x=%t/text.npy 2>&1 | FileCheck %s --check-prefix=MAGIC
// MAGIC: helion-run: argument `x`: `{{.*}}.npy` is no .npy file: it does not begin with the magic bytes
// RUN: not %{run} x=%t/version.npy 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: has version `9`; 1, 2 and 3 are known
// RUN: not %{run} x=%t/short-header.npy 2>&1 | FileCheck %s --check-prefix=SHORTHEADER
// SHORTHEADER: ends inside its header
// RUN: not %{run} x=%t/no-keys.npy 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS: has a header without `descr`, `fortran_order` and `shape`
// RUN: not %{run} x=%t/short-data.npy 2>&1 | FileCheck %s --check-prefix=SHORTDATA
// SHORTDATA: has `12` bytes of data, its shape [8] needs `32`
// RUN: not %{run} x=%t/bad-shape.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: has a shape that is no tuple of integers
// RUN: not %{run} x=%t/huge.npy 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: has a shape [4611686018427387904, 8] that no memory holds
// RUN: not %{run} x=%t/big-endian.npy 2>&1 | FileCheck %s --check-prefix=ENDIAN
// ENDIAN: has big-endian elements `>f4`; write it as little-endian
// RUN: not %{run} x=%t/complex.npy 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: has elements `<c8`, which are no number type known here
// RUN: not %{run} x=%t/records.npy 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: has structured elements; one number per element is needed
// RUN: not %{run} x=%t/f8.npy --dtype x=bf16 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: has elements `<f4`, which cannot be read as `bf16`
// RUN: not %{run} x=%t/f8.npy --dtype x=b16 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: helion-run: `--dtype x=b16`: the types are `f64`, `f32`, `f16`, `bf16`, `f8E4M3FN`,
// RUN: not %{run} x=%t/f8.npy --out %t/none/out.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: helion-run: cannot write `{{.*}}out.npy`: No such file or directory
//
// Version 2 is read; the output is one that numpy reads.
// RUN: %{run} x=%t/version2.npy --out %t/out.npy | FileCheck %s --check-prefix=READ
// READ: out0: f32[2] = 5 6
// RUN: %python -c "import numpy as np; a = np.load(r'%t/out.npy'); print(a.dtype, a)" | FileCheck %s --check-prefix=NUMPY
// NUMPY: float32 [5. 6.]
// RUN: helion-run --interpret %s --kernel bytes --arg x=%t/bool.npy --print --out %t/bytes.npy | FileCheck %s --check-prefix=BYTES
// BYTES: out0: i8[3] = 1 0 1

!f = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @copy(%x: !f {helion.name = "x"}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.block @bi tile
  helion.launch "copy" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !f, (!helion.tile<bi@i>) -> !v
      helion.store %v, %out[%i] site "out.0" : !v, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xf32>
}

// Host bool tensors are i8 in a kernel.
!b = memref<?xi8, strided<[?], offset: ?>>
helion.kernel @bytes(%x: !b {helion.name = "x"}) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !b
  %out = helion.empty(%n) {name = "out"} : memref<?xi8>
  helion.block @bi tile
  helion.launch "bytes" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %v = helion.load %x[%i] site "x.0" : !b, (!helion.tile<bi@i>) -> tensor<?xi8, #helion.dims<bi@i>>
      helion.store %v, %out[%i] site "out.0" : tensor<?xi8, #helion.dims<bi@i>>, memref<?xi8>, (!helion.tile<bi@i>)
    }
  }
  helion.return %out : memref<?xi8>
}
