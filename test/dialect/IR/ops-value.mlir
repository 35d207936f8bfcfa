// RUN: helion-opt %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt %t.mlir | diff %t.mlir -
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt | diff %t.mlir -

!row = tensor<?xf32, #helion.dims<bi@i>>
!t = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!tt = tensor<?x?xf32, #helion.dims<bj@j, bi@i>>
!p = tensor<?x64xf32, #helion.dims<bi, 64>>
// CHECK-LABEL: helion.kernel @values
helion.kernel @values(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  %c0 = arith.constant 0 : index
  helion.launch "f" {
    helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%n, %n) site "loop.ij" {
      // CHECK: helion.iota %{{.*}} : !helion.tile<bi@i> -> tensor<?xindex, #helion.dims<bi@i>>
      %k = helion.iota %i : !helion.tile<bi@i> -> tensor<?xindex, #helion.dims<bi@i>>
      // CHECK: helion.iota -> tensor<64xi32, #helion.dims<64>>
      %l = helion.iota -> tensor<64xi32, #helion.dims<64>>
      // CHECK: helion.splat %arg1 : f32 -> tensor<?xf32, #helion.dims<bi@i>>
      %r = helion.splat %s : f32 -> !row
      // CHECK: helion.broadcast %{{.*}} to [0] : tensor<?xf32, #helion.dims<bi@i>> -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
      %b = helion.broadcast %r to [0] : !row -> !t
      %one = helion.splat %s : f32 -> tensor<1xf32, #helion.dims<1>>
      // CHECK: helion.broadcast %{{.*}} to [1] : tensor<1xf32, #helion.dims<1>> -> tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
      %o = helion.broadcast %one to [1] : tensor<1xf32, #helion.dims<1>> -> !t
      // CHECK: helion.permute %{{.*}} [1, 0] :
      %x = helion.permute %b [1, 0] : !t -> !tt
      // CHECK: helion.rebound %{{.*}} : tensor<?x?xf32, #helion.dims<bi@i, bj@j>> -> tensor<?x?xf32, #helion.dims<bi, bj@j>>
      %u = helion.rebound %b : !t -> tensor<?x?xf32, #helion.dims<bi, bj@j>>
      %q = helion.splat %s : f32 -> !p
      // CHECK: helion.reshape %{{.*}} {{\[}}array<i64: 0, 1>] : tensor<?x64xf32, #helion.dims<bi, 64>> -> tensor<?xf32, #helion.dims<bi*64>>
      %f = helion.reshape %q [array<i64: 0, 1>] : !p -> tensor<?xf32, #helion.dims<64 * bi>>
      // CHECK: helion.lane %{{.*}} dim 1 at 63 : tensor<?x64xf32, #helion.dims<bi, 64>> -> tensor<?xf32, #helion.dims<bi>>
      %lane = helion.lane %q dim 1 at 63 : !p -> tensor<?xf32, #helion.dims<bi>>
      // CHECK: helion.stack %[[L:.*]], %[[L]] dim 1 : (tensor<?xf32, #helion.dims<bi>>, tensor<?xf32, #helion.dims<bi>>) -> tensor<?x2xf32, #helion.dims<bi, 2>>
      %stack = helion.stack %lane, %lane dim 1 : (tensor<?xf32, #helion.dims<bi>>, tensor<?xf32, #helion.dims<bi>>) -> tensor<?x2xf32, #helion.dims<bi, 2>>
      // CHECK: helion.stack %arg1, %arg1, %arg1 dim 0 : (f32, f32, f32) -> tensor<3xf32, #helion.dims<3>>
      %three = helion.stack %s, %s, %s dim 0 : (f32, f32, f32) -> tensor<3xf32, #helion.dims<3>>
      // CHECK: helion.lane %{{.*}} dim 0 at 2 : tensor<3xf32, #helion.dims<3>> -> f32
      %third = helion.lane %three dim 0 at 2 : tensor<3xf32, #helion.dims<3>> -> f32
      // CHECK: helion.mask %{{.*}} dims [0, 1] by(%{{.*}}, %{{.*}}) fill %arg1 :
      %m = helion.mask %b dims [0, 1] by(%i, %j) fill %s : !t, (!helion.tile<bi@i>, !helion.tile<bj@j>), f32
      // CHECK: helion.reduce addf %{{.*}} dim 1 site "sum.0"
      %sum = helion.reduce addf %m dim 1 site "sum.0" : !t -> !row
      // CHECK: helion.reduce argmax %{{.*}} dim 0 site "argmax.0" : tensor<?xf32, #helion.dims<bi@i>> -> index
      %am = helion.reduce argmax %sum dim 0 site "argmax.0" : !row -> index
      // CHECK: helion.reduce_fn %{{.*}}, %{{.*}} other %arg1, %arg1 dim 1 site "fn.0"
      %fn:2 = helion.reduce_fn %b, %o other %s, %s dim 1 site "fn.0" : (!t, !t), (f32, f32) -> (!row, !row) {
      ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
        %y0 = arith.addf %a0, %b0 : f32
        %y1 = arith.maximumf %a1, %b1 : f32
        helion.yield %y0, %y1 : f32, f32
      }
      // CHECK: helion.scan addf %{{.*}} dim 1 site "scan.0" : tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
      %run = helion.scan addf %m dim 1 site "scan.0" : !t
      // CHECK: helion.scan maximumf %{{.*}} dim 0 reverse site "scan.1" : tensor<?xf32, #helion.dims<bi@i>>
      %back = helion.scan maximumf %sum dim 0 reverse site "scan.1" : !row
      // CHECK: helion.scan_fn %{{.*}}, %{{.*}} other %arg1, %arg1 dim 1 reverse site "scan.2" : (tensor<?x?xf32, #helion.dims<bi@i, bj@j>>, tensor<?x?xf32, #helion.dims<bi@i, bj@j>>), (f32, f32) {
      %runs:2 = helion.scan_fn %b, %o other %s, %s dim 1 reverse site "scan.2" : (!t, !t), (f32, f32) {
      ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
        %y0 = arith.addf %a0, %b0 : f32
        helion.yield %y0, %b1 : f32, f32
      }
      %acc = helion.splat %s : f32 -> tensor<?x?xf32, #helion.dims<bi@i, bi@i2>>
      %w = helion.splat %s : f32 -> tensor<?x?xf32, #helion.dims<bj@j, bi@i2>>
      // CHECK: helion.dot %{{.*}}, %{{.*}}, %{{.*}} site "dot.0" precision tf32 :
      %d = helion.dot %b, %w, %acc site "dot.0" precision tf32 : !t, tensor<?x?xf32, #helion.dims<bj@j, bi@i2>>, tensor<?x?xf32, #helion.dims<bi@i, bi@i2>>
    }
  }
  helion.return
}
