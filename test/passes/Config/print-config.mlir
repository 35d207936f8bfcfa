// Helion's JSON to text, and back to the same text.
// RUN: helion-opt --helion-print-config="file=%S/Inputs/matmul.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null 2>%t.remarks > %t.txt
// RUN: FileCheck %s --check-prefix=MATMUL --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=REMARKS --input-file=%t.remarks
// RUN: helion-opt --helion-print-config="file=%t.txt as=helion-json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null > %t.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: helion-opt --helion-print-config="file=%t.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | diff %t.txt -

// A target with warps takes their number, and one with asynchronous copies the slots of their rings.
// RUN: helion-opt --helion-print-config="file=%S/Inputs/matmul.json target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARPS --implicit-check-not="ignored `num_{{.*}}s`"
// WARPS: remark: ignored `indexing` of `x.0`: `tensor_descriptor` is read as `vector`
// WARPS: helion-unroll-loops{range_unroll_factors=loop.k=2},helion-choose-access,helion-set-warps{num_warps=matmul=8},helion-set-stages{num_stages=loop.k=3}{{$}}

// MATMUL: {{^}}helion-config{v=1},helion-roll-reductions,helion-order-loops{loop_orders=loop.ij=[1,0]},helion-bind-blocks{block_sizes=bm=64,bn=128},helion-flatten-loops,helion-map-programs{l2_groupings=loop.ij=8 num_sm_multiplier=matmul=4 pid_type=matmul=persistent_interleaved},helion-unroll-loops{range_unroll_factors=loop.k=2}{{$}}
// REMARKS: remark: ignored `indexing`: the target has one kind of access
// REMARKS: remark: ignored `num_stages`: no staged loads
// REMARKS: remark: ignored `num_warps`: threads of a program are the target's choice
// REMARKS: remark: ignored `range_warp_specializes`: no specialised warps
// JSON: {{^}}{"block_sizes":[64,128,16],"l2_groupings":[8],"loop_orders":{{\[\[}}1,0]],"num_sm_multiplier":4,"pid_type":"persistent_interleaved","range_unroll_factors":[null,2]}{{$}}

// Singular keys; a multiplier without a persistent kind has no meaning.
// RUN: helion-opt --helion-print-config="file=%S/Inputs/softmax.json" %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX-DAG: remark: ignored `num_sm_multiplier` of `softmax`: without meaning beside the other choices
// SOFTMAX-DAG: {{^}}helion-config{v=1},helion-roll-reductions{reduction_loops=slice.n=4096},helion-order-loops,helion-bind-blocks{block_sizes=bi=1},helion-flatten-loops,helion-map-programs,helion-unroll-loops{{$}}

// The kernel's defaults go from a text; Helion has no place for the extent of a slice.
// RUN: helion-opt --helion-print-config="file=%S/Inputs/slice.txt" %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null | FileCheck %s --check-prefix=SLICE
// RUN: helion-opt --helion-print-config="file=%S/Inputs/slice.txt as=helion-json" %S/../../dialect/IR/forms/k-softmax.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOST
// SLICE: helion-bind-blocks{block_sizes=rn=4096},
// LOST-DAG: remark: lost `block_sizes` of `rn` = `4096`: Helion has no place for it
// LOST-DAG: {{^}}{"block_sizes":[32]}{{$}}

// A second launch made of host arithmetic is no part of Helion's lists: bc and bi, not bj and bp.
// RUN: echo '{"block_sizes": [64, 4], "range_unroll_factors": [0, 2]}' > %t.bwd.json
// RUN: helion-opt --helion-print-config="file=%t.bwd.json" %S/../../dialect/IR/forms/k-rms-norm-bwd.mlir -o /dev/null | FileCheck %s --check-prefix=BWD
// BWD: block_sizes=bc=64,bi=4}{{.*}}helion-unroll-loops{range_unroll_factors=loop.i=2}

// Helion names the fastest dim of a grid first, and its default is the first dim. A group is of tiles of that dim; here of
// the last but one. A grid that is flattened is named from the slowest.
// RUN: echo '{"block_sizes": [16, 16, 16]}' > %t.first.json
// RUN: echo '{"block_sizes": [16, 16, 16], "loop_orders": [[1, 0]]}' > %t.last.json
// RUN: echo '{"block_sizes": [16, 16, 16], "pid_type": "xyz"}' > %t.xyz.json
// RUN: echo '{"block_sizes": [16, 16, 16], "l2_groupings": [4]}' > %t.group.json
// RUN: echo '{"block_sizes": [32, 32], "flatten_loops": [true]}' > %t.flat.json
// RUN: helion-opt --helion-print-config="file=%t.first.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=TURNED
// RUN: helion-opt --helion-print-config="file=%t.xyz.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=TURNED
// RUN: helion-opt --helion-print-config="file=%t.last.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=SOURCE
// RUN: helion-opt --helion-print-config="file=%t.group.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=SOURCE
// RUN: helion-opt --helion-print-config="file=%t.flat.json" %S/../../dialect/IR/forms/k-embedding.mlir -o /dev/null | FileCheck %s --check-prefix=SOURCE
// TURNED: helion-order-loops{loop_orders=loop.ij=[1,0]},
// SOURCE: helion-order-loops,
// RUN: helion-opt --helion-print-config="file=%t.first.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null > %t.first.txt
// RUN: helion-opt --helion-print-config="file=%t.first.txt as=helion-json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=FIRST
// RUN: helion-opt --helion-print-config="file=%t.last.json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null > %t.last.txt
// RUN: helion-opt --helion-print-config="file=%t.last.txt as=helion-json" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=LAST
// FIRST: {{^}}{"block_sizes":[16,16,16]}{{$}}
// LAST: {{^}}{"block_sizes":[16,16,16],"loop_orders":{{\[\[}}1,0]]}{{$}}
// RUN: echo '{"block_sizes": [16, 16, 16, 16]}' > %t.three.json
// RUN: echo '{"block_sizes": [16, 16, 16, 16], "l2_groupings": [4]}' > %t.grouped.json
// RUN: helion-opt --helion-print-config="file=%t.three.json" %S/../../dialect/IR/forms/k-split-k.mlir -o /dev/null | FileCheck %s --check-prefix=THREE
// RUN: helion-opt --helion-print-config="file=%t.grouped.json" %S/../../dialect/IR/forms/k-split-k.mlir -o /dev/null > %t.grouped.txt
// RUN: FileCheck %s --check-prefix=GROUPED --input-file=%t.grouped.txt
// RUN: helion-opt --helion-print-config="file=%t.grouped.txt as=helion-json" %S/../../dialect/IR/forms/k-split-k.mlir -o /dev/null | FileCheck %s --check-prefix=BACK
// THREE: helion-order-loops{loop_orders=loop.ijo=[2,1,0]},
// GROUPED: helion-order-loops{loop_orders=loop.ijo=[2,0,1]},
// BACK: {{^}}{"block_sizes":[16,16,16,16],"l2_groupings":[4]}{{$}}

// Accesses one by one, in program order; one word for all; what Helion has no word for. An empty policy is none.
// RUN: echo '{"block_sizes": [64, 64, 32], "indexing": ["pointer", "tensor_descriptor", "pointer"], "load_eviction_policies": ["", "last"], "store_cache_modifiers": [".cs"]}' > %t.access.json
// RUN: helion-opt --helion-print-config="file=%t.access.json target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null > %t.access.txt 2>%t.access.remarks
// RUN: FileCheck %s --check-prefix=ACCESS --input-file=%t.access.txt
// RUN: FileCheck %s --check-prefix=TENSORS --input-file=%t.access.remarks --implicit-check-not=remark:
// RUN: helion-opt --helion-print-config="file=%t.access.txt as=helion-json target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null | FileCheck %s --check-prefix=THERE
// ACCESS: helion-choose-access{load_eviction_policies=y.0=last store_cache_modifiers=out.0=cs},
// TENSORS: remark: ignored `indexing` of `y.0`: `tensor_descriptor` is read as `vector`
// THERE: "load_eviction_policies":["","last"],{{.*}}"store_cache_modifiers":[".cs"]
// RUN: sed 's/choose-access{/choose-access{indexing=x.0=any /' %t.access.txt > %t.any.txt
// RUN: helion-opt --helion-print-config="file=%t.any.txt as=helion-json target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOPLACE
// NOPLACE: remark: lost `indexing` of `x.0` = `any`: Helion has no place for it
// RUN: echo '{"block_sizes": [64, 64, 32], "indexing": ["pointer", "tensor_descriptor"], "load_eviction_policies": ["last", "last", "last"]}' > %t.counts.json
// RUN: helion-opt --helion-print-config="file=%t.counts.json target=nvidia:sm_90a" %S/../../dialect/IR/forms/k-matmul.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: remark: ignored `indexing`: `2` entries, but this kernel has `3` such accesses here
// COUNTS-DAG: helion-choose-access{load_eviction_policies=x.0=last,y.0=last},
