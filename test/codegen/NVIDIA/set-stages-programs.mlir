// RUN: helion-opt --helion-set-stages=num_stages=rows=2 %s | FileCheck %s
// RUN: helion-opt --helion-set-stages %s | FileCheck %s --check-prefix=NONE
// RUN: helion-opt '--helion-set-stages=num_stages=rows=2 copies=rows=boxes' %s | FileCheck %s --check-prefix=BOXES
// RUN: not helion-opt --helion-set-stages=num_stages=narrow=2 %s 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not helion-opt --helion-set-stages=num_stages=flat=2 %s 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: not helion-opt --helion-set-stages=num_stages=rows=9 %s 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not helion-opt '--helion-set-stages=num_stages=cut=2 copies=cut=boxes' %s 2>&1 | FileCheck %s --check-prefix=CUT

// Of a program that stays, loads that follow from its number, before its first store: not the same row each time, a row whose place is
// loaded, one of 8 bytes, a masked one, one behind a store.
// CHECK: helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]
// CHECK: helion.launch "rows"
// CHECK-NOT: staged
// CHECK: site "x.0" {staged}
// CHECK-NOT: staged
// CHECK: {site = "rows", stages = 2 : i64}
// CHECK-NOT: stage
// NONE-NOT: stage
// BOXES: helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.size(0) <= 2147483647">, #helion.pred<"x.size(0) >= 1">, #helion.pred<"x.size(1) <= 2147483647">, #helion.pred<"x.size(1) >= 1">
// BOXES: {boxes, site = "rows", stages = 2 : i64}
// NARROW: num_stages of `narrow` is `2`, but no load of a tile in it, before its stores, has rows of multiples of `16` bytes; 1 is allowed
// FLAT: num_stages: {{.*}}`flat`
// MANY: num_stages of `rows` is `9`; it is 1 to 8
// CUT: copies: load `x.7` is no box of one argument, with tiles that end where it ends; `pieces` is allowed
!t = memref<?x?xbf16, strided<[?, ?]>>
!p = memref<?xi64, strided<[1]>>
!row = !helion.tile<1>
!all = !helion.tile<64>
!few = !helion.tile<4>
!v = tensor<1x64xbf16>
!m = tensor<1x64xi1>
!w = tensor<1x4xbf16>
module attributes {helion.form = "scheduled"} {
  helion.kernel @rows(%x: !t {helion.name = "x"}, %p: !p {helion.name = "p"}, %o: !t {helion.name = "o", helion.writes}) attributes {helion.signature = {x = "bf16[2]", p = "i64[1]", o = "bf16[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !t
    %n = memref.dim %x, %c1 : !t
    helion.launch "rows" grid(%m) {
      %true = arith.constant true
      %mask = helion.splat %true : i1 -> !m
      %id = helion.program_id "x"
      scf.for %t = %id to %m step %c1 {
        %i = helion.make_tile %t : !row
        %first = helion.make_tile %c0 : !row
        %j = helion.make_tile %c0 end %n : !all
        %f = helion.make_tile %c0 end %n : !few
        %at = helion.load %p[%t] site "p.0" : !p, (index) -> i64
        %to = arith.index_cast %at : i64 to index
        %there = helion.make_tile %to : !row
        %0 = helion.load %x[%i, %j] site "x.0" : !t, (!row, !all) -> !v
        %1 = helion.load %x[%first, %j] site "x.1" : !t, (!row, !all) -> !v
        %2 = helion.load %x[%there, %j] site "x.2" : !t, (!row, !all) -> !v
        %3 = helion.load %x[%i, %f] site "x.3" : !t, (!row, !few) -> !w
        %4 = helion.load %x[%i, %j] mask %mask : !m site "x.4" : !t, (!row, !all) -> !v
        helion.store %0, %o[%i, %j] site "o.0" : !v, !t, (!row, !all)
        %5 = helion.load %x[%i, %j] site "x.5" : !t, (!row, !all) -> !v
        helion.store %5, %o[%i, %j] site "o.1" : !v, !t, (!row, !all)
      } {site = "rows"}
    }
    helion.launch "narrow" grid(%m) {
      scf.for %t = %c0 to %m step %c1 {
        %i = helion.make_tile %t : !row
        %f = helion.make_tile %c0 end %n : !few
        %3 = helion.load %x[%i, %f] site "x.6" : !t, (!row, !few) -> !w
        helion.store %3, %o[%i, %f] site "o.2" : !w, !t, (!row, !few)
      } {site = "narrow"}
    }
    helion.launch "flat" grid(%m) {
    }
    helion.launch "cut" grid(%m) {
      scf.for %t = %c0 to %m step %c1 {
        %i = helion.make_tile %t : !row
        %j = helion.make_tile %c0 end %t : !all
        %3 = helion.load %x[%i, %j] site "x.7" : !t, (!row, !all) -> !v
        helion.store %3, %o[%i, %j] site "o.3" : !v, !t, (!row, !all)
      } {site = "cut"}
    }
    helion.return
  }
}
