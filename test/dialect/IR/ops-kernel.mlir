// RUN: helion-opt %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt %t.mlir | diff %t.mlir -
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt | diff %t.mlir -

!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-LABEL: helion.kernel @host_part
// CHECK-SAME: {helion.name = "x", helion.writes}
// CHECK-SAME: {helion.name = "eps"}
// CHECK-SAME: -> (memref<?x?xf32>, memref<?xf32>)
// CHECK-SAME: helion.facts = [#helion.pred<"x.stride(1) == 1">]
helion.kernel @host_part(%x: !arg {helion.name = "x", helion.writes}, %eps: f32 {helion.name = "eps"}) -> (memref<?x?xf32>, memref<?xf32>)
    attributes {helion.signature = {x = "f32[2]", eps = f32}, helion.facts = [#helion.pred<"x.stride(1) == 1">]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !arg
  %n = memref.dim %x, %c1 : !arg
  // CHECK: helion.block @bc registered
  helion.block @bc registered
  // CHECK: helion.block @bi tile {max = @bc, min = 2 : i64, multiple = 2 : i64}
  helion.block @bi tile {max = @bc, min = 2 : i64, multiple = 2 : i64}
  // CHECK: helion.block @bf fixed {value = 16 : i64}
  helion.block @bf fixed {value = 16 : i64}
  // CHECK: helion.block @rn slice
  helion.block @rn slice
  // CHECK: helion.block_size @bc
  %b = helion.block_size @bc
  %same = arith.cmpi eq, %m, %n : index
  // CHECK: helion.assert %{{.*}}, "x is square"
  helion.assert %same, "x is square"
  // CHECK: helion.empty(%{{.*}}, %{{.*}}) {name = "out"} : memref<?x?xf32>
  %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
  // CHECK: helion.empty() {name = "one", workspace} : memref<1xf32>
  %ws = helion.empty() {name = "one", workspace} : memref<1xf32>
  // CHECK: helion.full(%{{.*}}), %{{.*}} {name = "acc"} : f32 -> memref<?xf32>
  %full = helion.full(%m), %eps {name = "acc"} : f32 -> memref<?xf32>
  // CHECK: helion.device_fact "sms"
  %sms = helion.device_fact "sms"
  // CHECK: helion.launch "first" {
  helion.launch "first" {
  }
  // CHECK: helion.launch "second" grid(%{{.*}}, %{{.*}}) {
  helion.launch "second" grid(%m, %sms) {
  }
  // CHECK: helion.return %{{.*}}, %{{.*}} : memref<?x?xf32>, memref<?xf32>
  helion.return %out, %full : memref<?x?xf32>, memref<?xf32>
}

// CHECK-LABEL: helion.kernel @nothing_returned
helion.kernel @nothing_returned(%n: index {helion.name = "n"}) {
  helion.return
}
