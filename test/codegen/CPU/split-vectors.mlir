// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of a round become native ones, op by op; an op that is not split gets its wide vector back.
// RUN: helion-opt --pass-pipeline='builtin.module(func.func(helion-split-vectors))' %s | FileCheck %s

// CHECK-LABEL: func.func @round
// CHECK: vector.load %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: vector.load %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK: %[[A:.*]] = arith.mulf %{{.*}} : vector<8xf32>
// CHECK-NEXT: %[[B:.*]] = arith.mulf %{{.*}} : vector<8xf32>
// CHECK: %[[W:.*]] = vector.insert_strided_slice %[[B]]
// CHECK: vector.store %[[A]]
// CHECK: vector.store %[[B]]
// CHECK: vector.reduction <add>, %[[W]] : vector<16xf32> into f32
// CHECK: arith.addf %[[A]], %[[B]] : vector<8xf32>
// CHECK-NOT: native_lanes
func.func @round(%x: memref<?xf32>, %n: index, %s: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant dense<2.0> : vector<16xf32>
  scf.for %i = %c0 to %n step %c16 {
    %v = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
    %e = arith.mulf %v, %two : vector<16xf32>
    vector.store %e, %x[%i] : memref<?xf32>, vector<16xf32>
    %r = vector.reduction <add>, %e : vector<16xf32> into f32
    %low = vector.extract_strided_slice %e {offsets = [0], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %high = vector.extract_strided_slice %e {offsets = [8], sizes = [8], strides = [1]} : vector<16xf32> to vector<8xf32>
    %sum = arith.addf %low, %high : vector<8xf32>
    vector.store %sum, %s[%c0] : memref<?xf32>, vector<8xf32>
    memref.store %r, %s[%i] : memref<?xf32>
  } {helion.native_lanes = 8 : i64}
  return
}
