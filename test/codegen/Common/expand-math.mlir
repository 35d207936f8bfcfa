// RUN: helion-opt --helion-expand-math %s | FileCheck %s

// A vector stays a vector, and no function is left; the flags of the table decide which types are expanded.
// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.exp
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.exp %x : vector<8xf32>
  return %e : vector<8xf32>
}

// Two tests for the bounds, one where the operand is marked.
// CHECK-LABEL: func.func @exp_anywhere
// CHECK-COUNT-2: arith.cmpf
// CHECK-LABEL: func.func @exp_of_non_positive
// CHECK-COUNT-1: arith.cmpf
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @exp_anywhere(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.exp %x : vector<8xf32>
  return %e : vector<8xf32>
}
func.func @exp_of_non_positive(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.exp %x {helion.non_positive} : vector<8xf32>
  return %e : vector<8xf32>
}

// CHECK-LABEL: func.func @scalar_f64
// CHECK-NOT: math.log
// CHECK: math.fma {{.*}} : f64
func.func @scalar_f64(%x: f64) -> f64 {
  %e = math.log %x : f64
  return %e : f64
}

// What is one instruction stays, and what has no formula for a type stays for the target to name.
// CHECK-LABEL: func.func @no_expansion
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.erf
func.func @no_expansion(%x: f64) -> f64 {
  %s = math.sqrt %x : f64
  %e = math.erf %s : f64
  return %e : f64
}

// LLVM is not told that it may take a reciprocal, whose range it would not look at.
// CHECK-LABEL: func.func @quotient
// CHECK-NEXT: arith.divf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NEXT: arith.divf %{{.*}}, %{{.*}} fastmath<nnan> : vector<8xf32>
func.func @quotient(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %q = arith.divf %x, %y fastmath<arcp> : vector<8xf32>
  %r = arith.divf %q, %y fastmath<nnan, arcp> : vector<8xf32>
  return %r : vector<8xf32>
}
