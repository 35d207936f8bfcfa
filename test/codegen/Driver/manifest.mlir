// RUN: rm -rf %t && helion-translate --emit-artifact %t %s && FileCheck --input-file=%t/manifest.json %s
// RUN: %python %S/Inputs/check_scale.py %t | FileCheck --check-prefix=VALUES %s
// RUN: llvm-nm -D --defined-only %t/scale.so | FileCheck --check-prefix=SYMBOLS %s
// RUN: llvm-nm --undefined-only %t/scale.o | count 0
// The same bytes from the lowered module, from another folder, and where the text of the module has other locations.
// RUN: helion-opt --helion-lower %s -o %t.lowered.mlir && rm -rf %t.again && mkdir %t.again && cd %t.again
// RUN: helion-translate --emit-artifact . %t.lowered.mlir && diff -r %t %t.again
// RUN: helion-opt %s -o %t.moved.mlir && helion-translate --emit-object %t.moved.mlir -o - | diff - %t/scale.o
// REQUIRES: device-cpu, numpy
//
// Scalar code only: what the driver does is tested without a target's tile code. out[p, j] = x[p, j] * eps + n, in two
// launches with a workspace and a filled output between.
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
module attributes {helion.form = "scheduled", helion.config = "helion-config{v=1}"} {
  helion.kernel @scale(%x: !arg {helion.name = "x"}, %eps: f32 {helion.name = "eps"}, %n: i32 {helion.name = "n"}) -> (memref<?x?xf32>, memref<?xf32>)
      attributes {helion.signature = {x = "f32[2]", eps = f32, n = i32}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %seven = arith.constant 7.0 : f32
    %m = memref.dim %x, %c0 : !arg
    %k = memref.dim %x, %c1 : !arg
    %wide = arith.cmpi uge, %k, %c1 : index
    helion.assert %wide, "x has no columns"
    %out = helion.empty(%m, %k) {name = "out"} : memref<?x?xf32>
    %part = helion.empty(%k, %m) {name = "part", workspace} : memref<?x?xf32>
    %sum = helion.full(%k), %seven {name = "sum"} : f32 -> memref<?xf32>
    %gx = arith.ceildivui %m, %c8 : index
    helion.launch "scale" grid(%gx, %k) {
      %i = helion.program_id "x"
      %j = helion.program_id "y"
      %i0 = arith.muli %i, %c8 : index
      %i1 = arith.addi %i0, %c8 : index
      %e = arith.minui %i1, %m : index
      scf.for %p = %i0 to %e step %c1 {
        %v = memref.load %x[%p, %j] : !arg
        %w = arith.mulf %v, %eps : f32
        memref.store %w, %part[%j, %p] : memref<?x?xf32>
      }
    }
    %partT = memref.transpose %part (a, b) -> (b, a) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    helion.launch "shift" grid(%k) {
      %j = helion.program_id "x"
      %nf = arith.sitofp %n : i32 to f32
      %s0 = memref.load %sum[%j] : memref<?xf32>
      %s = scf.for %p = %c0 to %m step %c1 iter_args(%a = %s0) -> (f32) {
        %v = memref.load %partT[%p, %j] : memref<?x?xf32, strided<[1, ?]>>
        %u = arith.addf %v, %nf : f32
        memref.store %u, %out[%p, %j] : memref<?x?xf32>
        %b = arith.addf %a, %u : f32
        scf.yield %b : f32
      }
      memref.store %s, %sum[%j] : memref<?xf32>
    }
    helion.return %out, %sum : memref<?x?xf32>, memref<?xf32>
  }
}
// CHECK: {"arguments":[{"dtype":"f32","name":"x","rank":2},{"name":"eps","scalar":"f32"},{"name":"n","scalar":"i32"}]
// CHECK-SAME: "config":"helion-config{v=1}","facts":[],"kernel":"scale","kernel_hash":"{{[0-9a-f]+}}","object_hash":"{{[0-9a-f]+}}"
// CHECK-SAME: "plan":{"checks":[{"message":"x has no columns","pred":"x.size(1) >= 1"}]
// CHECK-SAME: "outputs":[{"dtype":"f32","name":"out","sizes":["x.size(0)","x.size(1)"]},{"dtype":"f32","name":"sum","sizes":["x.size(1)"]}]
// CHECK-SAME: "steps":[{"buffer":"sum","dtype":"f32","elements":"x.size(1)","step":"fill","value":7},{"arguments":[
// CHECK-SAME: "grid":["x.size(0) ceildiv 8","x.size(1)","1"],"step":"launch","symbol":"scale_[[ID:[0-9a-f]+]]_0"}
// CHECK-SAME: "symbol":"scale_[[ID]]_1"}
// CHECK-SAME: "workspace":[{"dtype":"f32","elements":"x.size(1) * x.size(0)","name":"part"}]
// CHECK-SAME: "resources":{"code_bytes":{{[1-9][0-9]*}},"scratch_bytes":0},"target":"cpu:x86-64-v3","toolchain":{"helion":"{{[0-9.]+}}","llvm":"22.{{[0-9.]+}}"},"version":1}
// VALUES: 7 cases equal numpy
// SYMBOLS: T scale_{{[0-9a-f]+}}_0
// SYMBOLS-NEXT: T scale_{{[0-9a-f]+}}_1
// SYMBOLS-NOT: {{.}}
