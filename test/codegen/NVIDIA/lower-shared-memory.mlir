// RUN: helion-opt --helion-lower-shared-memory %s | FileCheck %s

// Two uses are one array, whose size the launch says. Spaces are numbers in every type.
// CHECK: llvm.mlir.global external @helion_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-NOT: llvm.mlir.global
// CHECK: func.func @f(%{{.*}}: memref<?xf32, 1>) {
func.func @f(%global: memref<?xf32, #gpu.address_space<global>>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: %[[A:.*]] = llvm.mlir.addressof @helion_shared : !llvm.ptr<3>
  // CHECK: llvm.insertvalue %[[A]], %{{.*}}[1]
  // CHECK: %[[S:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xi8, 3>
  // CHECK: memref.view %[[S]][%{{.*}}][] : memref<?xi8, 3> to memref<16xf32, 3>
  %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xf32, #gpu.address_space<workgroup>>
  // CHECK: llvm.mlir.addressof @helion_shared : !llvm.ptr<3>
  %t = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %b = memref.view %t[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xf32, #gpu.address_space<workgroup>>
  %v = memref.load %a[%c0] : memref<16xf32, #gpu.address_space<workgroup>>
  memref.store %v, %b[%c0] : memref<16xf32, #gpu.address_space<workgroup>>
  memref.store %v, %global[%c0] : memref<?xf32, #gpu.address_space<global>>
  return
}
