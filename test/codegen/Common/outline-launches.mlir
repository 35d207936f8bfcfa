// RUN: helion-opt --helion-outline-launches --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: helion-opt --helion-outline-launches --split-input-file %s -o %t.mlir && helion-opt --split-input-file %t.mlir -o /dev/null

// With blocks as programs the same modules give one function a launch.
// RUN: helion-opt --helion-outline-launches=programs=block --canonicalize --cse --split-input-file %s | FileCheck %s --check-prefix=BLOCK

// One launch over two axes. The fact fixes x's inner stride; `n` and the constant-folded sizes are one word each; the scaled
// eps is host arithmetic that no plan expression holds, so the body computes it before its loop.
!arg = memref<?x64xf32, strided<[?, ?], offset: ?>>
module attributes {helion.form = "scheduled"} {
  helion.kernel @scale(%x: !arg {helion.name = "x"}, %eps: f32 {helion.name = "eps"}) -> memref<?x64xf32>
      attributes {helion.signature = {x = "f32[2]", eps = f32, bias = none, k = 3 : i64, "x.size(1)" = 64 : index},
                  helion.parameters = ["x", "bias", "eps", "k"], helion.facts = [#helion.pred<"x.stride(1) == 1">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %two = arith.constant 2.0 : f32
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    %some = arith.cmpi ugt, %m, %c1 : index
    helion.assert %some, "x has one row"
    %out = helion.empty(%m) {name = "out"} : memref<?x64xf32>
    %e2 = arith.mulf %eps, %two : f32
    %gx = arith.ceildivui %m, %c8 : index
    helion.launch "scale" grid(%gx, %n) {
      %i = helion.program_id "x"
      %j = helion.program_id "y"
      %count = helion.num_programs "y"
      %i0 = arith.muli %i, %c8 : index
      %ti = helion.make_tile %i0 end %m : !helion.tile<8>
      %j0 = arith.remui %j, %count : index
      %v = helion.load %x[%ti, %j0] site "x.0" : !arg, (!helion.tile<8>, index) -> tensor<8xf32>
      %s = helion.splat %e2 : f32 -> tensor<8xf32>
      %w = arith.mulf %v, %s : tensor<8xf32>
      helion.store %w, %out[%ti, %j0] site "out.0" : tensor<8xf32>, memref<?x64xf32>, (!helion.tile<8>, index)
    }
    helion.return %out : memref<?x64xf32>
  }
}
// CHECK: helion.manifest = "
// CHECK-SAME: \22arguments\22:[{\22dtype\22:\22f32\22,\22name\22:\22x\22,\22rank\22:2},{\22name\22:\22bias\22,\22none\22:true},{\22name\22:\22eps\22,\22scalar\22:\22f32\22},{\22name\22:\22k\22,\22scalar\22:\22i64\22,\22value\22:3}]
// CHECK-SAME: \22facts\22:[\22x.size(1) == 64\22,\22x.stride(1) == 1\22]
// CHECK-SAME: \22checks\22:[{\22message\22:\22x has one row\22,\22pred\22:\22x.size(0) > 1\22}]
// CHECK-SAME: \22outputs\22:[{\22dtype\22:\22f32\22,\22name\22:\22out\22,\22sizes\22:[\22x.size(0)\22,\2264\22]}]
// CHECK-SAME: \22steps\22:[{\22arguments\22:[{\22index\22:\22x.size(0)\22},{\22offset\22:\220\22,\22pointer\22:\22x\22},{\22index\22:\22x.stride(0)\22},{\22dtype\22:\22f32\22,\22scalar\22:\22eps\22},{\22offset\22:\220\22,\22pointer\22:\22out\22}]
// CHECK-SAME: \22grid\22:[\22x.size(0) ceildiv 8\22,\2264\22,\221\22],\22step\22:\22launch\22,\22symbol\22:\22scale_0\22}]
// CHECK: func.func @scale_0(%[[WORDS:.*]]: !llvm.ptr, %[[GRID:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[SCRATCH:.*]]: !llvm.ptr)
// CHECK:   %[[EPS:.*]] = llvm.getelementptr %[[WORDS]][3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:   llvm.load %[[EPS]] : !llvm.ptr -> f32
// CHECK:   llvm.load %[[GRID]] : !llvm.ptr -> i64
// CHECK:   call @scale_0_body
// CHECK: func.func private @scale_0_body(%[[B:.*]]: index, %[[E:.*]]: index, %[[M:.*]]: index, %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[S0:.*]]: index, %[[EPS:.*]]: f32, %[[OUT:.*]]: !llvm.ptr {llvm.noalias}, %[[GX:.*]]: index, %[[GY:.*]]: index, %{{.*}}: memref<?xi8> {helion.scratch}) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[M]], 64], strides: [%[[S0]], 1] : memref<f32> to memref<?x64xf32, strided<[?, 1]>>
// CHECK:   %[[E2:.*]] = arith.mulf %[[EPS]]
// CHECK:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[M]], 64], strides: [64, 1] : memref<f32> to memref<?x64xf32>
// CHECK:   scf.for %[[P:.*]] = %[[B]] to %[[E]] step %{{.*}} {
// CHECK:     arith.remui %[[P]], %[[GX]]
// CHECK:     %[[Y:.*]] = arith.divui %[[P]], %[[GX]]
// CHECK:     arith.remui %[[Y]], %[[GY]]
// CHECK:     helion.splat %[[E2]]
// CHECK-NOT: helion.launch
// The y axis is constant, so no fact bounds it.
// BLOCK: helion.manifest = "
// BLOCK-SAME: \22facts\22:[\22x.size(1) == 64\22,\22x.stride(1) == 1\22]
// BLOCK-SAME: \22steps\22:[{\22arguments\22:[{\22index\22:\22x.size(0)\22},{\22offset\22:\220\22,\22pointer\22:\22x\22},{\22index\22:\22x.stride(0)\22},{\22dtype\22:\22f32\22,\22scalar\22:\22eps\22},{\22offset\22:\220\22,\22pointer\22:\22out\22}]
// BLOCK: func.func @scale_0(%[[M:.*]]: i64, %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[S0:.*]]: i64, %[[EPS:.*]]: f32, %[[OUT:.*]]: !llvm.ptr {llvm.noalias}) attributes {helion.entry} {
// BLOCK-DAG:   arith.index_cast %[[M]] : i64 to index
// BLOCK-DAG:   %[[I:.*]] = gpu.block_id x
// BLOCK-DAG:   %[[J:.*]] = gpu.block_id y
// BLOCK-DAG:   %[[GY:.*]] = gpu.grid_dim y
// BLOCK:   arith.remui %[[J]], %[[GY]]
// BLOCK-NOT: scf.for
// BLOCK-NOT: _body

// -----

// Two launches around a workspace, a filled output, a view of an argument that the kernel also writes.
!arg = memref<?x?x?xf16, strided<[?, ?, ?], offset: ?>>
!flat = memref<?x?xf16, strided<[?, ?], offset: ?>>
module attributes {helion.form = "scheduled"} {
  helion.kernel @two(%x: !arg {helion.name = "x", helion.writes}, %y: memref<?xf32> {helion.name = "y"}, %n: i32 {helion.name = "n"}) -> memref<?xf32>
      attributes {helion.signature = {x = "f16[3]", y = "f32[1]", n = i32}, helion.blocks = {bc = 32 : i64}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %z = arith.constant 0.5 : f32
    helion.block @bc registered
    %bc = helion.block_size @bc
    %flat = memref.collapse_shape %x [[0, 1], [2]] : !arg into !flat
    %inner = memref.subview %flat[0, %bc] [%bc, %c8] [1, 1] : !flat to !flat
    %m = memref.dim %flat, %c0 : !flat
    %np = arith.ceildivui %m, %bc : index
    %part = helion.empty(%np) {name = "part", workspace} : memref<?xf32>
    helion.launch "first" grid(%np) {
      %i = helion.program_id "x"
      %v = helion.load %flat[%i, %c0] site "x.0" : !flat, (index, index) -> f16
      helion.store %v, %flat[%i, %c0] site "x.1" : f16, !flat, (index, index)
      %u = helion.load %inner[%i, %c0] site "x.2" : !flat, (index, index) -> f16
      %w = arith.extf %v : f16 to f32
      helion.store %w, %part[%i] site "part.0" : f32, memref<?xf32>, (index)
    }
    %out = helion.full(%m), %z {name = "out"} : f32 -> memref<?xf32>
    helion.launch "second" grid(%np) {
      %i = helion.program_id "x"
      %v = helion.load %part[%i] site "part.1" : memref<?xf32>, (index) -> f32
      %nf = arith.sitofp %n : i32 to f32
      %w = arith.addf %v, %nf : f32
      helion.store %w, %out[%i] site "out.0" : f32, memref<?xf32>, (index)
    }
    helion.return %out : memref<?xf32>
  }
}
// The two windows of x are two pointers, so neither is alone.
// CHECK: \22writes\22:true}
// CHECK-SAME: \22facts\22:[\22min(x.size(0) floordiv 2, 1) * (x.stride(0) - x.size(1) * x.stride(1)) == 0\22,\22overlap(x, y) == none\22,\22y.stride(0) == 1\22]
// CHECK-SAME: \22outputs\22:[{\22dtype\22:\22f32\22,\22name\22:\22out\22,\22sizes\22:[\22x.size(0) * x.size(1)\22]}]
// CHECK-SAME: {\22offset\22:\22x.stride(2) * 32\22,\22pointer\22:\22x\22}
// CHECK-SAME: \22symbol\22:\22two_0\22},{\22buffer\22:\22out\22,\22dtype\22:\22f32\22,\22elements\22:\22x.size(0) * x.size(1)\22,\22step\22:\22fill\22,\22value\22:0.5},{
// CHECK-SAME: \22symbol\22:\22two_1\22}],\22workspace\22:[{\22dtype\22:\22f32\22,\22elements\22:\22x.size(0) * x.size(1) ceildiv 32\22,\22name\22:\22part\22}]
// CHECK: func.func private @two_0_body(%[[B:.*]]: index, %[[E:.*]]: index, %[[X0:.*]]: !llvm.ptr, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[X1:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}
// CHECK: func.func private @two_1_body
// CHECK:   arith.index_cast %{{.*}} : index to i32
// BLOCK: func.func @two_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64
// BLOCK: func.func @two_1(

// -----

// Facts of alignment and divisors stand on the words; the launch's warps on the function; a y axis that no constant bounds is a fact.
!arg = memref<?x?xf32, strided<[?, ?], offset: ?>>
module attributes {helion.form = "scheduled"} {
  helion.kernel @aligned(%x: !arg {helion.name = "x"}, %y: memref<?xf32, strided<[?], offset: ?>> {helion.name = "y", helion.writes})
      attributes {helion.signature = {x = "f32[2]", y = "f32[1]"},
                  helion.facts = [#helion.pred<"x.align % 16 == 0">, #helion.pred<"x.stride(0) % 4 == 0">, #helion.pred<"x.stride(0) % 6 == 0">,
                                  #helion.pred<"x.size(1) % 8 == 0">]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %x, %c0 : !arg
    %n = memref.dim %x, %c1 : !arg
    helion.launch "copy" grid(%n, %m) attributes {warps = 8 : i64} {
      %i = helion.program_id "y"
      %j = helion.program_id "x"
      %v = helion.load %x[%i, %j] site "x.0" : !arg, (index, index) -> f32
      helion.store %v, %y[%j] site "y.0" : f32, memref<?xf32, strided<[?], offset: ?>>, (index)
    }
    helion.return
  }
}
// CHECK: func.func @aligned_0(
// CHECK: func.func private @aligned_0_body({{.*}}) attributes {{[{].*}}warps = 8 : i64
// BLOCK: \22facts\22:[{{.*}}\22x.size(0) <= 65535\22
// BLOCK: func.func @aligned_0(%{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64{{.*}}, %{{.*}}: i64 {helion.multiple = 12 : i64},
// BLOCK-SAME: attributes {helion.entry, warps = 8 : i64}
