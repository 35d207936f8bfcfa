// RUN: helion-opt --helion-verify-form %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null
// RUN: helion-opt --helion-verify-form=form=scheduled %S/../../dialect/IR/forms/s-softmax-looped.mlir -o /dev/null
// RUN: not helion-opt --helion-verify-form=form=laid %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not helion-opt --helion-verify-form=form=scheduled %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not helion-opt --helion-verify-form %S/../../dialect/IR/forms/s-softmax-looped.mlir 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// RUN: helion-opt --helion-verify-form=form=laidout %S/../../dialect/IR/forms/l-matmul-hopper.mlir -o /dev/null
// RUN: not helion-opt --helion-verify-form=form=scheduled %S/../../dialect/IR/forms/l-matmul-hopper.mlir 2>&1 | FileCheck %s --check-prefix=LAIDOUT
// RUN: not helion-opt --helion-verify-form=form=laidout %S/../../dialect/IR/forms/s-softmax-looped.mlir 2>&1 | FileCheck %s --check-prefix=NOLAYOUT

// NAME: form `laid` is none of `kernel`, `scheduled`, `laidout`
// KERNEL: error: `helion.block` does not belong to form `scheduled`
// SCHEDULED: error: `helion.program_id` does not belong to form `kernel`
// LAIDOUT: error: `helion.tensor_map` does not belong to form `scheduled`
// NOLAYOUT: error: type 'tensor<1x1024xf32>' has no `#helion.layout`, as form `laidout` has
