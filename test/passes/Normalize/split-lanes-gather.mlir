// One lane of a gather: its index is one number, of whatever integer type the indices have.
// RUN: helion-opt --helion-split-lanes %s | FileCheck %s --check-prefix=ALONE
// RUN: helion-opt --helion-normalize %s | FileCheck %s
// RUN: helion-opt --helion-normalize %s -o %t.mlir
// RUN: %python -c "import numpy; numpy.save('%t.ids.npy', numpy.array([5, 0, 2, 6])); numpy.save('%t.x.npy', numpy.arange(7 * 9, dtype='float32').reshape(7, 9))"
// RUN: helion-run --interpret %s --arg ids=%t.ids.npy --arg x=%t.x.npy --out %t.a.npy
// RUN: helion-run --interpret %t.mlir --arg ids=%t.ids.npy --arg x=%t.x.npy --out %t.b.npy
// RUN: %python -c "import numpy; x = numpy.load('%t.x.npy'); [numpy.testing.assert_array_equal(numpy.load('%t.' + a + '.npy'), x[2] + x[1]) for a in 'ab']"

!ids = memref<4xi64, strided<[?], offset: ?>>
!in  = memref<?x?xf32, strided<[?, ?], offset: ?>>
!n   = tensor<4xi64, #helion.dims<4>>
!v   = tensor<4x?xf32, #helion.dims<4, bj@j>>
!row = tensor<?xf32, #helion.dims<bj@j>>

// ALONE-LABEL: helion.kernel @third
// ALONE-NOT: helion.lane
// CHECK-LABEL: helion.kernel @third
// CHECK: %[[ID:.*]] = helion.load %arg0[%c2] site {{.*}} -> i64
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[ID]] : i64 to index
// CHECK: %[[ROW:.*]] = helion.load %arg1[%[[PLACE]], %{{.*}}]
// CHECK: %[[ONE:.*]] = helion.load %arg1[%c1, %{{.*}}]
// CHECK: arith.addf %[[ROW]], %[[ONE]]
helion.kernel @third(%ids: !ids {helion.name = "ids"}, %x: !in {helion.name = "x"}) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c1 : !in
  %out = helion.empty(%n) {name = "out"} : memref<?xf32>
  helion.block @bj tile
  helion.launch "third" {
    helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%n) site "loop.j" {
      %s = helion.range %c0 to %c4 site "slice.4" : !helion.tile<4>
      %i = helion.load %ids[%s] site "ids.0" : !ids, (!helion.tile<4>) -> !n
      %v = helion.load %x[%i, %j] site "x.0" : !in, (!n, !helion.tile<bj@j>) -> !v
      %a = helion.lane %v dim 0 at 2 : !v -> !row
      %w = helion.load %x[%s, %j] site "x.1" : !in, (!helion.tile<4>, !helion.tile<bj@j>) -> !v
      %b = helion.lane %w dim 0 at 1 : !v -> !row
      %sum = arith.addf %a, %b : !row
      helion.store %sum, %out[%j] site "out.0" : !row, memref<?xf32>, (!helion.tile<bj@j>)
    }
  }
  helion.return %out : memref<?xf32>
}
