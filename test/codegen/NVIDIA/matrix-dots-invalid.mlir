// RUN: helion-opt --helion-lower-nvidia-threads --split-input-file --verify-diagnostics %s

// Who names an instruction has its types, a precision that it gives and its fragments; nothing else is done in its place.
#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 8], reg = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2]>
#b = #helion.layout<[8, 8], reg = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 0 x 2]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x8xf32, #b>
!c = tensor<16x8xf32, #acc>
func.func @exact(%f: f32, %g: f32, %h: f32, %x: memref<?x?xf32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : f32 -> !a
  %b = helion.splat %g : f32 -> !b
  %z = helion.splat %h : f32 -> !c
  // expected-error @below {{names `mma16x8x8`, which does not take its types or its precision}}
  // expected-error @below {{failed to legalize operation}}
  %d = helion.dot %a, %b, %z site "dot.0" {instruction = "mma16x8x8"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xf32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}

// -----

#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 8], reg = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], repeat = [reg 1 x 2]>
#b = #helion.layout<[8, 8], reg = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 0 x 2]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x8xf32, #b>
!c = tensor<16x8xf32, #acc>
func.func @other(%f: f32, %g: f32, %h: f32, %x: memref<?x?xf32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : f32 -> !a
  %b = helion.splat %g : f32 -> !b
  %z = helion.splat %h : f32 -> !c
  // expected-error @below {{names `mma16x8x32`, which does not take its types or its precision}}
  // expected-error @below {{failed to legalize operation}}
  %d = helion.dot %a, %b, %z site "dot.0" precision tf32 {instruction = "mma16x8x32"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xf32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}

// -----

#acc = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #helion.layout<[8, 8], reg = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], repeat = [reg 0 x 2]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x8xf32, #b>
!c = tensor<16x8xf32, #acc>
func.func @fragments(%f: f32, %g: f32, %h: f32, %x: memref<?x?xf32, strided<[?, 1]>>) attributes {helion.entry, warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %i = helion.make_tile %c0 end %c16 : !helion.tile<16>
  %j = helion.make_tile %c0 end %c16 : !helion.tile<8>
  %a = helion.splat %f : f32 -> !a
  %b = helion.splat %g : f32 -> !b
  %z = helion.splat %h : f32 -> !c
  // expected-error @below {{names `mma16x8x8`, whose fragments its layouts are not}}
  // expected-error @below {{failed to legalize operation}}
  %d = helion.dot %a, %b, %z site "dot.0" precision tf32 {instruction = "mma16x8x8"} : !a, !b, !c
  helion.store %d, %x[%i, %j] site "x.0" : !c, memref<?x?xf32, strided<[?, 1]>>, (!helion.tile<16>, !helion.tile<8>)
  return
}
