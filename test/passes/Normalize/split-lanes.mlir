// RUN: helion-opt --helion-split-lanes %s | FileCheck %s --check-prefix=ALONE
// RUN: helion-opt --helion-normalize %s | FileCheck %s
// The interpreter runs both forms.
// RUN: %python -c "import numpy; x = numpy.arange(37 * 8, dtype='float32').reshape(37, 8); x[3, 4] = numpy.nan; x[5, 2] = -0.0; numpy.save('%t.x.npy', x)"
// RUN: helion-run --interpret %s --kernel parts --arg x=%t.x.npy --out %t.a.npy,%t.b.npy,%t.c.npy
// RUN: helion-opt --helion-normalize %s -o %t.mlir
// RUN: helion-run --interpret %t.mlir --kernel parts --arg x=%t.x.npy --out %t.d.npy,%t.e.npy,%t.f.npy
// RUN: %python -c "import numpy; [numpy.testing.assert_array_equal(numpy.load('%t.' + a + '.npy'), numpy.load('%t.' + b + '.npy')) for a, b in ('ad', 'be', 'cf')]"
// RUN: %python -c "import numpy; x = numpy.load('%t.x.npy'); numpy.testing.assert_array_equal(numpy.load('%t.d.npy'), numpy.concatenate([x[:, 4:], x[:, :4]], 1))"
// RUN: %python -c "import numpy; x = numpy.load('%t.x.npy').reshape(37, 4, 2); numpy.testing.assert_array_equal(numpy.load('%t.e.npy'), x[..., ::-1].reshape(37, 8))"
// RUN: %python -c "import numpy; x = numpy.load('%t.x.npy'); numpy.testing.assert_array_equal(numpy.load('%t.f.npy'), x.reshape(37, 2, 4).sum(2)[:, 1] + x[:, 6])"

!in  = memref<?x8xf32, strided<[?, ?], offset: ?>>
!v   = tensor<?x8xf32, #helion.dims<bi@i, 8>>
!h   = tensor<?x4xf32, #helion.dims<bi@i, 4>>
!p   = tensor<?x2x4xf32, #helion.dims<bi@i, 2, 4>>
!q   = tensor<?x4x2xf32, #helion.dims<bi@i, 4, 2>>
!row = tensor<?xf32, #helion.dims<bi@i>>

// CHECK-LABEL: helion.kernel @parts
// ALONE-NOT: helion.lane
// ALONE-NOT: helion.stack
helion.kernel @parts(%x: !in {helion.name = "x"}) -> (memref<?x8xf32>, memref<?x8xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = memref.dim %x, %c0 : !in
  %turned = helion.empty(%m) {name = "turned"} : memref<?x8xf32>
  %pairs = helion.empty(%m) {name = "pairs"} : memref<?x8xf32>
  %sums = helion.empty(%m) {name = "sums"} : memref<?xf32>
  helion.block @bi tile
  helion.launch "parts" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      // Halves that change places: a load and a store of each. What other lanes need stays whole; every site has its name.
      // CHECK: %[[ALL:.*]] = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      // CHECK: %[[HIGH:.*]] = helion.range %c4 to %c8 site "slice.0" : !helion.tile<4>
      // CHECK: %[[LOW:.*]] = helion.range %c0 to %c4 site "slice.1" : !helion.tile<4>
      // CHECK: %[[V:.*]] = helion.load %arg0[%{{.*}}, %[[ALL]]] site "x.0"
      // CHECK: %[[SIXTH:.*]] = helion.load %arg0[%{{.*}}, %c6] site "x.1"
      // CHECK: %[[B:.*]] = helion.load %arg0[%{{.*}}, %[[HIGH]]] site "x.2"
      // CHECK: %[[A:.*]] = helion.load %arg0[%{{.*}}, %[[LOW]]] site "x.3"
      // CHECK: helion.store %[[B]], %{{.*}}[%{{.*}}, %[[LOW]]] site "turned.0"
      // CHECK: helion.store %[[A]], %{{.*}}[%{{.*}}, %[[HIGH]]] site "turned.1"
      %s = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<8>) -> !v
      %p = helion.reshape %v [array<i64: 0>, array<i64: 1, 2>] : !v -> !p
      %a = helion.lane %p dim 1 at 0 : !p -> !h
      %b = helion.lane %p dim 1 at 1 : !p -> !h
      %t = helion.stack %b, %a dim 1 : (!h, !h) -> !p
      %w = helion.reshape %t [array<i64: 0>, array<i64: 1, 2>] : !p -> !v
      helion.store %w, %turned[%i, %s] site "turned.0" : !v, memref<?x8xf32>, (!helion.tile<bi@i>, !helion.tile<8>)

      // Neighbours: the maximum over lanes of which one counts, and a selection by lane.
      // CHECK: %[[Q:.*]] = helion.reshape %[[V]] [array<i64: 0>, array<i64: 1, 2>]
      // CHECK: %[[IOTA:.*]] = helion.iota -> tensor<2xindex, #helion.dims<2>>
      // CHECK: %[[FIRST:.*]] = helion.broadcast %{{.*}} to [2] : {{.*}} -> tensor<?x4x2xi1
      // CHECK: %[[ONE:.*]] = arith.select %[[FIRST]], %[[Q]], %{{.*}} : tensor<?x4x2xi1
      // CHECK: %[[EVEN:.*]] = helion.reduce maximumf %[[ONE]] dim 2
      // CHECK: %[[ODD:.*]] = helion.reduce maximumf %{{.*}} dim 2
      // CHECK: %[[WE:.*]] = helion.broadcast %[[EVEN]] to [0, 1]
      // CHECK: %[[WO:.*]] = helion.broadcast %[[ODD]] to [0, 1]
      // CHECK: arith.select %[[FIRST]], %[[WO]], %[[WE]] : tensor<?x4x2xi1
      // CHECK: helion.store {{.*}} site "pairs.0"
      %q = helion.reshape %v [array<i64: 0>, array<i64: 1, 2>] : !v -> !q
      %even = helion.lane %q dim 2 at 0 : !q -> !h
      %odd = helion.lane %q dim 2 at 1 : !q -> !h
      %r = helion.stack %odd, %even dim 2 : (!h, !h) -> !q
      %f = helion.reshape %r [array<i64: 0>, array<i64: 1, 2>] : !q -> !v
      helion.store %f, %pairs[%i, %s] site "pairs.0" : !v, memref<?x8xf32>, (!helion.tile<bi@i>, !helion.tile<8>)

      // A lane of what is computed over other lanes, and one element of a row.
      // CHECK: helion.reduce addf %{{.*}} dim 2 site "sum.0"
      // CHECK: %[[SECOND:.*]] = helion.reduce maximumf %{{.*}} dim 1
      // CHECK: arith.addf %[[SECOND]], %[[SIXTH]]
      %sum = helion.reduce addf %p dim 2 site "sum.0" : !p -> tensor<?x2xf32, #helion.dims<bi@i, 2>>
      %second = helion.lane %sum dim 1 at 1 : tensor<?x2xf32, #helion.dims<bi@i, 2>> -> !row
      %sixth = helion.lane %v dim 1 at 6 : !v -> !row
      %both = arith.addf %second, %sixth : !row
      helion.store %both, %sums[%i] site "sums.0" : !row, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %turned, %pairs, %sums : memref<?x8xf32>, memref<?x8xf32>, memref<?xf32>
}

// A kernel without lanes stays as it is.
// CHECK-LABEL: helion.kernel @plain
// CHECK: helion.range %c0{{.*}} to %c8{{.*}} site "slice.8" : !helion.tile<8>
// CHECK: helion.load {{.*}} site "x.0"
// CHECK-NOT: helion.load
// CHECK: helion.store {{.*}} site "out.0"
helion.kernel @plain(%x: !in {helion.name = "x"}) -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %m = memref.dim %x, %c0 : !in
  %out = helion.empty(%m) {name = "out"} : memref<?x8xf32>
  helion.block @bi tile
  helion.launch "plain" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %s = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      %v = helion.load %x[%i, %s] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<8>) -> !v
      %w = arith.negf %v : !v
      helion.store %w, %out[%i, %s] site "out.0" : !v, memref<?x8xf32>, (!helion.tile<bi@i>, !helion.tile<8>)
    }
  }
  helion.return %out : memref<?x8xf32>
}
