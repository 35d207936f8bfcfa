// RUN: helion-opt --helion-expand-device-math %s | FileCheck %s
// Instructions of each number. Nothing tests a range but what the hardware's `rsqrt` and `div.full` do themselves.
// RUN: helion-opt --helion-lower-nvidia %s | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90a | FileCheck %s --check-prefix=PTX

// Six instructions. The product is rounded down, the minimum takes the number.
// CHECK-LABEL: func.func @exp
// CHECK: [[H:%.+]] = llvm.call_intrinsic "llvm.nvvm.mul.rm.f"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK-COUNT-2: math.fma
// CHECK: [[M:%.+]] = llvm.call_intrinsic "llvm.nvvm.fmin.f"
// CHECK: [[P:%.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"([[H]]) : (f32) -> f32
// CHECK: math.fma [[P]], [[M]], [[P]] : f32
// PTX-LABEL: exp(
// PTX-NOT: {{mul.rn|add|setp}}
// PTX: mul.rm.f32
// PTX-COUNT-2: fma.rn.f32
// PTX: min.f32
// PTX: ex2.approx.ftz.f32
// PTX-NEXT: fma.rn.f32
// PTX-NEXT: st.param
func.func @exp(%x: f32) -> f32 {
  %e = math.exp %x : f32
  return %e : f32
}

// Vectors are taken apart; f64 and exact quotients are not touched.
// CHECK-LABEL: func.func @vectors
// CHECK: vector.to_elements
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.from_elements
// CHECK: math.exp %{{.*}} : f64
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
func.func @vectors(%x: vector<2xf32>, %d: f64, %y: f32) -> (vector<2xf32>, f64, f32) {
  %e = math.exp2 %x : vector<2xf32>
  %f = math.exp %d : f64
  %q = arith.divf %y, %y : f32
  return %e, %f, %q : vector<2xf32>, f64, f32
}

// PTX-LABEL: rsqrt(
// PTX: rsqrt.approx.f32
// PTX-NOT: sqrt
func.func @rsqrt(%x: f32) -> f32 {
  %r = math.rsqrt %x : f32
  return %r : f32
}

// PTX-LABEL: tanh(
// PTX-NOT: div
// PTX: rcp.approx.ftz.f32
// PTX-NOT: div
func.func @tanh(%x: f32) -> f32 {
  %r = math.tanh %x : f32
  return %r : f32
}

// PTX-LABEL: erf(
// PTX: ex2.approx.ftz.f32
func.func @erf(%x: f32) -> f32 {
  %r = math.erf %x : f32
  return %r : f32
}

// A divisor of its own is divided by; one that eight numbers share is left, and becomes a reciprocal.
// CHECK-LABEL: func.func @quotients
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : vector<8xf32>
// PTX-LABEL: quotients(
// PTX-DAG: div.full.f32
// PTX-DAG: rcp.rn.f32
// PTX-LABEL: exact(
// PTX: div.rn.f32
func.func @quotients(%x: f32, %y: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %q = arith.divf %x, %y fastmath<arcp> : f32
  %b = vector.broadcast %y : f32 to vector<8xf32>
  %s = arith.divf %v, %b fastmath<arcp> : vector<8xf32>
  return %q, %s : f32, vector<8xf32>
}
func.func @exact(%x: f32, %y: f32) -> f32 {
  %q = arith.divf %x, %y : f32
  return %q : f32
}

// A constant divisor is shared, however few numbers there are: no division at all.
// PTX-LABEL: constants(
// PTX-NOT: {{div|rcp}}
// PTX: mul.rn.f32
// PTX-NOT: {{div|rcp}}
// PTX: ret
func.func @constants(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %seven = arith.constant 7.0 : f32
  %q = arith.divf %x, %seven fastmath<arcp> : f32
  %sevens = arith.constant dense<7.0> : vector<8xf32>
  %s = arith.divf %v, %sevens fastmath<arcp> : vector<8xf32>
  return %q, %s : f32, vector<8xf32>
}

// Of few bits: a product and the instruction.
// PTX-LABEL: few_exp(
// PTX-NOT: {{fma|min|add}}
// PTX: mul.rn.f32
// PTX-NEXT: ex2.approx.ftz.f32
// PTX-NEXT: st.param
func.func @few_exp(%x: f32) -> f32 {
  %e = math.exp %x {helion.few_bits} : f32
  return %e : f32
}

// One product for each number, and no division for the row; an own divisor and a constant are as they are without the mark.
// PTX-LABEL: few_quotients(
// PTX-NOT: {{div|rcp}}
// PTX: rcp.approx.ftz.f32
// PTX-NEXT: mul.rn.f32 [[R:%r[0-9]+]],
// PTX-NOT: {{div|rcp}}
// PTX-COUNT-8: mul.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[R]];
// PTX-NOT: mul
// PTX: ret
func.func @few_quotients(%v: vector<8xf32>, %y: f32) -> vector<8xf32> {
  %b = vector.broadcast %y : f32 to vector<8xf32>
  %s = arith.divf %v, %b fastmath<arcp> {helion.few_bits} : vector<8xf32>
  return %s : vector<8xf32>
}

// PTX-LABEL: few_others(
// PTX-NOT: rcp
// PTX-DAG: div.full.f32
// PTX-DAG: mul.rn.f32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0f3E124925;
// PTX: ret
func.func @few_others(%x: f32, %y: f32) -> (f32, f32) {
  %seven = arith.constant 7.0 : f32
  %q = arith.divf %x, %y fastmath<arcp> {helion.few_bits} : f32
  %s = arith.divf %x, %seven fastmath<arcp> {helion.few_bits} : f32
  return %q, %s : f32, f32
}
