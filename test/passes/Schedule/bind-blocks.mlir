// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=4,rn=2048" %S/../../dialect/IR/forms/k-softmax.mlir | FileCheck %s
// RUN: helion-opt --helion-bind-blocks="block_sizes=bm=64,bn=32,bk=16" %S/../../dialect/IR/forms/k-matmul.mlir | FileCheck %s --check-prefix=MATMUL
// RUN: helion-opt --helion-bind-blocks="block_sizes=bn=64,bm=8" %S/../../dialect/IR/forms/k-long-sum.mlir | FileCheck %s --check-prefix=SUM
// RUN: helion-opt --helion-bind-blocks %S/../../dialect/IR/forms/k-softmax.mlir | FileCheck %s --check-prefix=DEFAULT
// RUN: helion-opt --helion-bind-blocks="block_sizes=bi=1,rn=12544" %S/../../dialect/IR/forms/k-softmax.mlir | FileCheck %s --check-prefix=ODD

// An extent that is no power of two is a bound like any other.
// ODD: #helion.pred<"x.size(1) <= 12544">
// ODD: helion.make_tile %{{.*}} end %{{.*}} : !helion.tile<12544>

// The maximum needs a mask; so does the sum, because exp(0) is not 0. The fact that the slice fits is recorded.
// CHECK: helion.blocks = {bi = 4 : i64, rn = 2048 : i64}
// CHECK-SAME: #helion.pred<"x.size(1) <= 2048">
// CHECK-NOT: helion.block
// CHECK: %[[S:.*]] = helion.make_tile %{{.*}} end %{{.*}} : !helion.tile<2048>
// CHECK: helion.load {{.*}} -> tensor<4x2048xbf16>
// CHECK: %[[M:.*]] = helion.mask %{{.*}} dims [1] by(%[[S]]) fill
// CHECK: helion.reduce maximumf %[[M]]
// CHECK: %[[E:.*]] = helion.mask %{{.*}} dims [1] by(%[[S]]) fill
// CHECK: helion.reduce addf %[[E]]

// Loads fill with 0, which is what a dot needs, so no mask stands.
// MATMUL-NOT: helion.mask
// MATMUL: helion.dot {{.*}} tensor<64x16xbf16>, tensor<16x32xbf16>, tensor<64x32xf32>

// The accumulator is a plain dim: nothing to mask, and rebound is gone.
// SUM-NOT: helion.mask
// SUM-NOT: helion.rebound
// SUM: arith.addf %{{.*}}, %{{.*}} : tensor<8x64xf32>

// DEFAULT: helion.blocks = {bi = {{[0-9]+}} : i64, rn = 1024 : i64}
