// RUN: %python %S/Inputs/make-npy.py %t
//
// Calls that do not fit: the command line, the signature, facts, asserts, blocks.
// DEFINE: %{run} = helion-run --interpret %s --kernel add
// DEFINE: %{xy} = --arg x=%t/f8.npy --arg y=%t/f8.npy
// RUN: not helion-run %s 2>&1 | FileCheck %s --check-prefix=WAY
// WAY: helion-run: `--interpret` is needed: it is the one way to run
// RUN: not helion-run --interpret %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: could not open input file {{.*}}absent.mlir
// RUN: not helion-run --interpret %s 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: helion-run: the file holds the kernels `add`, `none`; name one with `--kernel`
// RUN: not helion-run --interpret %s --kernel mul 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: helion-run: the file holds no kernel `mul`; it holds `add`, `none`
// RUN: echo "module {}" | not helion-run --interpret - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: helion-run: the file holds no kernel
// RUN: not %{run} --arg x=%t/f8.npy --arg s=1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: helion-run: argument `y` is missing; kernel `add` takes `x`, `y`, `s`
// RUN: not %{run} %{xy} --arg s=1 --arg z=1 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: helion-run: `--arg z=1`: kernel `add` has no argument `z`; its arguments are `x`, `y`, `s`
// RUN: not helion-run --interpret %s --kernel none --arg z=1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: kernel `none` has no argument `z`; its arguments are none
// RUN: not %{run} %{xy} --arg s 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: helion-run: `--arg s`: `NAME=VALUE` is needed
// RUN: not %{run} %{xy} --arg s=1 --arg s=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: helion-run: `--arg s=2`: `s` is given twice
// RUN: not %{run} %{xy} --arg s=one 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: helion-run: argument `s`: `one` is no integer
// RUN: not %{run} %{xy} --arg s=300 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: helion-run: argument `s`: `300` is outside the type
// RUN: not %{run} --arg x=%t/d8.npy --arg y=%t/f8.npy --arg s=1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: call-invalid.mlir:[[#]]:{{[0-9]+}}: error: kernel `add`: argument `x` has dtype `f64`; `f32` is needed
// RUN: not %{run} --arg x=%t/f4x2.npy --arg y=%t/f8.npy --arg s=1 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: kernel `add`: argument `x` has rank `2`; `1` is needed
// RUN: not %{run} %{xy} --arg s=1 --strides x=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: kernel `add`: argument `x`: sizes [8], strides [2] and offset `0` reach the elements `0` to `14` of `8`
// RUN: not %{run} %{xy} --arg s=1 --strides x=2,2 2>&1 | FileCheck %s --check-prefix=STRIDES
// STRIDES: error: kernel `add`: argument `x`: 2 strides for 1 sizes
// RUN: not %{run} %{xy} --arg s=1 --sizes x=-1 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: kernel `add`: argument `x`: sizes [-1] have a negative one
// RUN: not %{run} %{xy} --arg s=1 --offset x=a 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: helion-run: `--offset`: `a` is no integer
// RUN: not %{run} --arg x=%t/f9.npy --arg y=%t/f8.npy --arg s=1 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: call-invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: error: `helion.assert` does not hold: `x.size(0) == y.size(0)`
// RUN: not %{run} --arg x=%t/f8.npy --arg y=%t/f8.npy --arg s=1 --sizes x=2 --sizes y=2 2>&1 | FileCheck %s --check-prefix=FACT
// FACT: error: kernel `add`: the fact `x.size(0) >= 3` does not hold
// RUN: not %{run} --arg x=%t/f8.npy --arg y=%t/f8.npy --arg s=9 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: kernel `add`: the fact `s <= 5` does not hold
// RUN: not %{run} %{xy} --arg s=1 --out %t/a.npy,%t/b.npy 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: helion-run: `--out` names 2 files; kernel `add` has 1 results
// RUN: not %{run} %{xy} --arg s=1 --out-arg q=%t/a.npy 2>&1 | FileCheck %s --check-prefix=OUTARG
// OUTARG: helion-run: `--out-arg q={{.*}}a.npy`: kernel `add` has no tensor argument `q`
// RUN: not %{run} %{xy} --arg s=1 --blocks bi=0 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: helion-run: `--blocks`: `bi=0` is not `NAME=N` with N above 0
// RUN: not %{run} %{xy} --arg s=1 --blocks bi=8,bi=4 2>&1 | FileCheck %s --check-prefix=BLOCK2
// BLOCK2: helion-run: `--blocks`: `bi` is given twice
// RUN: not %{run} %{xy} --arg s=1 --blocks bk=8 2>&1 | FileCheck %s --check-prefix=NOBLOCK
// NOBLOCK: error: kernel `add`: kernel `add` has no block `bk`; its blocks are `bi`, `bo`, `bf`
// RUN: not helion-run --interpret %s --kernel none --blocks bk=8 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: error: kernel `none`: kernel `none` has no block `bk`; its blocks are already bound
// RUN: not %{run} %{xy} --arg s=1 --blocks bi=2 2>&1 | FileCheck %s --check-prefix=MIN
// MIN: block `bi` is bound to `2`, its `min` is `4`
// RUN: not %{run} %{xy} --arg s=1 --blocks bi=32 2>&1 | FileCheck %s --check-prefix=MAX
// MAX: block `bi` is bound to `32`, its `max` is `16`
// RUN: not %{run} %{xy} --arg s=1 --blocks bi=6 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: block `bi` is bound to `6`, its `multiple` is `4`
// RUN: not %{run} %{xy} --arg s=1 --blocks bf=6 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: block `bf` is bound to `6`, its `value` is `3`
//
// And one that fits.
// RUN: %{run} %{xy} --arg s=5 --print | FileCheck %s --check-prefix=FITS
// FITS: out0: f32[8] = 0 2 4 6 8 10 12 14

!f = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
helion.kernel @add(%x: !f {helion.name = "x"}, %y: !f {helion.name = "y"}, %s: i8 {helion.name = "s"}) -> memref<?xf32>
    attributes {helion.facts = [#helion.pred<"x.size(0) >= 3">, #helion.pred<"s <= 5">, #helion.pred<"x.stride(0) == 7">, #helion.pred<"dev.sms == 1000">]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !f
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.block @bi tile {min = 4, max = @bo, multiple = 4}
  helion.block @bo registered {max = 16}
  helion.block @bf fixed {value = 3}
  helion.launch "add" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "loop.i" {
      %a = helion.load %x[%i] site "x.0" : !f, (!helion.tile<bi@i>) -> !v
      %b = helion.load %y[%i] site "y.0" : !f, (!helion.tile<bi@i>) -> !v
      %d = arith.addf %a, %b : !v
      helion.store %d, %out[%i] site "out.0" : !v, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  // Asserts come first wherever they stand.
  %ny = memref.dim %y, %c0 : !f
  %same = arith.cmpi eq, %n, %ny : index
  helion.assert %same, "x.size(0) == y.size(0)"
  helion.return %out : memref<?xf32>
}

helion.kernel @none() {
  helion.return
}
