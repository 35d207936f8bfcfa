// RUN: helion-opt --helion-bind-blocks --helion-map-programs --helion-choose-cpu="register_tiles=dot.0=[4,16]" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s
// Off case: without the option no dot has a tile.
// RUN: helion-opt --helion-bind-blocks --helion-map-programs --helion-choose-cpu %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=OFF
// RUN: not helion-opt --helion-choose-cpu="register_tiles=dot.1=[4,16]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-choose-cpu="register_tiles=dot.0=[4]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=LIST

// RUN: helion-opt --helion-choose-cpu="step_vectors=matmul=2 stream_stores=out.0=never" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=OTHERS
// RUN: not helion-opt --helion-choose-cpu="step_vectors=matmul=3" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not helion-opt --helion-choose-cpu="stream_stores=out.0=often" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=WORD

// OTHERS: helion.launch "matmul" {{.*}}step_vectors = 2
// OTHERS: helion.store {{.*}} site "out.0" {{.*}}stream = "never"
// STEP: step_vectors of `matmul` is `3`; it is a power of two from 1 to 8
// WORD: stream_stores of `out.0` is `often`; it is `large`, `always` or `never`
// CHECK: helion.dot {{.*}} site "dot.0" {register_tile = array<i64: 4, 16>}
// OFF-NOT: register_tile
// SITE: register_tiles{{.*}}`dot.1`{{.*}}`dot.0`
// LIST: register_tiles of `dot.0` is not two numbers of at least 1
