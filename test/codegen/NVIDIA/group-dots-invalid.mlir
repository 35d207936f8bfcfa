// RUN: helion-opt --split-input-file --verify-diagnostics '--pass-pipeline=builtin.module(func.func(helion-lower-threads))' %s
#acc = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!acc = tensor<64x8xf32, #acc>
func.func @other(%f: f32) attributes {helion.entry, warps = 4 : i64} {
  %z = helion.splat %f : f32 -> !acc
  // expected-error @+1 {{is of a dot in flight, which the target does not have}}
  %t = helion.ready %z : !acc -> !helion.token<!acc>
  %v = helion.wait %t : !helion.token<!acc>
  return
}

// -----

#acc = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!acc = tensor<64x8xf32, #acc>
func.func @halves(%z: tensor<64x8xf16, #acc>) {
  // expected-error @+1 {{makes a token of 'tensor<64x8xf32, #helion.layout<}}
  %t = helion.ready %z : tensor<64x8xf16, #acc> -> !helion.token<!acc>
  return
}
