// RUN: helion-opt %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: helion-opt %t.mlir | diff %t.mlir -
// RUN: helion-opt --mlir-print-op-generic %s | helion-opt | diff %t.mlir -
// Every op and type of form L, with each optional part once present and once absent.

#s = #helion.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#r = #helion.layout<[16, 16], reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#h = #helion.layout<[16, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#q = #helion.layout<[16, 4], reg = [[8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#w = #helion.layout<[16, 16], reg = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
!S = tensor<16x16xbf16, #s>
!R = tensor<16x16xbf16, #r>
!F = tensor<16x16xf32, #r>
!buf = !helion.buf<!S>
!ring = !helion.ring<2 x (!S, !S)>
!one = !helion.ring<1 x (!S)>
!tok = !helion.token<!F>
!map = !helion.tensor_map<[1, 16, 16], !S>
!t = !helion.tile<16>
!x = memref<?x?x?xbf16>

// CHECK: #[[$S:.*]] = #helion.layout<[16, 16], offset = {{.*}}>
// CHECK-LABEL: helion.kernel @laid_out
helion.kernel @laid_out(%x: !x {helion.name = "x"}, %n: index {helion.name = "n"}) {
  // CHECK: helion.tensor_map %{{.*}} site "x.0" fill 0.000000e+00 : memref<?x?x?xbf16> -> !helion.tensor_map<[1, 16, 16], tensor<16x16xbf16, #[[$S]]>>
  %map = helion.tensor_map %x site "x.0" fill 0.0 : !x -> !map
  // CHECK: helion.tensor_map %{{.*}} site "out.0" : memref
  %out = helion.tensor_map %x site "out.0" : !x -> !map
  // CHECK: helion.launch "f" grid(%{{.*}}) attributes {cluster = array<i64: 2, 1, 1>}
  helion.launch "f" grid(%n) attributes {cluster = array<i64: 2, 1, 1>} {
    %i = helion.make_tile %n : !t
    // CHECK: helion.ring "x.0+y.0" cluster : !helion.ring<2 x (tensor<16x16xbf16, #[[$S]]>, tensor<16x16xbf16, #[[$S]]>)>
    %ring = helion.ring "x.0+y.0" cluster : !ring
    // CHECK: helion.ring "in.0" : !helion.ring<1 x (tensor<16x16xbf16, #[[$S]]>)>
    %in = helion.ring "in.0" : !one
    // CHECK: helion.ring "out.0" overlay "in.0" : !helion.ring<1
    %cring = helion.ring "out.0" overlay "in.0" : !one
    // CHECK: %[[TURN:.*]] = helion.turn
    %turn = helion.turn
    // CHECK: helion.warp_groups {
    helion.warp_groups {
      // CHECK: helion.group "producer" count 1 warps 4 regs 40 elected {
      helion.group "producer" count 1 warps 4 regs 40 elected {
        // CHECK: helion.acquire %{{.*}} : !helion.ring<2
        %s, %a, %b = helion.acquire %ring : !ring
        // CHECK: helion.load_async %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] into %{{.*}} site "x.0" {evict = "first"} : !helion.tensor_map
        helion.load_async %map[%n, %i, %i] into %a site "x.0" {evict = "first"} : !map, (index, !t, !t), !buf
        // CHECK: helion.load_async {{.*}} multicast site "y.0" :
        helion.load_async %map[%n, %i, %i] into %b multicast site "y.0" : !map, (index, !t, !t), !buf
        // CHECK: helion.commit %{{.*}} : !helion.slot<write>
        helion.commit %s : !helion.slot<write>
      }
      // CHECK: helion.group "copier" count 1 warps 2 {
      helion.group "copier" count 1 warps 2 {
        %s, %a = helion.acquire %in : !one
        // CHECK: helion.load_async {{.*}} : memref<?x?x?xbf16>, (index, !helion.tile<16>, !helion.tile<16>), !helion.buf
        helion.load_async %x[%n, %i, %i] into %a site "x.1" : !x, (index, !t, !t), !buf
        helion.commit %s : !helion.slot<write>
      }
      helion.group "consumer" count 1 warps 1 {
        // CHECK: helion.instance
        %me = helion.instance
        // CHECK: helion.take %{{.*}} : !helion.ring<2
        %s, %a, %b = helion.take %ring : !ring
        // CHECK: helion.ordered %[[TURN]] -> !helion.token<tensor<16x16xf32, #{{.*}}>> {
        %t0 = helion.ordered %turn -> !tok {
          // CHECK: helion.dot_async %{{.*}}, %{{.*}} site "dot.0" : !helion.buf
          %t = helion.dot_async %a, %b site "dot.0" : !buf, !buf -> !tok
          helion.yield %t : !tok
        }
        // CHECK: helion.ordered %[[TURN]] {
        helion.ordered %turn {
        }
        %u, %c = helion.take %in : !one
        // CHECK: helion.read %{{.*}} : !helion.buf<tensor<16x16xbf16, #[[$S]]>> -> tensor<16x16xbf16, #{{.*}}>
        %va = helion.read %c : !buf -> !R
        // CHECK: helion.dot_async %{{.*}}, %{{.*}} acc %{{.*}} : !helion.token<tensor<16x16xf32, #{{.*}}>> site "dot.1" precision tf32 : tensor<16x16xbf16, #{{.*}}>, !helion.buf
        %t1 = helion.dot_async %va, %b acc %t0 : !tok site "dot.1" precision tf32 : !R, !buf -> !tok
        // CHECK: helion.release %{{.*}} after %{{.*}} : !helion.slot<read>, !helion.token<tensor<16x16xf32, #{{.*}}>>
        helion.release %u after %t1 : !helion.slot<read>, !tok
        // CHECK: helion.wait %{{.*}} : !helion.token<tensor<16x16xf32, #{{.*}}>>
        %v = helion.wait %t1 : !tok
        // CHECK: helion.release %{{.*}} : !helion.slot<read>
        helion.release %s : !helion.slot<read>
        // CHECK: helion.reduce_in_thread addf %{{.*}} dim 1 site "sum.0" : tensor<16x16xf32, #{{.*}}> -> tensor<16x4xf32, #{{.*}}>
        %p = helion.reduce_in_thread addf %v dim 1 site "sum.0" : !F -> tensor<16x4xf32, #q>
        %o = arith.truncf %v : !F to !R
        // CHECK: helion.subtile %{{.*}} at [0, 8] : tensor<16x16xbf16, #{{.*}}> -> tensor<16x8xbf16, #{{.*}}>
        %half = helion.subtile %o at [0, 8] : !R -> tensor<16x8xbf16, #h>
        // CHECK: helion.convert_layout %{{.*}} : tensor<16x16xbf16, #{{.*}}> -> tensor<16x16xbf16, #{{.*}}>
        %rows = helion.convert_layout %o : !R -> tensor<16x16xbf16, #w>
        %cs, %cb = helion.acquire %cring : !one
        // CHECK: helion.write %{{.*}}, %{{.*}} : tensor<16x16xbf16, #{{.*}}>, !helion.buf
        helion.write %rows, %cb : tensor<16x16xbf16, #w>, !buf
        // CHECK: helion.store_async %{{.*}} of %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] site "out.0" : !helion.buf{{.*}}, !helion.slot<write>, !helion.tensor_map{{.*}}, (index, !helion.tile<16>, !helion.tile<16>)
        helion.store_async %cb of %cs, %out[%n, %i, %i] site "out.0" : !buf, !helion.slot<write>, !map, (index, !t, !t)
      }
    }
  }
  // CHECK: helion.launch "g" grid(%{{.*}}) attributes {warps = 4 : i64}
  helion.launch "g" grid(%n) attributes {warps = 4 : i64} {
  }
  helion.return
}
