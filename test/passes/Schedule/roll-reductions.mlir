// RUN: helion-opt --helion-roll-reductions="reduction_loops=slice.n=1024" %S/../../dialect/IR/forms/k-softmax.mlir | FileCheck %s
// RUN: helion-opt --helion-roll-reductions="reduction_loops=slice.n=1024" %S/../../dialect/IR/forms/k-softmax.mlir | helion-opt -o /dev/null
// Off case: without the option nothing changes.
// RUN: helion-opt %S/../../dialect/IR/forms/k-softmax.mlir -o %t.off.mlir && helion-opt --helion-roll-reductions %t.off.mlir | diff %t.off.mlir -

// Three loops: maximum, sum, quotient. Each loads again; sites are copied; the chunk is a fixed block of its own.
// CHECK-NOT: helion.block @rn slice
// CHECK: helion.block @rn_roll fixed {value = 1024 : i64}
// CHECK: site "loop.i"
// CHECK: %[[MAX:.*]] = helion.tile (%[[S:.*]]: !helion.tile<rn_roll@n.roll0>) {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<?x?xf32, #helion.dims<bi@i, rn_roll>>) site "slice.n"
// CHECK:   helion.load %{{.*}} site "x.0"
// CHECK:   %[[M:.*]] = helion.mask %{{.*}} dims [1] by(%[[S]])
// CHECK:   %[[V:.*]] = helion.rebound %[[M]]
// CHECK:   arith.maximumf %[[ACC]], %[[V]]
// CHECK: combine
// CHECK: %[[ROW:.*]] = helion.reduce maximumf %[[MAX]] dim 1 site "max.0"
// CHECK: %[[SUM:.*]] = helion.tile {{.*}} site "slice.n"
// CHECK:   helion.load %{{.*}} site "x.0"
// CHECK:   helion.broadcast %[[ROW]]
// CHECK:   math.exp
// CHECK: helion.reduce addf %[[SUM]] dim 1 site "sum.0"
// CHECK: helion.tile {{.*}} site "slice.n"
// CHECK:   helion.load %{{.*}} site "x.0"
// CHECK:   math.exp
// CHECK:   arith.divf
// CHECK:   helion.store
