// RUN: helion-opt --helion-normalize %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt --helion-normalize %t.mlir | diff %t.mlir -
// Off case: what needs nothing keeps its text.
// RUN: helion-opt %S/../../dialect/IR/forms/k-matmul.mlir -o %t.off.mlir && helion-opt --helion-normalize %t.off.mlir | FileCheck %s --check-prefix=OFF

// Folders of arith make constants of symbolic shape; they come back as splats inside the launch. Empty and repeated sites get
// names from what the op works on.
// OFF: site "loop.k"
!arg = memref<?xf32, strided<[?], offset: ?>>
!v = tensor<?xf32, #helion.dims<bi@i>>
!b = tensor<?xi1, #helion.dims<bi@i>>
!n = tensor<?xindex, #helion.dims<bi@i>>
module attributes {helion.form = "kernel"} {
  // CHECK-LABEL: helion.kernel @folds
  helion.kernel @folds(%x: !arg {helion.name = "x"}) -> memref<?xf32> attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !arg
    %out = helion.empty(%n) {name = "out"} : memref<?xf32>
    helion.block @bi tile
    // CHECK: helion.launch "f"
    // CHECK-NEXT: helion.splat %{{.*}} : i1 -> tensor<?xi1, #helion.dims<bi@i>>
    // CHECK-NOT: dense<
    helion.launch "f" {
      // CHECK: site "loop.0"
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%n) site "" {
        // CHECK: helion.load {{.*}} site "x.0"
        // CHECK: helion.load {{.*}} site "x.1"
        %a = helion.load %x[%i] site "x.0" : !arg, (!helion.tile<bi@i>) -> !v
        %c = helion.load %x[%i] site "x.0" {evict = "first"} : !arg, (!helion.tile<bi@i>) -> !v
        %k = helion.iota %i : !helion.tile<bi@i> -> !n
        %p = arith.cmpi eq, %k, %k : !n
        %q = arith.xori %p, %p : !b
        %s = arith.addf %a, %c : !v
        // CHECK: site "out.0"
        helion.store %s, %out[%i] mask %q : !b site "" : !v, memref<?xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<?xf32>
  }
}
