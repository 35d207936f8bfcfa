// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of choices that every target has. Names and meanings follow Helion's Config. A target's own choices are in
// its Knobs.td; parser, printer, search space, Helion import and docs/generated/knobs.md all read these records. Their classes are in
// passes/Config/KnobClasses.td, which utils/gen-knobs.py includes first.

def RollReductions : ChoicePass<"helion-roll-reductions", 10>;
def OrderLoops : ChoicePass<"helion-order-loops", 20>;
def BindBlocks : ChoicePass<"helion-bind-blocks", 30>;
def FlattenLoops : ChoicePass<"helion-flatten-loops", 40>;
def MapPrograms : ChoicePass<"helion-map-programs", 50>;
def UnrollLoops : ChoicePass<"helion-unroll-loops", 60>;
def ChooseAccess : ChoicePass<"helion-choose-access", 65, "lanes">;
def SetWarps : ChoicePass<"helion-set-warps", 70, "lanes">;

def ReductionLoops : Knob<"reduction_loops", RollReductions, Slice, IntegerOr<PowersOfTwo<"8", "65536">, "none">> {
  let preset = "none";
  let universal = "1024";
  let helion = HelionKey<"reduction_loops", "reduction_loop">;
  let summary = "lanes per step of a loop over a full slice; `none` keeps the whole slice in one tile";
  let pickWhen = "rows are longer than registers or scratch hold, or their length varies widely";
  let cost = "what several reductions need is loaded once for each; sums associate by chunks";
  let notLegal = "a value of the slice is carried, captured by a nested loop, merged or split, or reduced by argmax, argmin or "
                 "a combiner region, or scanned along the slice";
}

def LoopOrders : Knob<"loop_orders", OrderLoops, OrderedLoop, Permutation<>> {
  let defaultRule = "the order of the source";
  let helion = HelionKey<"loop_orders", "loop_order">;
  let summary = "order of the dims of a tile loop, the slowest first";
  let pickWhen = "another operand than the source's order suggests should stay in cache between neighbouring tiles";
  let cost = "none by itself";
  let notLegal = "the loop carries values and has no `combine` region";
}

def BlockSizes : Knob<"block_sizes", BindBlocks, Block,
    Integer<Span<"1", "65536">,
            [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]>> {
  let defaultRule = "Helion's: 32 for up to 2 blocks and short constant rows; for 3 or more with constant rows the even share "
                    "of 32768 lanes; else 16, or 1 for constant rows above 256";
  let helion = HelionKey<"block_sizes", "block_size">;
  let summary = "lanes of a block; where a kernel has several the search tries up to 1024";
  let pickWhen = "larger: more reuse of what is loaded; smaller: more programs, less waste at ragged ends";
  let cost = "registers or scratch grow with the product of a tile's blocks";
  let notLegal = "outside the block's `min`, `max` and `multiple`, or a tile value of more than 2^20 lanes (or than with the "
                 "defaults, if that is more)";
}

// The odd part of an extent repeats in the registers of each thread, so it is bounded by what a thread holds.
def SliceSizes : Knob<"block_sizes", BindBlocks, SliceBlock,
    Integer<OddTimesPowersOfTwo<63, "8", "65536", "1024">,
            [8, 16, 32, 64, 128, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072,
             3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768, 40960,
             49152, 57344, 65536]>> {
  let defaultRule = "1024";
  let needs = [Needs<"reduction_loops", ["none"]>];
  let summary = "lanes of a full slice that stays whole; the code serves sizes up to it and records that as a fact";
  let pickWhen = "the least multiple of the program's threads, or of as many vectors, that covers the sizes to serve";
  let cost = "short rows pay for all lanes; where the largest power of two that divides it is less than the threads, some only hold copies";
  let notLegal = "every slice of the block is rolled";
}

def FlattenLoopsKnob : Knob<"flatten_loops", FlattenLoops, PointwiseGrid, Flag<>> {
  let needs = [Needs<"pid_type", ["flat", "persistent_blocked", "persistent_interleaved"]>];
  let preset = "false";
  let helion = HelionKey<"flatten_loops", "flatten_loop">;
  let summary = "run a grid of several dims as one dim over all lanes";
  let pickWhen = "pointwise work on short rows of contiguous tensors";
  let cost = "what is not contiguous over all dims is indexed by division";
}

def L2Groupings : Knob<"l2_groupings", MapPrograms, GroupedGrid, Integer<Span<"1", "64">, [1, 2, 4, 8, 12, 16, 32, 64]>> {
  let preset = "1";
  let needs = [Needs<"flatten_loops", ["false"]>,
               Needs<"pid_type", ["flat", "persistent_blocked", "persistent_interleaved"]>];
  let helion = HelionKey<"l2_groupings", "l2_grouping">;
  let summary = "tiles of the last but one grid dim that run together before the last dim moves on";
  let pickWhen = "neighbouring programs share operands through a cache that holds a group's";
  let cost = "a few integer ops per program";
}

def PidType : Knob<"pid_type", MapPrograms, Launch,
    Word<["flat", "xyz", "persistent_blocked", "persistent_interleaved"]>> {
  let preset = "flat";
  let persistent = ["persistent_blocked", "persistent_interleaved"];
  let helion = HelionKey<"pid_type", "", 1>;
  let summary = "how tiles are given to programs";
  let pickWhen = "`flat`: one program per tile. `xyz`: the same without division, one grid dim per loop dim. "
                 "`persistent_blocked`: as many programs as run at once, each with neighbouring tiles. "
                 "`persistent_interleaved`: the same, tiles dealt in turn";
  let cost = "persistent kinds loop over tiles; blocked ones end unevenly where tiles differ in work";
  let notLegal = "`xyz` without exactly one grid loop, of 2 or 3 dims";
}

def NumSmMultiplier : Knob<"num_sm_multiplier", MapPrograms, Launch, Integer<PowersOfTwo<"1", "128">>> {
  let preset = "1";
  let needs = [Needs<"pid_type", ["persistent_blocked", "persistent_interleaved"]>];
  let helion = HelionKey<"num_sm_multiplier", "", 1>;
  let summary = "programs of a persistent launch per processor of the device";
  let pickWhen = "one program alone does not keep a processor busy, or tiles differ in work";
  let cost = "programs of one processor share its caches";
}

def RangeUnrollFactors : Knob<"range_unroll_factors", UnrollLoops, InnerLoop, Integer<Span<"1", "4">, [1, 2, 3, 4]>> {
  let preset = "1";
  let copies = 1;
  let needs = [Needs<"static_ranges", ["false"]>];
  let helion = HelionKey<"range_unroll_factors", "range_unroll_factor">;
  let summary = "copies of the body per step of an inner loop";
  let pickWhen = "short bodies whose loads can overlap the next copy's arithmetic";
  let cost = "code grows by the factor, plus a remainder loop";
}

def StaticRanges : Knob<"static_ranges", UnrollLoops, ConstantLoop, Flag<>> {
  let preset = "false";
  let helion = HelionKey<"static_ranges", "static_range">;
  let summary = "unroll an inner loop completely";
  let pickWhen = "a handful of iterations, known when compiling";
  let cost = "code grows by the number of iterations";
  let notLegal = "more than 8 iterations with the chosen block";
}

def Indexing : Knob<"indexing", ChooseAccess, Access, Word<["any", "contiguous", "vector"]>> {
  let preset = "vector";
  let universal = "any";
  let helion = HelionKey<"indexing", "", 0, ["pointer=vector", "block_ptr=vector", "tensor_descriptor=vector"]>;
  let summary = "what an access relies on: nothing; that neighbours along the last dim lie together; also that groups of 16 bytes "
                "begin at multiples of 16 bytes, so that a thread moves one at once";
  let pickWhen = "`vector`: aligned tensors of even sizes; `contiguous`: odd sizes or offsets; `any`: calls with other strides";
  let cost = "each is a condition on the calls that the code serves";
}

def LoadEvictionPolicies : Knob<"load_eviction_policies", ChooseAccess, Load, Word<["none", "first", "last"]>> {
  let preset = "none";
  let helion = HelionKey<"load_eviction_policies", "", 0, ["=none", "first=first", "last=last"]>;
  let summary = "what the first cache does with loaded lines when it needs room: drop them first, or last";
  let pickWhen = "`first`: data that is read once, beside data that is read again, which is `last`";
  let cost = "none by itself";
}

def StoreCacheModifiers : Knob<"store_cache_modifiers", ChooseAccess, Store, Word<["none", "cs", "wt"]>> {
  let preset = "none";
  let helion = HelionKey<"store_cache_modifiers", "", 0, ["=none", ".cs=cs", ".wt=wt"]>;
  let summary = "how a store goes through the caches: as others; `cs`, streaming: its lines are dropped first; `wt`: through all of them";
  let pickWhen = "`cs`: large results that nobody reads soon";
  let cost = "the next reader may wait for memory";
}

def NumWarps : Knob<"num_warps", SetWarps, Launch, Integer<PowersOfTwo<"1", "dev.max_threads floordiv dev.lanes">>> {
  let preset = "4";
  let elements = "dev.lanes * dev.thread_elements";
  let mostElements = "dev.block_elements";
  let sharedBytes = "dev.shared_bytes";
  let helion = HelionKey<"num_warps", "", 1>;
  let summary = "warps of a program; its tiles are spread over their lanes";
  let pickWhen = "more: large tiles, whose values then need fewer registers of each thread; fewer: small tiles, and reductions that "
                 "should stay inside a warp";
  let cost = "a reduction over more than one warp goes through shared memory; few threads hide less of the memory's latency";
  let notLegal = "a tile value of the launch has more elements than `dev.thread_elements` for each thread, or `dev.block_elements`; or its rings and what its tile values need on "
                 "their way between threads is more than `dev.shared_bytes`";
}

def : IgnoredHelionKey<"num_warps", "threads of a program are the target's choice">;
def : IgnoredHelionKey<"num_stages", "no staged loads">;
def : IgnoredHelionKey<"indexing", "the target has one kind of access">;
def : IgnoredHelionKey<"atomic_indexing", "atomics have one kind of access">;
def : IgnoredHelionKey<"load_eviction_policies", "the target has no cache hints on loads">;
def : IgnoredHelionKey<"load_cache_modifiers", "no cache hints on loads">;
def : IgnoredHelionKey<"store_cache_modifiers", "no target has it as a choice">;
def : IgnoredHelionKey<"range_warp_specializes", "no specialised warps">;
def : IgnoredHelionKey<"range_num_stages", "no staged loads">;
def : IgnoredHelionKey<"range_multi_buffers", "no staged loads">;
def : IgnoredHelionKey<"range_flattens", "loops are lowered, not flattened">;
def : IgnoredHelionKey<"maxnreg", "registers are the target's choice">;
def : IgnoredHelionKey<"epilogue_subtile", "stores are not split">;
def : IgnoredHelionKey<"advanced_controls_file", "no control files">;
def : IgnoredHelionKey<"xcd_remap", "programs are not remapped by die">;
def : IgnoredHelionKey<"num_threads", "threads of a program are the target's choice">;
def : IgnoredHelionKey<"num_ctas", "no clusters">;
def : IgnoredHelionKey<"occupancy", "registers are the target's choice">;
def : IgnoredHelionKey<"waves_per_eu", "registers are the target's choice">;
def : IgnoredHelionKey<"matrix_instr_nonkdim", "the target picks its instruction">;
