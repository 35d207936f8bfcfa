// Choices of a matmul and a softmax. The sizes are counted by hand below.
// RUN: helion-opt --helion-print-config-space %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null | FileCheck %s --check-prefix=SOFTMAX
// RUN: helion-opt --helion-print-config-space="target=cpu:x86-64-v3" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=MATMUL
// RUN: helion-opt --helion-print-config-space %s -o /dev/null | FileCheck %s
// The same seed gives the same configs, another seed others; each is legal.
// RUN: helion-opt --helion-print-config-space="samples=20 seed=5" %s -o /dev/null > %t.a
// RUN: helion-opt --helion-print-config-space="samples=20 seed=5" %s -o /dev/null | diff %t.a -
// RUN: helion-opt --helion-print-config-space="samples=20 seed=6" %s -o /dev/null | not diff -q %t.a -
// So do covering ones: 12 configs hold 8 groupings of one loop and every extent of bi. Half as many hold the ends.
// RUN: helion-opt --helion-print-config-space="samples=12 seed=5 cover" %s -o /dev/null > %t.c
// RUN: helion-opt --helion-print-config-space="samples=12 seed=5 cover" %s -o /dev/null | diff %t.c -
// RUN: not diff -q %t.a %t.c
// RUN: FileCheck %s --input-file=%t.c --check-prefix=COVER
// RUN: not helion-opt --helion-print-config-space="target=toaster:1" %s 2>&1 | FileCheck %s --check-prefix=TARGET
// A GPU has warps, and none of the CPU's choices.
// RUN: helion-opt --helion-print-config-space="target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null | FileCheck %s --check-prefix=GPU --implicit-check-not=step_vectors --implicit-check-not=choose-cpu
// RUN: not helion-opt --helion-print-config-space="target=cpu:toaster" %s 2>&1 | FileCheck %s --check-prefix=CHIP

// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=2{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=4{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=8{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=12{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=16{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=32{{[ ,}]}}
// COVER-DAG: l2_groupings={{[^ ]*}}loop.ij=64{{[ ,}]}}
// COVER-DAG: block_sizes=bi=6,
// COVER-DAG: block_sizes=bi=24,
// COVER-DAG: block_sizes=bi=48,
// COVER-DAG: flatten_loops=loop.gh
// COVER-DAG: static_ranges=loop.k

// Of a target with lanes: a short tile to start from, as many elements as threads hold, accesses that rely on facts but in
// the universal config.
// GPU: {"default":32,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bi","start":1,"values":
// GPU: {"default":"vector","knob":"indexing","pass":"helion-choose-access","site":"out.0","values":["any","contiguous","vector"]}
// GPU: {"default":"none","knob":"load_eviction_policies","pass":"helion-choose-access","site":"x.0","values":["none","first","last"]}
// GPU: "knob":"num_warps"
// GPU-SAME: "values":[1,2,4,8,16,32]
// GPU: "a tile value has `bi` * `rn` lanes; at most 4096 are legal for each of `num_warps` of `softmax`"
// GPU: "default": "{{.*}}helion-bind-blocks{block_sizes=bi=1},{{.*}},helion-choose-access,helion-set-warps,helion-set-stages",
// GPU-NEXT: "universal": "{{.*}}helion-roll-reductions{reduction_loops=slice.n=1024},{{.*}}helion-choose-access{indexing=out.0=any,x.0=any},helion-set-warps,helion-set-stages",
// TARGET: error: target `toaster:1` is not known; this tool has `cpu:..`, `nvidia:..`
// CHIP: error: {{.*}}`cpu:toaster`

// rn (38 values, four from each power of two to the next from 256 on) times bi (11) up to 2^20 lanes: 14 * 11 and
// 4 * (10 + 9 + .. + 5) pairs; rolled, the chunk (14) takes the place of rn: 133 more. One flat and 2 * 8 persistent ways: 467 * 17.
// SOFTMAX: {"default":"none","knob":"reduction_loops","pass":"helion-roll-reductions","site":"slice.n","values":[8,16,{{.*}},65536,"none"]},
// SOFTMAX-NEXT: {"default":32,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bi","values":[1,2,4,8,16,32,64,128,256,512,1024]},
// SOFTMAX-NEXT: {"default":1024,"knob":"block_sizes","pass":"helion-bind-blocks","site":"rn","values":[8,{{.*}},128,256,320,384,448,512,{{.*}},57344,65536]},
// SOFTMAX-NEXT: {"default":1,"knob":"num_sm_multiplier","pass":"helion-map-programs","site":"softmax","values":[1,2,4,8,16,32,64,128]},
// SOFTMAX-NEXT: {"default":"flat","knob":"pid_type","pass":"helion-map-programs","site":"softmax","values":["flat","persistent_blocked","persistent_interleaved"]}
// SOFTMAX: "`block_sizes` of `rn` needs `reduction_loops` to be `none`",
// SOFTMAX-NEXT: "`num_sm_multiplier` of `softmax` needs `pid_type` to be `persistent_blocked` or `persistent_interleaved`",
// SOFTMAX-NEXT: "a tile value has `bi` * `rn` lanes; at most 1048576 are legal"
// SOFTMAX: "size": 7939

// Orders 2, blocks 11^3; flat and persistent with any grouping: 8 * (1 + 2 * 8), xyz with none: 1; unroll 4;
// register tiles 14 * 4 and `auto`, steps 4, streams 3: 2 * 1331 * 137 * 4 * 57 * 12.
// MATMUL: {"default":[0,1],"knob":"loop_orders","pass":"helion-order-loops","site":"loop.ij","values":{{\[\[}}0,1],[1,0]]},
// MATMUL-NEXT: {"default":16,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bm",
// MATMUL: {"default":1,"knob":"l2_groupings","pass":"helion-map-programs","site":"loop.ij","values":[1,2,4,8,12,16,32,64]},
// MATMUL: "values":["flat","xyz","persistent_blocked","persistent_interleaved"]},
// MATMUL-NEXT: {"default":1,"knob":"range_unroll_factors","pass":"helion-unroll-loops","site":"loop.k","values":[1,2,3,4]},
// MATMUL-NEXT: {"default":"auto","knob":"register_tiles","pass":"helion-choose-cpu","site":"dot.0","values":{{\[\[}}1,8],{{.*}}[14,32],"auto"]},
// MATMUL-NEXT: {"default":4,"knob":"step_vectors","pass":"helion-choose-cpu","site":"matmul","values":[1,2,4,8]},
// MATMUL-NEXT: {"default":"large","knob":"stream_stores","pass":"helion-choose-cpu","site":"out.0","values":["large","always","never"]}
// MATMUL: "default": "helion-config{v=1},helion-roll-reductions,helion-order-loops,helion-bind-blocks,helion-flatten-loops,helion-map-programs,helion-unroll-loops,helion-choose-cpu",
// MATMUL-NEXT: "universal": "helion-config{v=1},{{.*}}helion-choose-cpu",
// MATMUL-NEXT: "size": 997802784

// Constraints of blocks, a constant inner loop, a fixed block (no choice), a pointwise grid.
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
!v = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!w = tensor<?x?x?xf32, #helion.dims<bi@i, bj@j, bk@k>>
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: !arg {helion.name = "x"}) -> memref<?x?xf32> attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
    // CHECK: {"default":12,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bi","values":[6,12,24,48]}
    helion.block @bi tile {min = 5, max = 48, multiple = 6}
    // CHECK-NEXT: {"default":12,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bj","values":[1,2,4,8,12,16,
    helion.block @bj tile {max = @bi}
    helion.block @bf fixed {value = 4}
    // The loop has 40 iterations: a block of 64 covers it.
    // CHECK-NEXT: {"default":16,"knob":"block_sizes","pass":"helion-bind-blocks","site":"bk","values":[1,2,4,8,16,32,64]}
    helion.block @bk tile
    // CHECK-NEXT: {"default":false,"knob":"flatten_loops","pass":"helion-flatten-loops","site":"loop.gh","values":[false,true]}
    // CHECK-NEXT: {"default":1,"knob":"l2_groupings","pass":"helion-map-programs","site":"loop.ij"
    // CHECK-NEXT: {"default":1,"knob":"l2_groupings","pass":"helion-map-programs","site":"loop.gh"
    // CHECK: {"default":1,"knob":"range_unroll_factors","pass":"helion-unroll-loops","site":"loop.k","values":[1,2,3,4]},
    // CHECK-NEXT: {"default":false,"knob":"static_ranges","pass":"helion-unroll-loops","site":"loop.k","values":[false,true]}
    // CHECK: "`block_sizes` of `bj` is at most that of `bi`",
    // CHECK-NEXT: "`flatten_loops` of `loop.gh` needs `pid_type` to be `flat` or `persistent_blocked` or `persistent_interleaved`",
    // CHECK: "`range_unroll_factors` of `loop.k` needs `static_ranges` to be `false`",
    // CHECK-NEXT: "`static_ranges` of `loop.k` unrolls at most 8 iterations; the chosen blocks make more",
    // CHECK-NEXT: "a tile value has 4 * `bi` lanes; at most 1048576 are legal",
    // CHECK-NEXT: "a tile value has `bi` * `bj` * `bk` lanes; at most 1048576 are legal"
    // 21 pairs bj <= bi; bk below 5 leaves 4 factors, above it static too: 3 * 4 + 4 * 5; two orders; 137 ways for `f`
    // as for a matmul, 17 more for the second where it is flat: 21 * 32 * 4 * 137 * 154.
    // CHECK: "size": 56711424
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
        helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%c40) site "loop.k" {
          %v = helion.load %x[%i, %j] site "x.0" : !arg, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !v
          %w = helion.broadcast %v to [0, 1] : !v -> !w
          %s = helion.reduce addf %w dim 2 site "sum.0" : !w -> !v
          helion.store %s, %out[%i, %j] site "out.0" : !v, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
        }
      }
    }
    helion.launch "f.second" {
      helion.tile (%g: !helion.tile<bf@g>, %h: !helion.tile<bi@h>) = (%c0, %c0) to (%m, %n) site "loop.gh" {
        %v = helion.load %x[%g, %h] site "x.1" : !arg, (!helion.tile<bf@g>, !helion.tile<bi@h>) -> tensor<?x?xf32, #helion.dims<bf@g, bi@h>>
        helion.store %v, %out[%g, %h] site "out.1" : tensor<?x?xf32, #helion.dims<bf@g, bi@h>>, memref<?x?xf32>, (!helion.tile<bf@g>, !helion.tile<bi@h>)
      }
    }
    helion.return %out : memref<?x?xf32>
  }
}
