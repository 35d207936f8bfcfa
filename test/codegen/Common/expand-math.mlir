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

// Where LLVM is told that it may take a reciprocal it does not look at its range: it is not told.
// CHECK-LABEL: func.func @quotient(
// CHECK-NEXT: arith.divf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NEXT: arith.divf %{{.*}}, %{{.*}} fastmath<nnan> : vector<8xf32>
func.func @quotient(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %q = arith.divf %x, %y fastmath<arcp> : vector<8xf32>
  %r = arith.divf %q, %y fastmath<nnan, arcp> : vector<8xf32>
  return %r : vector<8xf32>
}

// One reciprocal for each scalar that at least four elements share, made where the scalar is: outside of the loop.
// CHECK-LABEL: func.func @shared_divisors
// CHECK-COUNT-2: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: scf.for
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NOT: arith.divf
// CHECK: return
func.func @shared_divisors(%x: vector<8xf32>, %a: f32, %b: f32, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> vector<8xf32> {
    %d = vector.from_elements %a, %a, %b, %b, %a, %a, %b, %b : vector<8xf32>
    %q = arith.divf %v, %d fastmath<arcp> : vector<8xf32>
    scf.yield %q : vector<8xf32>
  }
  return %r : vector<8xf32>
}

// The reciprocal of a constant is one: a product, with two where its own would be no normal number.
// CHECK-LABEL: func.func @constant_divisors
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<8xf32>, %[[S:[a-z0-9]+]]: f32, %[[P:[a-z0-9]+]]: vector<2xf32>
// CHECK-DAG: %[[THIRD:.+]] = arith.constant dense<0.333333343> : vector<8xf32>
// CHECK-DAG: %[[TENTH:.+]] = arith.constant 1.000000e-01 : f32
// CHECK-DAG: %[[PAIR:.+]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : vector<2xf32>
// CHECK-DAG: %[[TINY:.+]] = arith.constant dense<5.4210097E+19> : vector<8xf32>
// CHECK-DAG: %[[SCALE:.+]] = arith.constant dense<1.84467441E+19> : vector<8xf32>
// CHECK-NOT: arith.divf
// CHECK: arith.mulf %[[X]], %[[THIRD]] : vector<8xf32>
// CHECK-NEXT: arith.mulf %[[S]], %[[TENTH]] : f32
// CHECK-NEXT: arith.mulf %[[P]], %[[PAIR]] : vector<2xf32>
// CHECK-NEXT: %[[T:.+]] = arith.mulf %[[X]], %[[TINY]] : vector<8xf32>
// CHECK-NEXT: arith.mulf %[[T]], %[[SCALE]] : vector<8xf32>
// CHECK-NEXT: return
func.func @constant_divisors(%x: vector<8xf32>, %s: f32, %p: vector<2xf32>) -> (vector<8xf32>, f32, vector<2xf32>, vector<8xf32>) {
  %three = arith.constant dense<3.0> : vector<8xf32>
  %q = arith.divf %x, %three fastmath<arcp> : vector<8xf32>
  %ten = arith.constant 10.0 : f32
  %r = arith.divf %s, %ten fastmath<arcp> : f32
  %pair = arith.constant dense<[2.0, 4.0]> : vector<2xf32>
  %t = arith.divf %p, %pair fastmath<arcp> : vector<2xf32>
  %least = arith.constant 1.0e-39 : f32
  %tiny = vector.broadcast %least : f32 to vector<8xf32>
  %u = arith.divf %x, %tiny fastmath<arcp> : vector<8xf32>
  return %q, %r, %t, %u : vector<8xf32>, f32, vector<2xf32>, vector<8xf32>
}

// Exact quotients stay, of constants too.
// CHECK-LABEL: func.func @exact_constant_divisor
// CHECK: arith.divf
func.func @exact_constant_divisor(%x: vector<8xf32>) -> vector<8xf32> {
  %three = arith.constant dense<3.0> : vector<8xf32>
  %q = arith.divf %x, %three : vector<8xf32>
  return %q : vector<8xf32>
}

// Too few elements for a reciprocal, or no permission.
// CHECK-LABEL: func.func @not_shared
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<3xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<8xf32>
func.func @not_shared(%x: vector<3xf32>, %y: vector<8xf32>, %a: f32) -> (vector<3xf32>, vector<8xf32>) {
  %d = vector.broadcast %a : f32 to vector<3xf32>
  %q = arith.divf %x, %d fastmath<arcp> : vector<3xf32>
  %e = vector.broadcast %a : f32 to vector<8xf32>
  %r = arith.divf %y, %e : vector<8xf32>
  return %q, %r : vector<3xf32>, vector<8xf32>
}
