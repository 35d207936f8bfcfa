// RUN: helion-opt --helion-split-fma %s | FileCheck %s

// CHECK-LABEL: func.func @fma
// CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[C:.*]]: f32
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : vector<4xf32>
// CHECK: %[[S:.*]] = arith.addf %[[P]], %[[A]] : vector<4xf32>
// CHECK: arith.mulf %[[C]], %[[C]] : f32
// CHECK-NOT: fma
func.func @fma(%a: vector<4xf32>, %b: vector<4xf32>, %c: f32) -> (vector<4xf32>, f32) {
  %r = vector.fma %a, %b, %a : vector<4xf32>
  %s = math.fma %c, %c, %c : f32
  return %r, %s : vector<4xf32>, f32
}

// CHECK-LABEL: func.func @no_fma
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: return
func.func @no_fma(%a: f32) -> f32 {
  %r = arith.mulf %a, %a : f32
  return %r : f32
}
