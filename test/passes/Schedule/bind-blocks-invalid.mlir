// RUN: not helion-opt --helion-bind-blocks="block_sizes=bi=0" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not helion-opt --helion-bind-blocks="block_sizes=bz=4" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-bind-blocks="block_sizes=bi=x" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not helion-opt --helion-bind-blocks="block_sizes=bi=4,bi=8" %S/../../dialect/IR/forms/k-softmax.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not helion-opt --helion-bind-blocks="block_sizes=bi=64,bc=32" %S/../../dialect/IR/forms/k-rms-norm-bwd.mlir 2>&1 | FileCheck %s --check-prefix=MAX

// ZERO: block_sizes: `bi` cannot be `0`; it takes an integer in 1..65536 or an integer in 8..65536 (powers of two times odd numbers up to 63)
// SITE: block_sizes{{.*}}`bz`{{.*}}`bi`
// VALUE: block_sizes{{.*}}`bi=x`
// TWICE: block_sizes{{.*}}`bi`
// MAX: extent `64` of block `bi` is above its maximum `32`
