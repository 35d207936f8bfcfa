// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" --helion-map-programs %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s
// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" --helion-map-programs="l2_groupings=loop.ij=8" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=GROUP
// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" --helion-map-programs="pid_type=matmul=xyz" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=XYZ
// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" --helion-map-programs="pid_type=matmul=persistent_interleaved num_sm_multiplier=matmul=2" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=INTER
// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" --helion-map-programs="pid_type=matmul=persistent_blocked" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=BLOCKED

// CHECK: helion.form = "scheduled"
// CHECK: %[[TM:.*]] = arith.ceildivsi
// CHECK: %[[TN:.*]] = arith.ceildivsi
// CHECK: %[[T:.*]] = arith.muli %[[TM]], %[[TN]]
// CHECK: helion.launch "matmul" grid(%[[T]])
// CHECK: %[[P:.*]] = helion.program_id "x"
// CHECK: %[[J:.*]] = arith.remui %[[P]], %[[TN]]
// CHECK: %[[I:.*]] = arith.divui %[[P]], %[[TN]]
// CHECK: %[[I0:.*]] = arith.muli %[[I]], %c64
// CHECK: helion.make_tile %[[I0]] end
// CHECK: scf.for
// CHECK: helion.dot
// CHECK: site = "loop.k"

// GROUP: arith.minui
// GROUP: arith.remui
// XYZ: grid(%[[A:.*]], %[[B:.*]]) {
// XYZ: helion.program_id "x"
// XYZ: helion.program_id "y"
// XYZ-NOT: arith.remui
// INTER: helion.device_fact "sms"
// INTER: grid(%[[G:.*]])
// INTER: %[[ID:.*]] = helion.program_id "x"
// INTER: %[[NP:.*]] = helion.num_programs "x"
// INTER: scf.for %{{.*}} = %[[ID]] to %{{.*}} step %[[NP]]
// BLOCKED: %[[SHARE:.*]] = arith.ceildivui
// BLOCKED: %[[ID:.*]] = helion.program_id "x"
// BLOCKED: arith.muli %[[ID]], %[[SHARE]]
