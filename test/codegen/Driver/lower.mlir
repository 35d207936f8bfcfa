// RUN: helion-opt --helion-lower %s | FileCheck %s --implicit-check-not='{{(func|memref|arith|scf|builtin)\.}}'
// RUN: helion-opt --helion-lower=target=cpu:x86-64-v4 %s | FileCheck %s --check-prefix=V4
// The symbol is named after the code and the facts: a fact more gives another name, a config text more the same.
// RUN: helion-opt --helion-lower %s | grep -o 'llvm.func @reverse[^(]*' > %t.one
// RUN: sed 's/"helion-config{v=1}"/"helion-config{v=1},helion-bind-blocks"/' %s | helion-opt --helion-lower | grep -o 'llvm.func @reverse[^(]*' | diff - %t.one
// RUN: sed 's/helion.facts = \[\]/helion.facts = [#helion.pred<"x.size(0) >= 1">]/' %s | helion-opt --helion-lower | grep -o 'llvm.func @reverse[^(]*' | not diff - %t.one

!arg = memref<?xf32, strided<[?], offset: ?>>
module attributes {helion.form = "scheduled", helion.config = "helion-config{v=1}"} {
  helion.kernel @reverse(%x: !arg {helion.name = "x"}) -> memref<?xf32> attributes {helion.signature = {x = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : !arg
    %last = arith.subi %n, %c1 : index
    %out = helion.empty(%n) {name = "out"} : memref<?xf32>
    helion.launch "reverse" grid(%n) {
      %i = helion.program_id "x"
      %j = arith.subi %last, %i : index
      %v = memref.load %x[%j] : !arg
      memref.store %v, %out[%i] : memref<?xf32>
    }
    helion.return %out : memref<?xf32>
  }
}
// CHECK: helion.config = "helion-config{v=1}", helion.form = "target", helion.manifest = "{{.*}}\22symbol\22:\22reverse_[[ID:[0-9a-f]+]]_0\22{{.*}}\22target\22:\22cpu:x86-64-v3\22
// CHECK: llvm.func @reverse_[[ID]]_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.call @reverse_[[ID]]_0_body
// CHECK: llvm.func internal @reverse_[[ID]]_0_body
// A stride may be negative: neither the product nor the address is said to be unsigned.
// CHECK: llvm.mul %{{.*}}, %{{.*}} overflow<nsw> : i64
// CHECK-NEXT: llvm.getelementptr inbounds %
// V4: \22target\22:\22cpu:x86-64-v4\22
