// RUN: %python %S/Inputs/ops.py moves %s %t | FileCheck %s --check-prefix=MOVES
// RUN: %python %S/Inputs/ops.py reshapes %s %t | FileCheck %s --check-prefix=RESHAPES
// RUN: %python %S/Inputs/ops.py tiles %s %t | FileCheck %s --check-prefix=TILES
// RUN: %python %S/Inputs/ops.py branches %s %t | FileCheck %s --check-prefix=BRANCHES
// RUN: %python %S/Inputs/ops.py host_views %s %t | FileCheck %s --check-prefix=HOST
//
// Ops that make or move lanes, what tiles know of themselves, control flow of form S, views on the host.
// MOVES: moves: 6 runs agree
// RESHAPES: reshapes: 2 runs agree
// TILES: tiles: 6 runs agree
// BRANCHES: branches: 3 runs agree
// HOST: host_views: 4 runs agree

!in = memref<?x?xf32, strided<[?, ?], offset: ?>>
!t  = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
!tt = tensor<?x?xf32, #helion.dims<bj@j, bi@i>>
!ti = tensor<?x?xindex, #helion.dims<bi@i, bj@j>>

// x.T, 100 * i + j, and x with lanes from column 5 on replaced.
helion.kernel @moves(%x: !in {helion.name = "x"}) -> (memref<?x?xf32>, memref<?x?xindex>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c100 = arith.constant 100 : index
  %m = memref.dim %x, %c0 : !in
  %n = memref.dim %x, %c1 : !in
  %turned = helion.empty(%n, %m) {name = "turned"} : memref<?x?xf32>
  %index = helion.empty(%m, %n) {name = "index"} : memref<?x?xindex>
  %sums = helion.empty(%m) {name = "sums"} : memref<?xf32>
  helion.block @bi tile
  helion.block @bj tile
  helion.block @rn slice
  helion.launch "moves" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      helion.tile (%j: !helion.tile<bj@j>) = (%c0) to (%n) site "loop.j" {
        %a = helion.load %x[%i, %j] site "x.0" : !in, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !t
        %b = helion.permute %a [1, 0] : !t -> !tt
        helion.store %b, %turned[%j, %i] site "turned.0" : !tt, memref<?x?xf32>, (!helion.tile<bj@j>, !helion.tile<bi@i>)
        %ii = helion.iota %i : !helion.tile<bi@i> -> tensor<?xindex, #helion.dims<bi@i>>
        %jj = helion.iota %j : !helion.tile<bj@j> -> tensor<?xindex, #helion.dims<bj@j>>
        %hundred = helion.splat %c100 : index -> !ti
        %ib = helion.broadcast %ii to [0] : tensor<?xindex, #helion.dims<bi@i>> -> !ti
        %jb = helion.broadcast %jj to [1] : tensor<?xindex, #helion.dims<bj@j>> -> !ti
        %ih = arith.muli %ib, %hundred : !ti
        %k = arith.addi %ih, %jb : !ti
        helion.store %k, %index[%i, %j] site "index.0" : !ti, memref<?x?xindex>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
      }
      // Only the first 5 columns count: the others become 0, the lanes outside n too.
      %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
      %v = helion.load %x[%i, %s] site "x.1" : !in, (!helion.tile<bi@i>, !helion.tile<rn@n>) -> tensor<?x?xf32, #helion.dims<bi@i, rn@n>>
      %w = helion.rebound %v : tensor<?x?xf32, #helion.dims<bi@i, rn@n>> -> tensor<?x?xf32, #helion.dims<bi@i, rn>>
      %limit = arith.minui %n, %c5 : index
      %z = arith.constant 0.0 : f32
      %five = helion.range %c0 to %limit site "slice.5" : !helion.tile<rn@five>
      %y = helion.mask %w dims [1] by (%five) fill %z : tensor<?x?xf32, #helion.dims<bi@i, rn>>, (!helion.tile<rn@five>), f32
      %sum = helion.reduce addf %y dim 1 site "sum.0" : tensor<?x?xf32, #helion.dims<bi@i, rn>> -> tensor<?xf32, #helion.dims<bi@i>>
      helion.store %sum, %sums[%i] site "sums.0" : tensor<?xf32, #helion.dims<bi@i>>, memref<?xf32>, (!helion.tile<bi@i>)
    }
  }
  helion.return %turned, %index, %sums : memref<?x?xf32>, memref<?x?xindex>, memref<?xf32>
}

// Rows of 8 x 16 seen as 128, as 4 x 2 x 16, with added and dropped dims of 1, and a broadcast of a dim of 1.
!h = memref<?x8x16xf32, strided<[?, ?, ?], offset: ?>>
!r3 = tensor<?x8x16xf32, #helion.dims<bi@i, 8, 16>>
helion.kernel @reshapes(%x: !h {helion.name = "x"}) -> (memref<?x128xf32>, memref<?x2xf32>, memref<?x8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %x, %c0 : !h
  %flat = helion.empty(%m) {name = "flat"} : memref<?x128xf32>
  %pairs = helion.empty(%m) {name = "pairs"} : memref<?x2xf32>
  %mean = helion.empty(%m) {name = "mean"} : memref<?x8x16xf32>
  helion.block @bi tile
  helion.launch "reshapes" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%m) site "loop.i" {
      %a = helion.range %c0 to %c8 site "slice.8" : !helion.tile<8>
      %b = helion.range %c0 to %c16 site "slice.16" : !helion.tile<16>
      %f = helion.range %c0 to %c128 site "slice.128" : !helion.tile<128>
      %p = helion.range %c0 to %c2 site "slice.2" : !helion.tile<2>
      %v = helion.load %x[%i, %a, %b] site "x.0" : !h, (!helion.tile<bi@i>, !helion.tile<8>, !helion.tile<16>) -> !r3
      %g = helion.reshape %v [array<i64: 0>, array<i64: 1, 2>] : !r3 -> tensor<?x128xf32, #helion.dims<bi@i, 128>>
      helion.store %g, %flat[%i, %f] site "flat.0" : tensor<?x128xf32, #helion.dims<bi@i, 128>>, memref<?x128xf32>, (!helion.tile<bi@i>, !helion.tile<128>)
      %q = helion.reshape %v [array<i64: 0>, array<i64: 1, 2>, array<i64: 3>] : !r3 -> tensor<?x4x2x16xf32, #helion.dims<bi@i, 4, 2, 16>>
      %q1 = helion.reduce addf %q dim 3 site "sum.3" : tensor<?x4x2x16xf32, #helion.dims<bi@i, 4, 2, 16>> -> tensor<?x4x2xf32, #helion.dims<bi@i, 4, 2>>
      %q2 = helion.reduce addf %q1 dim 1 site "sum.1" : tensor<?x4x2xf32, #helion.dims<bi@i, 4, 2>> -> tensor<?x2xf32, #helion.dims<bi@i, 2>>
      helion.store %q2, %pairs[%i, %p] site "pairs.0" : tensor<?x2xf32, #helion.dims<bi@i, 2>>, memref<?x2xf32>, (!helion.tile<bi@i>, !helion.tile<2>)
      %s = helion.reduce addf %v dim 2 site "sum.2" : !r3 -> tensor<?x8xf32, #helion.dims<bi@i, 8>>
      %s1 = helion.reshape %s [array<i64: 0>, array<i64: 1, 2>] : tensor<?x8xf32, #helion.dims<bi@i, 8>> -> tensor<?x8x1xf32, #helion.dims<bi@i, 8, 1>>
      %sb = helion.broadcast %s1 to [0, 1, 2] : tensor<?x8x1xf32, #helion.dims<bi@i, 8, 1>> -> !r3
      helion.store %sb, %mean[%i, %a, %b] site "mean.0" : !r3, memref<?x8x16xf32>, (!helion.tile<bi@i>, !helion.tile<8>, !helion.tile<16>)
    }
  }
  helion.return %flat, %pairs, %mean : memref<?x128xf32>, memref<?x2xf32>, memref<?x8x16xf32>
}

// Per tile of a loop from 3: begin, end, id, count, and the block size from the host.
helion.kernel @tiles(%n: index {helion.name = "n"}) -> memref<?x5xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  helion.block @bi registered {min = 2, multiple = 2}
  %b = helion.block_size @bi
  %work = helion.empty(%b) {name = "work", workspace} : memref<?xf32>
  %rows = memref.dim %work, %c0 : memref<?xf32>
  %out = helion.empty(%n) {name = "out"} : memref<?x5xindex>
  helion.launch "tiles" {
    helion.tile (%i: !helion.tile<bi@i>) = (%c3) to (%n) site "loop.i" {
      %begin = helion.tile_begin %i : !helion.tile<bi@i>
      %end = helion.tile_end %i : !helion.tile<bi@i>
      %id = helion.tile_id %i : !helion.tile<bi@i>
      %count = helion.tile_count %i : !helion.tile<bi@i>
      helion.store %begin, %out[%id, %c0] site "o.0" : index, memref<?x5xindex>, (index, index)
      helion.store %end, %out[%id, %c1] site "o.1" : index, memref<?x5xindex>, (index, index)
      helion.store %id, %out[%id, %c2] site "o.2" : index, memref<?x5xindex>, (index, index)
      helion.store %count, %out[%id, %c3] site "o.3" : index, memref<?x5xindex>, (index, index)
      helion.store %rows, %out[%id, %c4] site "o.4" : index, memref<?x5xindex>, (index, index)
    }
  }
  helion.return %out : memref<?x5xindex>
}

// Form S: a grid of three axes, a sum by scf.for, a switch on the axis sum, a branch on a value; dense constants.
helion.kernel @branches(%x: memref<?xi32, strided<[?], offset: ?>> {helion.name = "x"}, %gx: index {helion.name = "gx"}, %gy: index {helion.name = "gy"}) -> memref<?x?x2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?xi32, strided<[?], offset: ?>>
  %out = helion.empty(%gx, %gy) {name = "out"} : memref<?x?x2xi32>
  helion.launch "branches" grid(%gx, %gy, %c2) {
    %px = helion.program_id "x"
    %py = helion.program_id "y"
    %pz = helion.program_id "z"
    %nx = helion.num_programs "x"
    %z = arith.constant 0 : i32
    %sum = scf.for %i = %px to %n step %nx iter_args(%a = %z) -> (i32) {
      %v = helion.load %x[%i] site "x.0" : memref<?xi32, strided<[?], offset: ?>>, (index) -> i32
      %b = arith.addi %a, %v : i32
      scf.yield %b : i32
    }
    %odd = arith.remui %py, %c2 : index
    %scaled = scf.index_switch %odd -> i32
    case 1 {
      %neg = arith.subi %z, %sum : i32
      scf.yield %neg : i32
    }
    default {
      scf.yield %sum : i32
    }
    %ones = arith.constant dense<1> : tensor<4xi32>
    %four = helion.reduce addi %ones dim 0 site "sum.0" : tensor<4xi32> -> i32
    %steps = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %ten = helion.reduce addi %steps dim 0 site "sum.1" : tensor<4xi32> -> i32
    %first = arith.cmpi eq, %pz, %c0 : index
    %r = scf.if %first -> (i32) {
      %p = arith.addi %scaled, %four : i32
      scf.yield %p : i32
    } else {
      %q = arith.muli %scaled, %ten : i32
      scf.yield %q : i32
    }
    helion.store %r, %out[%px, %py, %pz] site "out.0" : i32, memref<?x?x2xi32>, (index, index, index)
  }
  helion.return %out : memref<?x?x2xi32>
}

// Transposed, collapsed (a copy where it is no view), expanded and cut views of one input.
!in3 = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
!in2 = memref<?x?xf32, strided<[?, ?], offset: ?>>
!cut = memref<?x?xf32, strided<[?, 1], offset: ?>>
!r2  = tensor<?x?xf32, #helion.dims<bi@i, bj@j>>
helion.kernel @host_views(%x: !in3 {helion.name = "x"}) -> (memref<?x?xf32>, memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.dim %x, %c0 : !in3
  %b = memref.dim %x, %c1 : !in3
  %c = memref.dim %x, %c2 : !in3
  %xt = memref.transpose %x (p, q, r) -> (r, p, q) : !in3 to !in3
  %flat = memref.collapse_shape %xt [[0], [1, 2]] {helion.view = "reshape"} : !in3 into !in2
  %m = memref.dim %flat, %c0 : !in2
  %n = memref.dim %flat, %c1 : !in2
  %out = helion.empty(%m, %n) {name = "out"} : memref<?x?xf32>
  // The result again as [c, a, b], of it every second row of the last matrix.
  %cube = memref.expand_shape %out [[0], [1, 2]] output_shape [%c, %a, %b] : memref<?x?xf32> into memref<?x?x?xf32>
  %last = arith.subi %c, %c1 : index
  %half = arith.ceildivui %a, %c2 : index
  %cut = memref.subview %cube[%last, 0, 0] [1, %half, %b] [1, 2, 1] : memref<?x?x?xf32> to !cut
  %rows = helion.empty(%half, %b) {name = "rows"} : memref<?x?xf32>
  helion.block @bi tile
  helion.block @bj tile
  helion.launch "host_views" {
    helion.tile (%i: !helion.tile<bi@i>, %j: !helion.tile<bj@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" {
      %v = helion.load %flat[%i, %j] site "x.0" : !in2, (!helion.tile<bi@i>, !helion.tile<bj@j>) -> !r2
      helion.store %v, %out[%i, %j] site "out.0" : !r2, memref<?x?xf32>, (!helion.tile<bi@i>, !helion.tile<bj@j>)
    }
  }
  helion.launch "host_views.rows" {
    helion.tile (%i: !helion.tile<bi@i.1>, %j: !helion.tile<bj@j.1>) = (%c0, %c0) to (%half, %b) site "loop.ij.1" {
      %v = helion.load %cut[%i, %j] site "cut.0" : !cut, (!helion.tile<bi@i.1>, !helion.tile<bj@j.1>) -> tensor<?x?xf32, #helion.dims<bi@i.1, bj@j.1>>
      helion.store %v, %rows[%i, %j] site "rows.0" : tensor<?x?xf32, #helion.dims<bi@i.1, bj@j.1>>, memref<?x?xf32>, (!helion.tile<bi@i.1>, !helion.tile<bj@j.1>)
    }
  }
  helion.return %out, %rows : memref<?x?xf32>, memref<?x?xf32>
}
