// RUN: helion-opt --pass-pipeline='builtin.module(func.func(helion-mark-math))' %s | FileCheck %s
!i = !helion.tile<4>
!j = !helion.tile<64>
!x = memref<?x?xbf16, strided<[?, 1]>>
!f = memref<?x?xf32, strided<[?, 1]>>
!r = memref<?xf32, strided<[1]>>
!h = tensor<4x64xbf16>
!t = tensor<4x64xf32>
!v = tensor<4xf32>

// Softmax in bf16: the row's sum is of what is not negative, and no number below the normal ones.
// CHECK-LABEL: func.func @softmax(
// CHECK: math.exp %{{.*}} {helion.few_bits}
// CHECK: arith.divf %{{.*}} fastmath<arcp> {helion.few_bits}
func.func @softmax(%d: !t, %out: !x, %i: !i, %j: !j) {
  %e = math.exp %d : !t
  %s = helion.reduce addf %e dim 1 site "sum" : !t -> !v
  %b = helion.broadcast %s to [0] : !v -> !t
  %q = arith.divf %e, %b fastmath<arcp> : !t
  %o = arith.truncf %q : !t to !h
  helion.store %o, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}

// 11 bits are few, and so are those of 8-bit floats.
// CHECK-LABEL: func.func @widths(
// CHECK: math.exp %{{.*}} {helion.few_bits}
// CHECK: math.tanh %{{.*}} {helion.few_bits}
func.func @widths(%d: !t, %half: memref<?x?xf16>, %byte: memref<?x?xf8E4M3FN>, %i: !i, %j: !j) {
  %e = math.exp %d : !t
  %h = arith.truncf %e : !t to tensor<4x64xf16>
  helion.store %h, %half[%i, %j] site "half" : tensor<4x64xf16>, memref<?x?xf16>, (!i, !j)
  %u = math.tanh %d : !t
  %c = arith.truncf %u : !t to tensor<4x64xf8E4M3FN>
  helion.store %c, %byte[%i, %j] site "byte" : tensor<4x64xf8E4M3FN>, memref<?x?xf8E4M3FN>, (!i, !j)
  return
}

// The result in f32; the same value in bf16 and in f32; a row's sum in f32.
// CHECK-LABEL: func.func @stored(
// CHECK-NOT: helion.few_bits
// CHECK: return
func.func @stored(%d: !t, %wide: !f, %out: !x, %rows: !r, %i: !i, %j: !j) {
  %e = math.exp %d : !t
  helion.store %e, %wide[%i, %j] site "wide" : !t, !f, (!i, !j)
  %n = arith.negf %d : !t
  %u = math.exp %n : !t
  %o = arith.truncf %u : !t to !h
  helion.store %o, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  helion.store %u, %wide[%i, %j] site "too" : !t, !f, (!i, !j)
  %a = math.tanh %d : !t
  %z = math.absf %a : !t
  %s = helion.reduce addf %z dim 1 site "sum" : !t -> !v
  helion.store %s, %rows[%i] site "rows" : !v, !r, (!i)
  return
}

// Differences, and sums of what may have signs, lose bits: 1.001 - 1. So do a comparison, another exp and a rounding to an integer.
// CHECK-LABEL: func.func @amplified(
// CHECK-NOT: helion.few_bits
// CHECK: return
func.func @amplified(%d: !t, %out: !x, %i: !i, %j: !j) {
  %one = arith.constant dense<1.0> : !t
  %minus = arith.constant dense<-1.0> : !t
  %e0 = math.exp %d : !t
  %s0 = arith.subf %e0, %one : !t
  %a1 = arith.addf %d, %d : !t
  %e1 = math.exp %a1 : !t
  %s1 = arith.addf %e1, %minus : !t
  %a2 = arith.addf %a1, %d : !t
  %e2 = math.exp %a2 : !t
  %s2 = arith.addf %e2, %d : !t
  %a3 = arith.addf %a2, %d : !t
  %e3 = math.tanh %a3 : !t
  %r3 = helion.reduce addf %e3 dim 1 site "sum" : !t -> !v
  %s3 = helion.broadcast %r3 to [0] : !v -> !t
  %a4 = arith.addf %a3, %d : !t
  %e4 = math.exp %a4 : !t
  %less = arith.cmpf olt, %e4, %one : !t
  %s4 = arith.select %less, %d, %one : tensor<4x64xi1>, !t
  %a5 = arith.addf %a4, %d : !t
  %e5 = math.erf %a5 : !t
  %s5 = math.exp2 %e5 : !t
  %a6 = arith.addf %a5, %d : !t
  %e6 = math.exp %a6 : !t
  %n6 = arith.fptosi %e6 : !t to tensor<4x64xi32>
  %s6 = arith.sitofp %n6 : tensor<4x64xi32> to !t
  %m0 = arith.maximumf %s0, %s1 : !t
  %m1 = arith.maximumf %m0, %s2 : !t
  %m2 = arith.maximumf %m1, %s3 : !t
  %m3 = arith.maximumf %m2, %s4 : !t
  %m4 = arith.maximumf %m3, %s5 : !t
  %m5 = arith.maximumf %m4, %s6 : !t
  %o = arith.truncf %m5 : !t to !h
  helion.store %o, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}

// x / (1 + exp(-x)), largest of a row, roots, choices: errors stay as large as they are. The second quotient's divisor may be tiny.
// CHECK-LABEL: func.func @kept(
// CHECK: math.exp %{{.*}} {helion.few_bits}
// CHECK: arith.divf %{{.*}} fastmath<arcp> {helion.few_bits}
// CHECK: arith.divf %{{.*}} fastmath<arcp> :
// CHECK: arith.divf %{{.*}} :
func.func @kept(%d: !t, %where: tensor<4x64xi1>, %out: !x, %i: !i, %j: !j) {
  %one = arith.constant dense<1.0> : !t
  %n = arith.negf %d : !t
  %e = math.exp %n : !t
  %s = arith.addf %e, %one : !t
  %q = arith.divf %d, %s fastmath<arcp> : !t
  %r = helion.reduce maximumf %q dim 1 site "max" : !t -> !v
  %b = helion.broadcast %r to [0] : !v -> !t
  %root = math.sqrt %e : !t
  %c = arith.select %where, %b, %root : tensor<4x64xi1>, !t
  %u = arith.divf %c, %d fastmath<arcp> : !t
  %w = arith.divf %u, %s : !t
  %o = arith.truncf %w : !t to !h
  helion.store %o, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}

// Products add errors up: eight may meet, the ninth stays exact.
// CHECK-LABEL: func.func @powers(
// CHECK: math.exp %{{.*}} {helion.few_bits}
// CHECK: math.tanh %{{.*}} : tensor
func.func @powers(%d: !t, %out: !x, %i: !i, %j: !j) {
  %e = math.exp %d : !t
  %t = math.tanh %d : !t
  %e2 = arith.mulf %e, %e : !t
  %e4 = arith.mulf %e2, %e2 : !t
  %e8 = arith.mulf %e4, %e4 : !t
  %p = arith.mulf %e8, %t : !t
  %o = arith.truncf %p : !t to !h
  helion.store %o, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}

// Attention's loop: the factor of what is carried is multiplied again and again, so it is not marked; what is added once is. The
// accumulator of a dot has signs; what goes into a dot was rounded before.
// CHECK-LABEL: func.func @online(
// CHECK: scf.for
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK: math.exp %{{.*}} {helion.few_bits}
// CHECK: }
// CHECK: arith.divf %{{.*}} fastmath<arcp> :
func.func @online(%x: !t, %m: !v, %v: tensor<64x16xbf16>, %out: memref<?x?xbf16>, %i: !i, %k: !helion.tile<16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0.0> : !v
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %low = arith.constant dense<0xFF800000> : !v
  %r:3 = scf.for %step = %c0 to %n step %c1 iter_args(%largest = %low, %total = %none, %acc = %zero) -> (!v, !v, tensor<4x16xf32>) {
    %larger = arith.maximumf %largest, %m : !v
    %less = arith.subf %largest, %larger : !v
    %factor = math.exp %less : !v
    %b = helion.broadcast %larger to [0] : !v -> !t
    %d = arith.subf %x, %b : !t
    %e = math.exp %d : !t
    %s = helion.reduce addf %e dim 1 site "sum" : !t -> !v
    %old = arith.mulf %total, %factor : !v
    %new = arith.addf %old, %s : !v
    %p = arith.truncf %e : !t to !h
    %wide = helion.broadcast %factor to [0] : !v -> tensor<4x16xf32>
    %scaled = arith.mulf %acc, %wide : tensor<4x16xf32>
    %sum = helion.dot %p, %v, %scaled site "dot" : !h, tensor<64x16xbf16>, tensor<4x16xf32>
    scf.yield %larger, %new, %sum : !v, !v, tensor<4x16xf32>
  }
  %t = helion.broadcast %r#1 to [0] : !v -> tensor<4x16xf32>
  %q = arith.divf %r#2, %t fastmath<arcp> : tensor<4x16xf32>
  %o = arith.truncf %q : tensor<4x16xf32> to tensor<4x16xbf16>
  helion.store %o, %out[%i, %k] site "out" : tensor<4x16xbf16>, memref<?x?xbf16>, (!i, !helion.tile<16>)
  return
}

// What a branch gives is seen where it is used: here in f32.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT: helion.few_bits
// CHECK: return
func.func @branch(%d: !t, %c: i1, %wide: !f, %i: !i, %j: !j) {
  %r = scf.if %c -> !t {
    %e = math.exp %d : !t
    scf.yield %e : !t
  } else {
    scf.yield %d : !t
  }
  helion.store %r, %wide[%i, %j] site "wide" : !t, !f, (!i, !j)
  return
}
