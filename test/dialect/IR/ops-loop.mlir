// RUN: helion-opt %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt %t.mlir | diff %t.mlir -
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt | diff %t.mlir -

!acc = tensor<?xf32, #helion.dims<bi@i>>
// CHECK-LABEL: helion.kernel @loops
helion.kernel @loops(%n: index {helion.name = "n"}, %s: f32 {helion.name = "s"}) {
  %c0 = arith.constant 0 : index
  helion.block @bi tile
  helion.block @bj tile
  helion.block @rn slice
  helion.launch "f" {
    // CHECK: helion.tile (%[[I:.*]]: !helion.tile<bi@i>, %[[J:.*]]: !helion.tile<bj@j>) = (%c0, %c0) to (%arg0, %arg0) site "loop.ij" attributes {note = 1 : i64} {
    helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%n, %n) site "loop.ij" attributes {note = 1 : i64} {
      // CHECK: helion.tile_begin %[[I]] : !helion.tile<bi@i>
      %b = helion.tile_begin %i : !helion.tile<bi@i>
      // CHECK: helion.tile_end %[[I]] : !helion.tile<bi@i>
      %e = helion.tile_end %i : !helion.tile<bi@i>
      // CHECK: helion.tile_id %[[I]] : !helion.tile<bi@i>
      %id = helion.tile_id %i : !helion.tile<bi@i>
      // CHECK: helion.tile_count %[[I]] : !helion.tile<bi@i>
      %cnt = helion.tile_count %i : !helion.tile<bi@i>
      // CHECK: helion.tile_shift %[[I]], %{{.*}} : !helion.tile<bi@i>
      %sh = helion.tile_shift %i, %b : !helion.tile<bi@i>
      // CHECK: helion.range %c0 to %arg0 site "slice.n" : !helion.tile<rn@n>
      %r = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %z = helion.splat %s : f32 -> !acc
      // CHECK: helion.tile (%{{.*}}: !helion.tile<bj@k>) = (%{{.*}}) to (%{{.*}}) iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %arg1) -> (tensor<?xf32, #helion.dims<bi@i>>, f32) site "loop.k" {
      %q:2 = helion.tile (%k: !helion.tile<bj@k>) = (%b) to (%e) iter_args(%a = %z, %t = %s) -> (!acc, f32) site "loop.k" {
        %a2 = arith.addf %a, %a : !acc
        // CHECK: helion.yield %{{.*}}, %[[B]] : tensor<?xf32, #helion.dims<bi@i>>, f32
        helion.yield %a2, %t : !acc, f32
      // CHECK: } combine(%{{.*}}: tensor<?xf32, #helion.dims<bi@i>>, %{{.*}}: f32, %{{.*}}: tensor<?xf32, #helion.dims<bi@i>>, %{{.*}}: f32) {
      } combine(%p0: !acc, %p1: f32, %q0: !acc, %q1: f32) {
        %r0 = arith.addf %p0, %q0 : !acc
        helion.yield %r0, %p1 : !acc, f32
      }
    }
  }
  helion.return
}

// CHECK-LABEL: helion.kernel @scheduled
helion.kernel @scheduled(%n: index {helion.name = "n"}) {
  helion.launch "f" grid(%n) {
    // CHECK: helion.program_id "x"
    %p = helion.program_id "x"
    // CHECK: helion.num_programs "z"
    %q = helion.num_programs "z"
    // CHECK: helion.make_tile %{{.*}} end %arg0 : !helion.tile<64>
    %t = helion.make_tile %p end %n : !helion.tile<64>
    // CHECK: helion.make_tile %{{.*}} : !helion.tile<1>
    %u = helion.make_tile %p : !helion.tile<1>
  }
  helion.return
}
