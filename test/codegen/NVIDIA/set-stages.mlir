// RUN: helion-opt --helion-set-stages=num_stages=loop.k=3 %s | FileCheck %s
// RUN: helion-opt --helion-set-stages %s | FileCheck %s --check-prefix=NONE
// RUN: not helion-opt --helion-set-stages=num_stages=loop.k=9 %s 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not helion-opt --helion-set-stages=num_stages=loop.j=2 %s 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-set-stages=num_stages=loop.w=2 %s 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not helion-opt --helion-set-stages=num_stages=loop.o=2 %s 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=boxes' %s | FileCheck %s --check-prefix=BOXES
// RUN: helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=pieces' %s | FileCheck %s
// RUN: not helion-opt --helion-set-stages=copies=loop.k=boxes %s 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=crates' %s 2>&1 | FileCheck %s --check-prefix=CRATES
// RUN: not helion-opt '--helion-set-stages=num_stages=loop.m=3 copies=loop.m=boxes' %s 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=boxes dots=loop.k=wgmma' %s | FileCheck %s --check-prefix=GROUPS
// RUN: helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=boxes dots=loop.k=mma' %s | FileCheck %s --check-prefix=BOXES
// RUN: not helion-opt '--helion-set-stages=num_stages=loop.k=3 dots=loop.k=wgmma' %s 2>&1 | FileCheck %s --check-prefix=OWNED
// RUN: not helion-opt '--helion-set-stages=num_stages=loop.k=3 copies=loop.k=boxes dots=loop.k=fma' %s 2>&1 | FileCheck %s --check-prefix=FMA

// The facts of copies in pieces of 16 bytes; a unit stride that is known stands, the other follows the argument's last dim through the view.
// CHECK: helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) == 1">, #helion.pred<"x.stride(1) % 8 == 0">, #helion.pred<"y.align % 16 == 0">, #helion.pred<"y.stride(0) % 8 == 0">, #helion.pred<"y.stride(1) == 1">]
// CHECK: {site = "loop.k", stages = 3 : i64}
// NONE: helion.facts = [#helion.pred<"x.stride(0) == 1">]
// NONE-NOT: stages
// MANY: num_stages of `loop.k` is `9`; it is 1 to 8
// SITE: num_stages: {{.*}}`loop.j`
// WIDE: num_stages of `loop.w` is `2`, but no load in it goes as it is to a dot that a matrix instruction takes; 1 is allowed
// OWN: num_stages: load `o.0` is of no argument whose rows could be pieces of 16 bytes; 1 is allowed
// Besides: tensors have elements, as many as coordinates can count; the loop's tile has a bound, which is where both tensors have to end.
// BOXES: helion.facts = [
// BOXES-SAME: "x.size(0) <= 2147483647">, #helion.pred<"x.size(0) >= 1">, #helion.pred<"x.size(1) <= 2147483647">, #helion.pred<"x.size(1) >= 1">
// BOXES-SAME: "x.stride(1) <= 549755813880">, #helion.pred<"x.stride(1) >= 1">
// BOXES-SAME: "y.size(0) == x.size(1)">, #helion.pred<"y.size(0) == y.size(1)">, #helion.pred<"y.size(0) >= 1">, #helion.pred<"y.size(1) <= 2147483647">, #helion.pred<"y.size(1) >= 1">
// BOXES: {boxes, site = "loop.k", stages = 3 : i64}
// ONE: copies of `loop.k` is `boxes`, but its num_stages is `1`; `pieces` is allowed, or 2 stages and more
// CRATES: copies of `loop.k` is `crates`; it is `pieces` or `boxes`
// GROUPS: {boxes, group_dots, site = "loop.k", stages = 3 : i64}
// OWNED: dots of `loop.k` is `wgmma`, but its copies is `pieces`; `mma` is allowed, or copies `boxes`
// FMA: dots of `loop.k` is `fma`; it is `mma` or `wgmma`
// MOVED: copies: load `x.2` is no box of one argument, with tiles that end where it ends; `pieces` is allowed
!t = memref<?x?xbf16, strided<[?, ?]>>
!a = tensor<64x64xbf16>
!acc = tensor<64x64xf32>
!tile = !helion.tile<64>
module attributes {helion.form = "scheduled"} {
  helion.kernel @product(%x: !t {helion.name = "x"}, %y: !t {helion.name = "y"}) attributes {helion.signature = {x = "bf16[2]", y = "bf16[2]"}, helion.facts = [#helion.pred<"x.stride(0) == 1">]} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %k = memref.dim %y, %c0 : !t
    %own = helion.empty(%k, %k) {name = "own"} : memref<?x?xbf16>
    %yt = memref.transpose %y (i, j) -> (j, i) : !t to !t
    helion.launch "product" grid(%c64) {
      %i = helion.make_tile %c0 : !tile
      %f = arith.constant 0.0 : f32
      %z = helion.splat %f : f32 -> !acc
      %r = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l end %k : !tile
        %a = helion.load %x[%i, %e] site "x.0" : !t, (!tile, !tile) -> !a
        %b = helion.load %yt[%e, %i] site "y.0" : !t, (!tile, !tile) -> !a
        %p = helion.dot %a, %b, %s site "dot.0" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.k"}
      %q = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %x[%i, %e] site "x.1" : !t, (!tile, !tile) -> !a
        %w = arith.extf %a : !a to !acc
        %p = helion.dot %w, %w, %s site "dot.1" : !acc, !acc, !acc
        scf.yield %p : !acc
      } {site = "loop.w"}
      %m = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l end %c64 : !tile
        %h = helion.tile_shift %e, %c64 : !tile
        %a = helion.load %x[%i, %h] site "x.2" : !t, (!tile, !tile) -> !a
        %b = helion.load %yt[%e, %i] site "y.2" : !t, (!tile, !tile) -> !a
        %p = helion.dot %a, %b, %s site "dot.3" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.m"}
      %o = scf.for %l = %c0 to %k step %c64 iter_args(%s = %z) -> (!acc) {
        %e = helion.make_tile %l : !tile
        %a = helion.load %own[%i, %e] site "o.0" : memref<?x?xbf16>, (!tile, !tile) -> !a
        %b = arith.truncf %s : !acc to !a
        %p = helion.dot %a, %b, %s site "dot.2" : !a, !a, !acc
        scf.yield %p : !acc
      } {site = "loop.o"}
    }
    helion.return
  }
}
