// RUN: helion-opt %s -o %t.mlir && helion-opt %t.mlir -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt -o - | diff %t.mlir -
// RUN: helion-opt --canonicalize --cse --loop-invariant-code-motion --sccp %s | helion-opt -o /dev/null
// K, rms_norm backward: dx, and dw by per-CTA partial sums (block @bc is a registered block, used on the host to size the
// partial buffer) followed by the host expression dw_part.sum(0), which normalize turned into the second launch.
!arg = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!vec = memref<?xbf16, strided<[?], offset: ?>>
!rs  = memref<?xf32, strided<[?], offset: ?>>
!part = memref<?x?xf32>
!wb  = tensor<?xbf16, #helion.dims<rn@n>>
!wf  = tensor<?xf32, #helion.dims<rn@n>>
!row = tensor<?xf32, #helion.dims<bi@i>>
!xb  = tensor<?x?xbf16, #helion.dims<bi@i, rn@n>>
!xf  = tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
module attributes {helion.form = "kernel"} {
  helion.kernel @rms_norm_bwd(%dy: !arg {helion.name = "dy"}, %x: !arg {helion.name = "x"}, %w: !vec {helion.name = "w"}, %rstd: !rs {helion.name = "rstd"})
      -> (memref<?x?xbf16>, memref<?xbf16>) attributes {helion.signature = {dy = "bf16[2]", x = "bf16[2]", w = "bf16[1]", rstd = "f32[1]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %dx = helion.empty(%m, %n) {name = "dx"} : memref<?x?xbf16>
    helion.block @bc registered
    helion.block @bi tile {max = @bc}
    helion.block @rn slice
    helion.block @bj tile
    helion.block @bp tile
    %bc = helion.block_size @bc
    %np = arith.ceildivui %m, %bc : index
    %part = helion.empty(%np, %n) {name = "dw_part", workspace} : !part
    helion.launch "rms_norm_bwd" {
      helion.tile (%cta: !helion.tile<bc@c>) = (%c0) to (%m) site "loop.c" {
        %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
        %wl = helion.load %w[%s] site "w.0" : !vec, (!helion.tile<rn@n>) -> !wb
        %wv = arith.extf %wl : !wb to !wf
        %wm = helion.broadcast %wv to [1] : !wf -> !xf
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> !wf
        %lo = helion.tile_begin %cta : !helion.tile<bc@c>
        %hi = helion.tile_end %cta : !helion.tile<bc@c>
        %acc = helion.tile (%i: !helion.tile<bi@i>) = (%lo) to (%hi) iter_args(%a = %zero) -> (!wf) site "loop.i" {
          %x0 = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !xb
          %g0 = helion.load %dy[%i, %s] site "dy.0" : !arg, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> !xb
          %r0 = helion.load %rstd[%i] site "rstd.0" : !rs, (!helion.tile<bi@i>) -> !row
          %xv = arith.extf %x0 : !xb to !xf
          %g = arith.extf %g0 : !xb to !xf
          %r = helion.broadcast %r0 to [0] : !row -> !xf
          %xn = arith.mulf %xv, %r : !xf
          %gx = arith.mulf %g, %xn : !xf
          %dw = helion.reduce addf %gx dim 0 site "sum.1" : !xf -> !wf
          %wg = arith.mulf %g, %wm : !xf
          %t = arith.mulf %wg, %xn : !xf
          %dot = helion.reduce addf %t dim 1 site "sum.0" : !xf -> !row
          %ni = arith.index_cast %n : index to i32
          %nf = arith.sitofp %ni : i32 to f32
          %nv = helion.splat %nf : f32 -> !row
          %mean = arith.divf %dot, %nv : !row
          %mb = helion.broadcast %mean to [0] : !row -> !xf
          %p = arith.mulf %xn, %mb : !xf
          %q = arith.subf %wg, %p : !xf
          %d = arith.mulf %q, %r : !xf
          %o = arith.truncf %d : !xf to !xb
          helion.store %o, %dx[%i, %s] site "dx.0" : !xb, memref<?x?xbf16>, (!helion.tile<bi@i>, !helion.tile<rn@n>)
          %a2 = arith.addf %a, %dw : !wf
          helion.yield %a2 : !wf
        }
        %id = helion.tile_id %cta : !helion.tile<bc@c>
        helion.store %acc, %part[%id, %s] site "dw_part.0" : !wf, !part, (index, !helion.tile<rn@n>)
      }
    }
    %dw = helion.empty(%n) {name = "dw"} : memref<?xbf16>
    helion.launch "rms_norm_bwd.sum0" {
      helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%n) site "loop.j" {
        %z = arith.constant 0.0 : f32
        %zero = helion.splat %z : f32 -> tensor<?xf32, #helion.dims<bj@j>>
        %acc = helion.tile (%p: !helion.tile<bp@p>) = (%c0) to (%np) iter_args(%a = %zero) -> (tensor<?xf32, #helion.dims<bj@j>>) site "loop.p" {
          %v = helion.load %part[%p, %j] site "dw_part.1" : !part, (!helion.tile<bp@p>, !helion.tile<bj@j>) -> tensor<?x?xf32, #helion.dims<bp@p, bj@j>>
          %s = helion.reduce addf %v dim 0 site "sum.2" : tensor<?x?xf32, #helion.dims<bp@p, bj@j>> -> tensor<?xf32, #helion.dims<bj@j>>
          %a2 = arith.addf %a, %s : tensor<?xf32, #helion.dims<bj@j>>
          helion.yield %a2 : tensor<?xf32, #helion.dims<bj@j>>
        }
        %o = arith.truncf %acc : tensor<?xf32, #helion.dims<bj@j>> to tensor<?xbf16, #helion.dims<bj@j>>
        helion.store %o, %dw[%j] site "dw.0" : tensor<?xbf16, #helion.dims<bj@j>>, memref<?xbf16>, (!helion.tile<bj@j>)
      }
    }
    helion.return %dx, %dw : memref<?x?xbf16>, memref<?xbf16>
  }
}
