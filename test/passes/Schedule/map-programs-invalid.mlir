// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="pid_type=softmax=xyz" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=XYZ
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="pid_type=softmax=spiral" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="num_sm_multiplier=softmax=2" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="pid_type=matmul=xyz l2_groupings=loop.ij=4" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="l2_groupings=loop.ij=0" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="pid_type=softmax=persistent_blocked num_sm_multiplier=softmax=3" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not helion-opt --helion-bind-blocks --helion-map-programs="l2_groupings=loop.k=4" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=SITE

// XYZ: pid_type `xyz` of `softmax` needs one grid loop of 2 or 3 dims
// KIND: pid_type: `softmax` cannot be `spiral`; it takes one of `flat`, `xyz`
// FLAT: num_sm_multiplier of `softmax` needs a persistent pid_type
// GROUP: l2_groupings of `loop.ij` needs a linear program id, not `xyz`
// SITE: l2_groupings{{.*}}`loop.k`{{.*}}`loop.ij`
// ZERO: l2_groupings: `loop.ij` cannot be `0`; it takes an integer in 1..64
// THREE: num_sm_multiplier: `softmax` cannot be `3`; it takes an integer in 1..128 (powers of two)
