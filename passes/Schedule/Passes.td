// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice passes: each takes one or more knobs of passes/Knobs.td as options and does what they say, or fails. In pipeline order:
// helion-roll-reductions, helion-order-loops, helion-bind-blocks, helion-flatten-loops, helion-map-programs,
// helion-unroll-loops, helion-choose-access, helion-set-warps. The list is alphabetical.

#ifndef HELION_SCHEDULE_PASSES
#define HELION_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

class SiteOption<string cppName, string key, string text> : ListOption<cppName, key, "std::string", text>;

def BindBlocksPass : Pass<"helion-bind-blocks", "::mlir::ModuleOp"> {
  let summary = "Give every block its extent: dims become static, masks become explicit";
  let description = [{
    **Does.** Binds the blocks of each kernel; replaces symbolic dims by numbers and drops the encodings; puts a `helion.mask` with
    the identity before each reduce and dot whose combined dim is bounded, unless lanes outside are known to hold the identity;
    turns full slices into one tile with the fact that the size fits.

    **Before / After.**
    ```mlir
    %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
    %m = helion.reduce maximumf %v dim 0 site "max.0" : tensor<?xf32, #helion.dims<rn@n>> -> f32
    // block_sizes=rn=1024 becomes
    %s = helion.make_tile %c0 end %n : !helion.tile<1024>
    %w = helion.mask %v dims [0] by(%s) fill %ninf : tensor<1024xf32>, (!helion.tile<1024>), f32
    %m = helion.reduce maximumf %w dim 0 site "max.0" : tensor<1024xf32> -> f32
    ```
    **Needs.** Form K. **Gives.** Static types and explicit masks; tile loops still stand (helion-map-programs lowers them).
    **Reads.** block_sizes. **Fails when.** a size violates a block's `min`, `max` or `multiple`, or a slice's size is no
    expression of the arguments. **Numerics.** exact.
  }];
  let options = [SiteOption<"blockSizes", "block_sizes",
    "lanes per block, `block=extent`; larger tiles reuse more and need more registers or cache">];
  let statistics = [Statistic<"masks", "masks-inserted", "masks put before combining ops">,
                    Statistic<"proved", "masks-proved", "masks left out because the lanes hold the identity">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def ChooseAccessPass : Pass<"helion-choose-access", "::mlir::ModuleOp"> {
  let summary = "Say of each load and store how wide it may be and what caches hear of it";
  let description = [{
    **Does.** Sets `access` on each load and store: what the config names, else `vector`. `contiguous` states as a fact that neighbours
    along the last dim of the buffer lie together; `vector` also that groups of 16 bytes begin at multiples of 16 bytes: of the address,
    of the other strides, and of the end of the tile, where that is a host value. Fewer elements where the tile has no groups of so many.
    Of a tile with fewer than 32 groups only the first is stated, and nothing of an access that has no tile along that dim. Sets `evict` where the config names a hint.

    **Before / After.**
    ```mlir
    %v = helion.load %x[%i, %j] site "x.0" : !x, (!helion.tile<4>, !helion.tile<256>) -> tensor<4x256xf32>
    // becomes, with the facts x.stride(1) == 1, x.stride(0) % 4 == 0, x.size(1) % 4 == 0, x.align % 16 == 0
    %v = helion.load %x[%i, %j] site "x.0" {access = "vector"} : !x, (!helion.tile<4>, !helion.tile<256>) -> tensor<4x256xf32>
    ```
    **Needs.** Form S. **Gives.** Form S; helion-assign-layouts obeys. **Reads.** indexing, load_eviction_policies,
    store_cache_modifiers. **Fails when.** a word is none that the knob has. **Numerics.** sums are taken in another order by
    wider accesses.
  }];
  let options = [
    SiteOption<"indexing", "indexing", "`site=any|contiguous|vector`; wider accesses rely on more facts of strides, sizes and addresses">,
    SiteOption<"loadEvictionPolicies", "load_eviction_policies",
      "`site=none|first|last`; what the cache drops first, or last, to make room">,
    SiteOption<"storeCacheModifiers", "store_cache_modifiers",
      "`site=none|cs|wt`; stores that nobody reads soon, or that go through the caches">];
  let statistics = [Statistic<"wide", "accesses-wide", "loads and stores of several elements at once">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def FlattenLoopsPass : Pass<"helion-flatten-loops", "::mlir::ModuleOp"> {
  let summary = "Make a pointwise multi-dim grid one-dimensional";
  let description = [{
    **Does.** Replaces the named grid loop by one over a single tile of all its lanes. Accesses that cover all dims of a
    contiguous host tensor go to its collapsed view, which records the stride facts; others index by div and rem.

    **Before / After.**
    ```mlir
    helion.tile (%i: !helion.tile<32>, %j: !helion.tile<64>) = (%c0, %c0) to (%m, %n) site "loop.ij" { ... load %x[%i, %j] ... }
    // becomes
    helion.tile (%f: !helion.tile<2048>) = (%c0) to (%mn) site "loop.ij" { ... load %xflat[%f] ... }
    ```
    **Needs.** helion-bind-blocks. **Gives.** the same form. **Reads.** flatten_loops.
    **Fails when.** a lower bound is not 0, or the body combines lanes, nests loops or uses a tile in another way than as an index.
    **Numerics.** exact.
  }];
  let options = [SiteOption<"flattenLoops", "flatten_loops", "grid loops to flatten, by site; pays where rows are short">];
  let statistics = [Statistic<"flattened", "loops-flattened", "loops made one-dimensional">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def MapProgramsPass : Pass<"helion-map-programs", "::mlir::ModuleOp"> {
  let summary = "Map grid loops to program ids and inner tile loops to scf.for";
  let description = [{
    **Does.** Gives each launch its grid, decodes the program id into the tiles of the grid loops, and lowers inner tile loops to
    `scf.for` with explicit tiles.

    **Before / After.**
    ```mlir
    helion.launch "f" { helion.tile (%i: !helion.tile<128>) = (%c0) to (%n) site "loop.i" { ... } }
    // becomes
    %t = arith.ceildivui %n, %c128
    helion.launch "f" grid(%t) { %p = helion.program_id "x"  %b = arith.muli %p, %c128  %i = helion.make_tile %b end %n ... }
    ```
    **Needs.** helion-bind-blocks. **Gives.** Form S. **Reads.** pid_type, l2_groupings, num_sm_multiplier.
    **Fails when.** grid bounds depend on loaded data, `xyz` is chosen for one or more than three dims or together with a grouping, or
    a multiplier without a persistent kind. **Numerics.** exact.
  }];
  let options = [
    SiteOption<"l2Groupings", "l2_groupings",
      "tiles of the last but one grid dim that run together, `loop=count`; keeps operands of neighbours in a shared cache">,
    SiteOption<"numSmMultiplier", "num_sm_multiplier", "programs per multiprocessor of a persistent launch, `launch=count`">,
    SiteOption<"pidType", "pid_type",
      "`launch=flat|xyz|persistent_blocked|persistent_interleaved`; persistent kinds run as many programs as fit at once">];
  let statistics = [Statistic<"mapped", "loops-mapped", "grid loops turned into program ids">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def OrderLoopsPass : Pass<"helion-order-loops", "::mlir::ModuleOp"> {
  let summary = "Permute the dims of tile loops: which tile index varies slowest";
  let description = [{
    **Does.** Puts dim `order[k]` of the named loop at place `k`.

    **Before / After.**
    ```mlir
    helion.tile (%i: !helion.tile<bm@i>, %j: !helion.tile<bn@j>) = (%c0, %c0) to (%m, %n) site "loop.ij" { ... }
    // loop_orders=loop.ij=[1,0] becomes
    helion.tile (%j: !helion.tile<bn@j>, %i: !helion.tile<bm@i>) = (%c0, %c0) to (%n, %m) site "loop.ij" { ... }
    ```
    **Needs.** Form K. **Gives.** Form K. **Reads.** loop_orders.
    **Fails when.** the list is no permutation, or a sequential loop carries values without a `combine` region.
    **Numerics.** exact for grids; association of a combine otherwise.
  }];
  let options = [SiteOption<"loopOrders", "loop_orders", "order of dims per loop, `loop=[1,0]`; decides which operand stays in cache">];
  let statistics = [Statistic<"ordered", "loops-ordered", "loops whose dims were permuted">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def RollReductionsPass : Pass<"helion-roll-reductions", "::mlir::ModuleOp"> {
  let summary = "Roll a full slice into loops over chunks, one per dependent reduction";
  let description = [{
    **Does.** Replaces the named full slice by tile loops over chunks of the given extent. Ops on the slice run in the first loop
    in which their inputs exist; what several loops need is computed in each of them, loads included. A reduction keeps one
    accumulator per lane of the chunk and combines the lanes once after its loop.

    **Before / After.**
    ```mlir
    %s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>
    %v = helion.load %x[%i, %s] ...
    %m = helion.reduce addf %v dim 1 site "sum.0" ...
    // reduction_loops=slice.n=1024 becomes
    %a = helion.tile (%s: !helion.tile<rn_roll@n.roll0>) = (%c0) to (%n) iter_args(%acc = %zero) -> (...) site "slice.n" {
      %v = helion.load %x[%i, %s] ...
      %w = helion.rebound %v ...
      %next = arith.addf %acc, %w
      helion.yield %next
    } combine(...) {...}
    %m = helion.reduce addf %a dim 1 site "sum.0" ...
    ```
    **Needs.** Form K. **Gives.** Form K (sites repeat). **Reads.** reduction_loops.
    **Fails when.** a value of the slice is carried or captured by a nested loop, is reduced by argmax, argmin or a combiner region,
    scanned along the slice or by a combiner region, merged or split, or a host tensor is stored before it is loaded again, or stored off the slice and loaded through it. **Numerics.** association of sums.
  }];
  let options = [SiteOption<"reductionLoops", "reduction_loops",
    "chunk per full slice, `slice=extent`; without one the whole slice is one tile and its size is bounded by the block">];
  let statistics = [Statistic<"rolled", "slices-rolled", "slices turned into loops">,
                    Statistic<"loops", "loops-made", "loops made of them">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def UnrollLoopsPass : Pass<"helion-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Unroll inner loops, fully where the trip count is a small constant";
  let description = [{
    **Does.** `static_ranges` unrolls a loop of constant trip count completely; `range_unroll_factors` repeats the body and leaves a
    remainder loop.

    **Before / After.**
    ```mlir
    scf.for %k = %c0 to %c128 step %c64 { body(%k) } {site = "loop.k"}
    // static_ranges=loop.k becomes
    body(%c0)  body(%c64)
    ```
    **Needs.** Form S. **Gives.** Form S. **Reads.** static_ranges, range_unroll_factors.
    **Fails when.** a static range has no constant trip count, or more than 8 iterations. **Numerics.** exact.
  }];
  let options = [
    SiteOption<"rangeUnrollFactors", "range_unroll_factors", "copies of the body, `loop=count`; overlaps iterations, grows code">,
    SiteOption<"staticRanges", "static_ranges", "loops to unroll completely, by site">];
  let statistics = [Statistic<"unrolled", "loops-unrolled", "loops unrolled">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def SetWarpsPass : Pass<"helion-set-warps", "::mlir::ModuleOp"> {
  let summary = "Say how many warps run each program";
  let description = [{
    **Does.** Sets `warps` on every launch: what the config names, else 4.

    **Before / After.**
    ```mlir
    helion.launch "softmax" grid(%m) { .. }
    // num_warps=softmax=8 becomes
    helion.launch "softmax" grid(%m) attributes {warps = 8 : i64} { .. }
    ```
    **Needs.** Form S. **Gives.** Form S. **Reads.** num_warps.
    **Fails when.** a number of warps is no power of two from 1 to 32. **Numerics.** sums are taken in another order by more warps.
  }];
  let options = [SiteOption<"numWarps", "num_warps", "warps of a program, `launch=4`; more share a tile's values, at the cost of "
    "reductions through shared memory">];
  let dependentDialects = ["::helion::HelionDialect"];
}

#endif // HELION_SCHEDULE_PASSES
