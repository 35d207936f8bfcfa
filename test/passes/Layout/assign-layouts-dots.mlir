// RUN: helion-opt --helion-assign-layouts --split-input-file %s -o %t.threads.mlir
// RUN: FileCheck %s --check-prefix=FMA < %t.threads.mlir
// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16 --split-input-file %s -o %t.matrices.mlir
// RUN: FileCheck %s --check-prefix=MMA < %t.matrices.mlir
// RUN: helion-opt --helion-assign-layouts=dot-instruction=mma16x8x16,mma16x8x8,mma16x8x32 --split-input-file %s -o %t.all.mlir
// RUN: FileCheck %s --check-prefix=ALL < %t.all.mlir
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.all.mlir -o /dev/null
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.threads.mlir -o /dev/null
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.matrices.mlir -o /dev/null
// RUN: helion-opt --helion-assign-layouts='dot-instruction=mma16x8x16 report' %root/test/dialect/IR/forms/s-attention-causal-hopper.mlir \
// RUN:   -o %t.attention.mlir 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: FileCheck %s --check-prefix=ATTENTION < %t.attention.mlir

// Multiply-adds of single threads: register tiles of 4 x 4, repeated; each thread holds its rows of the left operand and its columns of the
// right one for all of k, which are the accumulator's without the other dim. Operands come from loads of whole rows, once per
// k, and one of them from outside of the loop is converted outside of it.
// FMA-DAG: [[$ACC:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}0, 32], [16, 0]]>
// FMA-DAG: [[$LHS:#.+]] = #helion.layout<[64, 32], reg = {{\[\[}}1, 0], [2, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [4, 0], [8, 0]], warp = {{\[\[}}0, 0], [16, 0]]>
// FMA-DAG: [[$RHS:#.+]] = #helion.layout<[32, 64], reg = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 32]]>
// FMA-LABEL: helion.kernel @product
// FMA: [[X:%.+]] = helion.load
// FMA: [[L:%.+]] = helion.convert_layout [[X]] {{.*}} -> tensor<64x32xbf16, [[$LHS]]>
// FMA: scf.for
// FMA: [[Y:%.+]] = helion.load
// FMA: [[R:%.+]] = helion.convert_layout [[Y]] {{.*}} -> tensor<32x64xbf16, [[$RHS]]>
// FMA: helion.dot [[L]], [[R]], %{{.+}} site "dot.0" : tensor<64x32xbf16, [[$LHS]]>, tensor<32x64xbf16, [[$RHS]]>, tensor<64x64xf32, [[$ACC]]>
// FMA-NOT: instruction

// On matrices: fragments of 16 x 8 x 16, two warps along rows and two along columns; the dot names the instruction.
// MMA-DAG: [[$ACC:#.+]] = #helion.layout<[64, 64], reg = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}32, 0], [0, 32]]>
// MMA-DAG: [[$LHS:#.+]] = #helion.layout<[64, 32], reg = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}32, 0]]>
// MMA-DAG: [[$RHS:#.+]] = #helion.layout<[32, 64], reg = {{\[\[}}1, 0], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 32]]>
// MMA-LABEL: helion.kernel @product
// MMA: helion.dot {{.*}} site "dot.0" {instruction = "mma16x8x16"} : tensor<64x32xbf16, [[$LHS]]>, tensor<32x64xbf16, [[$RHS]]>, tensor<64x64xf32, [[$ACC]]>
!t = memref<?x?xbf16>
!o = memref<?x?xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @product(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y"}, %out: !o {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]", out = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %k = memref.dim %y, %c0 : !t
    helion.launch "product" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<64>
      %d = helion.make_tile %c0 : !helion.tile<32>
      %a = helion.load %x[%i, %d] site "x.0" : !t, (!helion.tile<64>, !helion.tile<32>) -> tensor<64x32xbf16>
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> tensor<64x64xf32>
      %r = scf.for %j = %c0 to %k step %c32 iter_args(%s = %z) -> (tensor<64x64xf32>) {
        %e = helion.make_tile %j : !helion.tile<32>
        %b = helion.load %y[%e, %i] site "y.0" : !t, (!helion.tile<32>, !helion.tile<64>) -> tensor<32x64xbf16>
        %p = helion.dot %a, %b, %s site "dot.0" : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
        scf.yield %p : tensor<64x64xf32>
      }
      helion.store %r, %out[%i, %i] site "out.0" : tensor<64x64xf32>, !o, (!helion.tile<64>, !helion.tile<64>)
    }
    helion.return
  }
}

// -----

// What the instruction does not take stays with threads: 8 rows, and operands of 32 bits. Batches go to warps first.
// MMA-LABEL: helion.kernel @small
// MMA: helion.dot {{.*}} site "dot.0" : tensor<8x32xbf16
// MMA: helion.dot {{.*}} site "dot.1" : tensor<16x32xf32
// MMA: helion.dot {{.*}} site "dot.2" {instruction = "mma16x8x16"} : tensor<4x16x16xf16
// MMA-NOT: instruction
// FMA-DAG: [[$BATCH:#.+]] = #helion.layout<[4, 16, 8], reg = {{\[\[}}0, 0, 1], [0, 1, 0]], lane = {{\[\[}}0, 0, 2], [0, 0, 4], [0, 2, 0], [0, 4, 0], [0, 8, 0]], warp = {{\[\[}}1, 0, 0], [2, 0, 0]]>
// FMA-LABEL: helion.kernel @small
// FMA: helion.dot {{.*}} site "dot.2" : {{.*}}, tensor<4x16x8xf32, [[$BATCH]]>
module attributes {helion.form = "scheduled"} {
  helion.kernel @small(%x: f32 {helion.name = "x"}, %out: memref<?x?xf32> {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "f32", out = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    helion.launch "small" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<8>
      %j = helion.make_tile %c0 : !helion.tile<16>
      %k = helion.make_tile %c0 : !helion.tile<4>
      %h = arith.truncf %x : f32 to bf16
      %g = arith.truncf %x : f32 to f16
      %a = helion.splat %h : bf16 -> tensor<8x32xbf16>
      %b = helion.splat %h : bf16 -> tensor<32x8xbf16>
      %z = helion.splat %x : f32 -> tensor<8x8xf32>
      %p = helion.dot %a, %b, %z site "dot.0" : tensor<8x32xbf16>, tensor<32x8xbf16>, tensor<8x8xf32>
      helion.store %p, %out[%i, %i] site "out.0" : tensor<8x8xf32>, memref<?x?xf32>, (!helion.tile<8>, !helion.tile<8>)
      %c = helion.splat %x : f32 -> tensor<16x32xf32>
      %d = helion.splat %x : f32 -> tensor<32x8xf32>
      %y = helion.splat %x : f32 -> tensor<16x8xf32>
      %q = helion.dot %c, %d, %y site "dot.1" : tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>
      helion.store %q, %out[%j, %i] site "out.1" : tensor<16x8xf32>, memref<?x?xf32>, (!helion.tile<16>, !helion.tile<8>)
      %e = helion.splat %g : f16 -> tensor<4x16x16xf16>
      %f = helion.splat %g : f16 -> tensor<4x16x8xf16>
      %w = helion.splat %x : f32 -> tensor<4x16x8xf32>
      %r = helion.dot %e, %f, %w site "dot.2" : tensor<4x16x16xf16>, tensor<4x16x8xf16>, tensor<4x16x8xf32>
      %s = helion.reduce addf %r dim 0 site "sum.0" : tensor<4x16x8xf32> -> tensor<16x8xf32>
      helion.store %s, %out[%j, %i] site "out.2" : tensor<16x8xf32>, memref<?x?xf32>, (!helion.tile<16>, !helion.tile<8>)
    }
    helion.return
  }
}

// Rows stay in a warp where they are reduced, and the probabilities are the left operand of the second product as they are: only loads and the
// last store are converted.
// COUNTS-COUNT-6: remark: converts [128, 128] through staged memory
// COUNTS-NOT: remark
// ATTENTION: [[$S:#.+]] = #helion.layout<[128, 128], {{.*}}, warp = {{\[\[}}32, 0], [64, 0]]>
// ATTENTION: [[P:%.+]] = arith.truncf {{.*}} to tensor<128x128xbf16, [[$S]]>
// ATTENTION: scf.for {{.*}} [[P]]
// ATTENTION: helion.dot {{.*}} site "dot.pv" {{.*}} : tensor<128x128xbf16, [[$S]]>

// -----

// Which instruction a dot runs on follows from its types and its precision: f32 that may be rounded, once or three times over, and i8 into i32.
// What is as precise as f32, whose depth is no 32 bytes, or whose sums are of another type, stays with threads.
// ALL-DAG: [[$L4:#.+]] = #helion.layout<[32, 16], reg = {{\[\[}}8, 0], [0, 4], [0, 8]], lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0]]>
// ALL-DAG: [[$R4:#.+]] = #helion.layout<[16, 16], reg = {{\[\[}}4, 0], [8, 0]], lane = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 8]]>
// ALL-DAG: [[$L1:#.+]] = #helion.layout<[32, 64], reg = {{\[\[}}0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0]]>
// ALL-DAG: [[$R1:#.+]] = #helion.layout<[64, 16], reg = {{\[\[}}1, 0], [2, 0], [16, 0], [32, 0]], lane = {{\[\[}}4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 0], [0, 8]]>
// ALL-DAG: [[$C:#.+]] = #helion.layout<[32, 16], reg = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [0, 8]]>
// ALL-LABEL: helion.kernel @types
// ALL: helion.dot {{.*}} site "dot.0" precision{{ *}}tf32 {instruction = "mma16x8x8"} : tensor<32x16xf32, [[$L4]]>, tensor<16x16xf32, [[$R4]]>, tensor<32x16xf32, [[$C]]>
// ALL: helion.dot {{.*}} site "dot.1" precision{{ *}}tf32x3 {instruction = "mma16x8x8"} : tensor<32x16xf32, [[$L4]]>, tensor<16x16xf32, [[$R4]]>, tensor<32x16xf32, [[$C]]>
// ALL: helion.dot {{.*}} site "dot.2" : tensor<32x16xf32
// ALL: helion.dot {{.*}} site "dot.3" {instruction = "mma16x8x32"} : tensor<32x64xi8, [[$L1]]>, tensor<64x16xi8, [[$R1]]>, tensor<32x16xi32, [[$C]]>
// ALL: helion.dot {{.*}} site "dot.4" : tensor<32x16xi8
// ALL: helion.dot {{.*}} site "dot.5" : tensor<32x64xi8, {{.*}}xi64
// ALL: helion.dot {{.*}} site "dot.6" precision{{ *}}tf32 : tensor<32x16xf32, {{.*}}xf64
// MMA-LABEL: helion.kernel @types
// MMA-NOT: instruction
!a4 = tensor<32x16xf32>
!b4 = tensor<16x16xf32>
!c4 = tensor<32x16xf32>
module attributes {helion.form = "scheduled"} {
  helion.kernel @types(%x: f32 {helion.name = "x"}, %n: i8 {helion.name = "n"}, %out: memref<?x?xf32> {helion.name = "out", helion.writes}, %sum: memref<?x?xi32> {helion.name = "sum", helion.writes},
      %wide: memref<?x?xi64> {helion.name = "wide", helion.writes}, %fine: memref<?x?xf64> {helion.name = "fine", helion.writes})
      attributes {helion.signature = {x = "f32", n = "i8", out = "f32[2]", sum = "i32[2]", wide = "i64[2]", fine = "f64[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    helion.launch "types" grid(%c8) {
      %i = helion.make_tile %c0 : !helion.tile<32>
      %j = helion.make_tile %c0 : !helion.tile<16>
      %a = helion.splat %x : f32 -> !a4
      %b = helion.splat %x : f32 -> !b4
      %z = helion.splat %x : f32 -> !c4
      %p0 = helion.dot %a, %b, %z site "dot.0" precision tf32 : !a4, !b4, !c4
      helion.store %p0, %out[%i, %j] site "out.0" : !c4, memref<?x?xf32>, (!helion.tile<32>, !helion.tile<16>)
      %p1 = helion.dot %a, %b, %z site "dot.1" precision tf32x3 : !a4, !b4, !c4
      helion.store %p1, %out[%i, %j] site "out.1" : !c4, memref<?x?xf32>, (!helion.tile<32>, !helion.tile<16>)
      %p2 = helion.dot %a, %b, %z site "dot.2" : !a4, !b4, !c4
      helion.store %p2, %out[%i, %j] site "out.2" : !c4, memref<?x?xf32>, (!helion.tile<32>, !helion.tile<16>)
      %e = helion.splat %n : i8 -> tensor<32x64xi8>
      %f = helion.splat %n : i8 -> tensor<64x16xi8>
      %zero = arith.constant 0 : i32
      %w = helion.splat %zero : i32 -> tensor<32x16xi32>
      %p3 = helion.dot %e, %f, %w site "dot.3" : tensor<32x64xi8>, tensor<64x16xi8>, tensor<32x16xi32>
      helion.store %p3, %sum[%i, %j] site "out.3" : tensor<32x16xi32>, memref<?x?xi32>, (!helion.tile<32>, !helion.tile<16>)
      %g = helion.splat %n : i8 -> tensor<32x16xi8>
      %h = helion.splat %n : i8 -> tensor<16x16xi8>
      %p4 = helion.dot %g, %h, %w site "dot.4" : tensor<32x16xi8>, tensor<16x16xi8>, tensor<32x16xi32>
      helion.store %p4, %sum[%i, %j] site "out.4" : tensor<32x16xi32>, memref<?x?xi32>, (!helion.tile<32>, !helion.tile<16>)
      %long = arith.constant 0 : i64
      %v = helion.splat %long : i64 -> tensor<32x16xi64>
      %p5 = helion.dot %e, %f, %v site "dot.5" : tensor<32x64xi8>, tensor<64x16xi8>, tensor<32x16xi64>
      helion.store %p5, %wide[%i, %j] site "out.5" : tensor<32x16xi64>, memref<?x?xi64>, (!helion.tile<32>, !helion.tile<16>)
      %double = arith.constant 0.0 : f64
      %u = helion.splat %double : f64 -> tensor<32x16xf64>
      %p6 = helion.dot %a, %b, %u site "dot.6" precision tf32 : !a4, !b4, tensor<32x16xf64>
      helion.store %p6, %fine[%i, %j] site "out.6" : tensor<32x16xf64>, memref<?x?xf64>, (!helion.tile<32>, !helion.tile<16>)
    }
    helion.return
  }
}
