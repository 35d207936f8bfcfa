// RUN: helion-opt --helion-finish-kernels %s | FileCheck %s
// RUN: helion-opt --helion-finish-kernels='lanes=64' %s | FileCheck %s --check-prefix=WIDE

// CHECK: llvm.func @k(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: f32) attributes {helion.entry, nvvm.kernel, nvvm.reqntid = array<i32: 256>, warps = 8 : i64}
// WIDE: nvvm.reqntid = array<i32: 512>
llvm.func @k(%x: !llvm.ptr {llvm.noalias}, %n: i64 {helion.multiple = 4 : i64}, %v: f32) attributes {helion.entry, warps = 8 : i64} {
  // CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") acq_rel : !llvm.ptr, f32
  %old = llvm.atomicrmw fadd %x, %v acq_rel : !llvm.ptr, f32
  llvm.return
}

// CHECK: llvm.func @helper() {
llvm.func @helper() {
  llvm.return
}
