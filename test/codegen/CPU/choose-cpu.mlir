// RUN: helion-opt --helion-bind-blocks --helion-map-programs --helion-choose-cpu="register_tiles=dot.0=[4,16]" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s
// Off case: without the option no dot has a tile.
// RUN: helion-opt --helion-bind-blocks --helion-map-programs --helion-choose-cpu %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=OFF
// RUN: not helion-opt --helion-choose-cpu="register_tiles=dot.1=[4,16]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-choose-cpu="register_tiles=dot.0=[4]" %S/../../dialect/IR/forms/k-matmul.mlir 2>&1 | FileCheck %s --check-prefix=LIST

// CHECK: helion.dot {{.*}} site "dot.0" {register_tile = array<i64: 4, 16>}
// OFF-NOT: register_tile
// SITE: register_tiles{{.*}}`dot.1`{{.*}}`dot.0`
// LIST: register_tiles of `dot.0` is not two numbers of at least 1
