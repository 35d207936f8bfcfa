// RUN: helion-opt --pass-pipeline='builtin.module(func.func(helion-fill-loads,canonicalize,cse))' %s | FileCheck %s
!i = !helion.tile<4>
!j = !helion.tile<64>
!x = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!r = memref<?xf32, strided<[1]>>
!h = tensor<4x64xbf16>
!t = tensor<4x64xf32>
!v = tensor<4xf32>

// Softmax: the load fills with -inf, exp makes 0 of it, no mask is left.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF80 : bf16
// CHECK: helion.load %{{.*}} other %[[LOWEST]] : bf16
// CHECK-NOT: helion.mask
// CHECK: return
func.func @softmax(%x: !x, %out: !x, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %i = helion.make_tile %p end %m : !i
  %j = helion.make_tile %c0 end %n : !j
  %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
  %w = arith.extf %v : !h to !t
  %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
  %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
  %c = helion.broadcast %b to [0] : !v -> !t
  %d = arith.subf %w, %c : !t
  %e = math.exp %d : !t
  %f = helion.mask %e dims [1] by (%j) fill %zero : !t, (!j), f32
  %s = helion.reduce addf %f dim 1 site "sum" : !t -> !v
  %g = helion.broadcast %s to [0] : !v -> !t
  %q = arith.divf %e, %g : !t
  %h = arith.truncf %q : !t to !h
  helion.store %h, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}

// The sum itself is stored: of a row without columns it is 0, so its mask stays.
// CHECK-LABEL: func.func @stored_sum(
// CHECK: helion.load %{{.*}} other
// CHECK: helion.reduce maximumf
// CHECK: helion.mask
// CHECK: helion.reduce addf
func.func @stored_sum(%x: !x, %out: !r, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %i = helion.make_tile %p end %m : !i
  %j = helion.make_tile %c0 end %n : !j
  %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
  %w = arith.extf %v : !h to !t
  %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
  %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
  %c = helion.broadcast %b to [0] : !v -> !t
  %d = arith.subf %w, %c : !t
  %e = math.exp %d : !t
  %f = helion.mask %e dims [1] by (%j) fill %zero : !t, (!j), f32
  %s = helion.reduce addf %f dim 1 site "sum" : !t -> !v
  helion.store %s, %out[%i] site "out" : !v, !r, (!i)
  return
}

// A loop's tile has a lane, and its carried maximum is at least that of the part; lanes of rows outside come through the loop and
// are not stored.
// CHECK-LABEL: func.func @online(
// CHECK: scf.for
// CHECK: helion.load %{{.*}} other
// CHECK-NOT: helion.mask
// CHECK: return
func.func @online(%x: !x, %out: !r, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<0xFF800000> : !v
  %none = arith.constant dense<0.0> : !v
  %i = helion.make_tile %p end %m : !i
  %r:2 = scf.for %k = %c0 to %n step %c64 iter_args(%largest = %low, %total = %none) -> (!v, !v) {
    %j = helion.make_tile %k end %n : !j
    %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
    %w = arith.extf %v : !h to !t
    %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
    %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
    %larger = arith.maximumf %largest, %b : !v
    %c = helion.broadcast %larger to [0] : !v -> !t
    %d = arith.subf %w, %c : !t
    %e = math.exp %d : !t
    %f = helion.mask %e dims [1] by (%j) fill %zero : !t, (!j), f32
    %s = helion.reduce addf %f dim 1 site "sum" : !t -> !v
    %u = arith.addf %total, %s : !v
    scf.yield %larger, %u : !v, !v
  }
  helion.store %r#1, %out[%i] site "out" : !v, !r, (!i)
  return
}

// Another sum sees the lanes outside, which must stay 0.
// CHECK-LABEL: func.func @seen(
// CHECK-NOT: other
// CHECK: helion.mask
// CHECK: helion.reduce maximumf
// CHECK: helion.reduce addf
func.func @seen(%x: !x, %out: !r, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %i = helion.make_tile %p end %m : !i
  %j = helion.make_tile %c0 end %n : !j
  %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
  %w = arith.extf %v : !h to !t
  %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
  %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
  %s = helion.reduce addf %w dim 1 site "sum" : !t -> !v
  %u = arith.addf %b, %s : !v
  helion.store %u, %out[%i] site "out" : !v, !r, (!i)
  return
}

// Rows outside are summed up with the others: no fill. What is stored by other tiles is seen too.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: other
// CHECK: return
func.func @rows(%x: !x, %out: !r, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %i = helion.make_tile %p end %m : !i
  %all = helion.make_tile %p : !i
  %j = helion.make_tile %c0 end %n : !j
  %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
  %w = arith.extf %v : !h to !t
  %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
  %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
  helion.store %b, %out[%all] site "out" : !v, !r, (!i)
  return
}

// exp of another row's difference may be anything.
// CHECK-LABEL: func.func @other_maximum(
// CHECK: helion.load %{{.*}} other
// CHECK: helion.mask
// CHECK: helion.reduce addf
func.func @other_maximum(%x: !x, %out: !x, %y: !v, %p: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %i = helion.make_tile %p end %m : !i
  %j = helion.make_tile %c0 end %n : !j
  %v = helion.load %x[%i, %j] site "x" : !x, (!i, !j) -> !h
  %w = arith.extf %v : !h to !t
  %a = helion.mask %w dims [1] by (%j) fill %lowest : !t, (!j), f32
  %b = helion.reduce maximumf %a dim 1 site "max" : !t -> !v
  %z = arith.addf %b, %y : !v
  %c = helion.broadcast %z to [0] : !v -> !t
  %d = arith.subf %w, %c : !t
  %e = math.exp %d : !t
  %f = helion.mask %e dims [1] by (%j) fill %zero : !t, (!j), f32
  %s = helion.reduce addf %f dim 1 site "sum" : !t -> !v
  %g = helion.broadcast %s to [0] : !v -> !t
  %q = arith.divf %e, %g : !t
  %h = arith.truncf %q : !t to !h
  helion.store %h, %out[%i, %j] site "out" : !h, !x, (!i, !j)
  return
}
