// Options that are no counts or names of the device, and modules that are not in form S.
// RUN: not helion-opt --helion-assign-layouts=lanes=24 %s 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not helion-opt --helion-assign-layouts=vector-bytes=0 %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not helion-opt --helion-assign-layouts=warps=0 %s 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not helion-opt --helion-assign-layouts=dot-instruction=wmma %s 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: not helion-opt --helion-assign-layouts %root/test/dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not helion-opt --helion-assign-layouts %s 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: sed 's/tensor<32x/tensor<1048576x1048576x/g' %s | not helion-opt --helion-assign-layouts 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not helion-opt "--helion-assign-layouts=warps=2 thread-elements=128" %S/Inputs/wide.mlir 2>&1 | FileCheck %s --check-prefix=THREAD
// RUN: not helion-opt "--helion-assign-layouts=warps=8 thread-elements=128 block-elements=8192" %S/Inputs/wide.mlir 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: tile of type 'tensor<4x4096xf32>' has `16384` elements; at most `8192` are allowed; choose smaller blocks
// THREAD: error: tile of type 'tensor<4x4096xf32>' has `256` elements for each thread of `2` warps; at most `128` are allowed; choose smaller blocks or more warps
// LANES: error: lanes: `24` is no power of two up to `1024`
// BYTES: error: vector-bytes: `0` is no power of two up to `1024`
// WARPS: error: 'helion.launch' op has `0` warps; 1 to `1024` are possible
// DOT: error: dot-instruction: `wmma` is none of `mma16x8x8`, `mma16x8x16`, `mma16x8x32`
// FORM: error: `helion.{{.*}}` does not belong to form `scheduled`
// SIZE: error: tile of type 'tensor<1048576x1048576xf32>' does not have 1 to `4194304` elements; choose other blocks
// RULE: error: 'scf.while' op has no rule for the layouts of its tile values
module attributes {helion.form = "scheduled"} {
  helion.kernel @spin(%x: memref<?xf32> {helion.name = "x"}) attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} {
    %c1 = arith.constant 1 : index
    helion.launch "spin" grid(%c1) {
      %z = arith.constant 0.0 : f32
      %false = arith.constant false
      %a = helion.splat %z : f32 -> tensor<32xf32>
      %r = scf.while (%v = %a) : (tensor<32xf32>) -> tensor<32xf32> {
        scf.condition(%false) %v : tensor<32xf32>
      } do {
      ^bb0(%v: tensor<32xf32>):
        scf.yield %v : tensor<32xf32>
      }
    }
    helion.return
  }
}
