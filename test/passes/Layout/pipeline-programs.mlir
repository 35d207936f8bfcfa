// RUN: helion-opt --helion-assign-layouts --helion-pipeline-loads --split-input-file --verify-diagnostics %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: helion-opt --split-input-file --helion-verify-form=form=laidout %t.mlir -o /dev/null

// A program that stays loads the tile after the next while it works on this one. Slots are plain rows; the load's reader has the layout
// that the load had, and what the load wants outside of its tiles. Behind the last tile nothing is copied, but committed.
!x = memref<?x?xbf16, strided<[?, ?]>>
!o = memref<?x?xbf16>
!row = !helion.tile<4>
!all = !helion.tile<640>
!h = tensor<4x640xbf16>
// CHECK-DAG: [[$PLAIN:#.+]] = #helion.layout<[1, 128], offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], repeat = [offset 1 x 5, offset 0 x 4]>
// CHECK-LABEL: helion.kernel @rows
// CHECK: [[R:%.+]] = helion.ring "x.0" : !helion.ring<3 x (tensor<4x640xbf16, [[$PLAIN]]>)>
// CHECK: scf.for [[S:%.+]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} {
// CHECK: [[D:%.+]] = arith.muli [[S]], [[STEP:%.+]] :
// CHECK: [[AT:%.+]] = arith.addi [[LOW:%.+]], [[D]]
// CHECK: [[SLOT:%.+]], [[BUF:%.+]] = helion.acquire [[R]]
// CHECK: [[IN:%.+]] = arith.cmpi slt, [[AT]], [[COUNT:%.+]] :
// CHECK: scf.if [[IN]] {
// CHECK: [[B:%.+]] = arith.muli [[AT]], %c4
// CHECK: [[T:%.+]] = helion.make_tile [[B]] end [[M:%.+]] : !helion.tile<4>
// CHECK: helion.load_async %{{.+}}[[[T]], [[ALL:%.+]]] into [[BUF]] site "x.0"
// CHECK: }
// CHECK: helion.commit [[SLOT]]
// CHECK: scf.for [[I:%.+]] = [[LOW]] to [[COUNT]] step [[STEP]]
// CHECK: [[TAKEN:%.+]], [[FULL:%.+]] = helion.take [[R]]
// CHECK: helion.acquire [[R]]
// CHECK: helion.load_async
// CHECK: helion.commit
// CHECK: [[MINE:%.+]] = helion.make_tile %{{.+}} end [[M]] : !helion.tile<4>
// CHECK: [[V:%.+]] = helion.read [[FULL]] : {{.*}} -> tensor<4x640xbf16, [[L:#.+]]>
// CHECK: [[W:%.+]] = helion.mask [[V]] dims [0, 1] by([[MINE]], [[ALL]]) fill [[LOWEST:%.+]] : tensor<4x640xbf16, [[L]]>
// CHECK: [[K:%.+]] = helion.load {{.*}} site "same.0"
// CHECK: arith.addf [[W]], [[K]]
// CHECK: helion.store
// CHECK: helion.release [[TAKEN]]
// CHECK-NOT: staged
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %c2
// CHECK: [[LEFT:%.+]], %{{.*}} = helion.take [[R]]
// CHECK: helion.release [[LEFT]]
module attributes {helion.form = "scheduled"} {
  helion.kernel @rows(%x: !x {helion.name = "x"}, %out: !o {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "bf16[2]", out = "bf16[2]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 8 == 0">, #helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %m = memref.dim %x, %c0 : !x
    %n = memref.dim %x, %c1 : !x
    %count = arith.ceildivui %m, %c4 : index
    helion.launch "rows" grid(%count) {
      %lowest = arith.constant 0xFF80 : bf16
      %id = helion.program_id "x"
      %step = helion.num_programs "x"
      scf.for %t = %id to %count step %step {
        %begin = arith.muli %t, %c4 : index
        %i = helion.make_tile %begin end %m : !row
        %j = helion.make_tile %c0 end %n : !all
        %i0 = helion.make_tile %c0 end %m : !row
        %a = helion.load %x[%i, %j] other %lowest : bf16 site "x.0" {staged} : !x, (!row, !all) -> !h
        %b = helion.load %x[%i0, %j] site "same.0" : !x, (!row, !all) -> !h
        %s = arith.addf %a, %b : !h
        helion.store %s, %out[%i, %j] site "out.0" : !h, !o, (!row, !all)
      } {site = "rows", stages = 3 : i64}
    }
    helion.return
  }
}

// -----

!x = memref<?xf32, strided<[1]>>
!v = tensor<512xf32>
!tile = !helion.tile<512>
module attributes {helion.form = "scheduled"} {
  helion.kernel @negative_none(%x: !x {helion.name = "x", helion.writes}) attributes {helion.signature = {x = "f32[1]"}, helion.facts = [#helion.pred<"x.align % 16 == 0">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %m = memref.dim %x, %c0 : !x
    helion.launch "rows" grid(%m) {
      // expected-error @below {{num_stages of `rows` is `2`, but no load in it is `staged`; 1 is allowed}}
      scf.for %t = %c0 to %m step %c1 {
        %begin = arith.muli %t, %c512 : index
        %i = helion.make_tile %begin end %m : !tile
        %a = helion.load %x[%i] site "x.0" : !x, (!tile) -> !v
        helion.store %a, %x[%i] site "x.1" : !v, !x, (!tile)
      } {site = "rows", stages = 2 : i64}
    }
    helion.return
  }
}
