// RUN: helion-opt --helion-launch-copies %s | FileCheck %s
// RUN: helion-opt --helion-normalize %s | FileCheck --check-prefix=NORMAL %s
// The interpreter runs both forms; values tell their index, and the source is read through a transposed view.
// RUN: %python -c "import numpy; numpy.save('%t.x.npy', numpy.arange(37*53, dtype='float32').reshape(37, 53))"
// RUN: helion-run --interpret %s --kernel copies --arg x=%t.x.npy --out %t.before
// RUN: helion-opt --helion-normalize %s -o %t.mlir
// RUN: helion-run --interpret %t.mlir --kernel copies --arg x=%t.x.npy --out %t.after
// RUN: %python -c "import glob, numpy; x = numpy.load('%t.x.npy'); [numpy.testing.assert_array_equal(numpy.load(f), x.T) for f in (glob.glob('%t.before*')[0], glob.glob('%t.after*')[0])]"

// CHECK-LABEL: helion.kernel @copies
// CHECK-NOT: memref.copy
// CHECK: helion.block @bc0_1 tile
// CHECK: helion.block @bc1 tile
// CHECK: helion.launch "copies.copy" {
// CHECK: helion.tile (%[[I:.*]]: !helion.tile<bc0_1@c0>, %[[J:.*]]: !helion.tile<bc1@c1>) = (%c0{{.*}}, %c0{{.*}}) to (%{{.*}}, %{{.*}}) site "loop.copy"
// CHECK: %[[V:.*]] = helion.load %{{.*}}[%[[I]], %[[J]]] site ""
// CHECK: helion.store %[[V]], %{{.*}}[%[[I]], %[[J]]] site ""
// NORMAL: helion.load %{{.*}} site "x.0"
// NORMAL: helion.store %{{.*}} site "out.0"
// A kernel without copies stays as it is.
// CHECK-LABEL: helion.kernel @nothing
// CHECK-NEXT: helion.return

!x = memref<?x?xf32, strided<[?, ?], offset: ?>>
helion.kernel @copies(%x: !x {helion.name = "x"}) -> memref<?x?xf32>
    attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !x
  %n = memref.dim %x, %c1 : !x
  helion.block @bc0 fixed {value = 4 : i64}
  %t = memref.transpose %x (i, j) -> (j, i) : !x to !x
  %out = helion.empty(%n, %m) {name = "out"} : memref<?x?xf32>
  memref.copy %t, %out : !x to memref<?x?xf32>
  helion.return %out : memref<?x?xf32>
}
helion.kernel @nothing() attributes {helion.signature = {}, helion.facts = []} {
  helion.return
}
