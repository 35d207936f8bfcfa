// RUN: helion-opt --helion-plan-shared %s | FileCheck %s
!shared = memref<64xf32, #gpu.address_space<workgroup>>

// Two that live one after the other share their bytes; the second write meets the first read, so it waits.
// CHECK-LABEL: func.func @reuse(
// CHECK-SAME: helion.shared_bytes = 256
// CHECK: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
func.func @reuse(%v: f32, %i: index, %j: index) -> (f32, f32) {
  %a = memref.alloc() : !shared
  memref.store %v, %a[%i] : !shared
  %r = memref.load %a[%j] : !shared
  %b = memref.alloc() : !shared
  memref.store %r, %b[%i] : !shared
  %s = memref.load %b[%j] : !shared
  return %r, %s : f32, f32
}

// Two that live together lie apart and need one barrier for both; reads need none among them.
// CHECK-LABEL: func.func @apart(
// CHECK-SAME: helion.shared_bytes = 512
// CHECK: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.load
// CHECK-NOT: gpu.barrier
func.func @apart(%v: f32, %i: index, %j: index) -> (f32, f32) {
  %a = memref.alloc() : !shared
  %b = memref.alloc() : !shared
  memref.store %v, %a[%i] : !shared
  memref.store %v, %b[%i] : !shared
  %r = memref.load %a[%j] : !shared
  %s = memref.load %b[%j] : !shared
  return %r, %s : f32, f32
}

// Around a loop the write of the next round meets the read of this one.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
func.func @loop(%v: f32, %i: index, %j: index, %n: index) -> f32 {
  %a = memref.alloc() : !shared
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %v) -> (f32) {
    memref.store %u, %a[%i] : !shared
    %w = memref.load %a[%j] : !shared
    scf.yield %w : f32
  }
  return %r : f32
}

// What was written before a loop is waited for before it, not in each round.
// CHECK-LABEL: func.func @before(
// CHECK: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.load
// CHECK-NOT: gpu.barrier
func.func @before(%v: f32, %i: index, %n: index) -> f32 {
  %a = memref.alloc() : !shared
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.store %v, %a[%i] : !shared
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %v) -> (f32) {
    %w = memref.load %a[%k] : !shared
    %s = arith.addf %u, %w : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// An atomic that orders other memory waits for the block before it, and the block for it; a relaxed one does not.
// CHECK-LABEL: func.func @order(
// CHECK: memref.store
// CHECK-NEXT: memref.atomic_rmw {{.*}} {helion.order = "relaxed"}
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.atomic_rmw {{.*}} {helion.order = "acq_rel"}
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
func.func @order(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xi32> {llvm.noalias}, %v: f32, %w: i32, %i: index) -> f32 {
  memref.store %v, %x[%i] : memref<?xf32>
  %a = memref.atomic_rmw addi %w, %y[%i] {helion.order = "relaxed"} : (i32, memref<?xi32>) -> i32
  %b = memref.atomic_rmw addi %w, %y[%i] {helion.order = "acq_rel"} : (i32, memref<?xi32>) -> i32
  %r = memref.load %x[%i] {helion.place = "a"} : memref<?xf32>
  return %r : f32
}

// Where threads part there is no barrier; it stands before.
// CHECK-LABEL: func.func @divergent(
// CHECK: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.load
// CHECK-NOT: helion.divergent
func.func @divergent(%v: f32, %i: index, %j: index, %c: i1) -> f32 {
  %a = memref.alloc() : !shared
  memref.store %v, %a[%i] : !shared
  %r = scf.if %c -> (f32) {
    %w = memref.load %a[%j] : !shared
    scf.yield %w : f32
  } else {
    scf.yield %v : f32
  } {helion.divergent}
  return %r : f32
}

// One way of a branch that all threads take together reads: the write after it waits on both ways.
// CHECK-LABEL: func.func @branch(
// CHECK: memref.store
// CHECK-NEXT: scf.if
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load
// CHECK: gpu.barrier
// CHECK-NEXT: memref.store
func.func @branch(%v: f32, %i: index, %j: index, %c: i1) -> f32 {
  %a = memref.alloc() : !shared
  memref.store %v, %a[%i] : !shared
  %r = scf.if %c -> (f32) {
    %w = memref.load %a[%j] : !shared
    scf.yield %w : f32
  } else {
    scf.yield %v : f32
  }
  memref.store %r, %a[%i] : !shared
  return %r : f32
}

// A host tensor that is written and read again; another one that overlaps no other; accesses of one place.
// CHECK-LABEL: func.func @host(
// CHECK: memref.store %{{.*}}, %[[X:.*]][%{{.*}}] : memref<?xf32>
// CHECK-NEXT: memref.load %[[Y:.*]][
// CHECK-NEXT: memref.store %{{.*}}, %[[Y]][
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load %[[X]][
func.func @host(%x: memref<?xf32>, %y: memref<?xf32> {llvm.noalias}, %v: f32, %i: index, %j: index) -> f32 {
  memref.store %v, %x[%i] : memref<?xf32>
  %w = memref.load %y[%j] {helion.place = "a"} : memref<?xf32>
  memref.store %w, %y[%j] {helion.place = "a"} : memref<?xf32>
  %r = memref.load %x[%j] : memref<?xf32>
  return %r : f32
}

// One that says its alignment begins at a multiple of it; one that is kept shares its bytes with none.
// CHECK-LABEL: func.func @aligned(
// CHECK-SAME: helion.shared_bytes = 1280
// CHECK-DAG: [[KEPT:%.+]] = arith.constant 320 : index
// CHECK-DAG: [[ALIGNED:%.+]] = arith.constant 1024 : index
// CHECK-DAG: memref.view %{{.+}}[[[ALIGNED]]]
// CHECK-DAG: memref.view %{{.+}}[[[KEPT]]]
func.func @aligned(%v: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<80xf32, #gpu.address_space<workgroup>>
  %b = memref.alloc() {alignment = 1024 : i64} : !shared
  memref.store %v, %a[%i] : memref<80xf32, #gpu.address_space<workgroup>>
  memref.store %v, %b[%i] : !shared
  %r = memref.load %a[%i] : memref<80xf32, #gpu.address_space<workgroup>>
  %s = memref.load %b[%i] : !shared
  %k = memref.alloc() {helion.kept} : memref<4xf32, #gpu.address_space<workgroup>>
  memref.store %v, %k[%i] : memref<4xf32, #gpu.address_space<workgroup>>
  %t = arith.addf %r, %s : f32
  return %t : f32
}
