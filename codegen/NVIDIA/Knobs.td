// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices that only NVIDIA targets have, after those of passes/Knobs.td.

def SetStages : ChoicePass<"helion-set-stages", 110>;

def NumStages : Knob<"num_stages", SetStages, StagedLoop, Integer<Span<"1", "8">, [1, 2, 3, 4, 5]>> {
  let preset = "1";
  let needs = [Needs<"static_ranges", ["false"]>];
  let matrix = ["dev.matrix_rows", "dev.matrix_columns", "dev.matrix_depth_bytes"];
  let helion = HelionKey<"num_stages", "", 1>;
  let summary = "slots of shared memory for what a loop loads for its dots; all but one are filled ahead by asynchronous copies; `1` "
                "loads through registers when it is needed";
  let pickWhen = "long loops over operands in memory; more where an iteration is short against the memory's latency";
  let cost = "a slot holds all operands of an iteration; fewer programs share a processor. The code serves only operands with unit "
             "stride, other strides and addresses in multiples of 16 bytes, and records that as facts";
  let notLegal = "no dot of the loop has blocks that are multiples of the matrix instruction's, batches of one and a load as an operand; "
                 "the loop stores to memory, or has constant bounds and runs once, or copies of its body do";
}

def GridStages : Knob<"num_stages", SetStages, StagedGrid, Integer<Span<"1", "8">, [1, 2, 3, 4]>> {
  let preset = "1";
  let needs = [Needs<"pid_type", ["persistent_blocked", "persistent_interleaved"]>, Needs<"flatten_loops", ["false"]>];
  let summary = "slots of shared memory for what a program that stays loads for a tile; all but one are filled ahead, with the tiles that it "
                "works on next; `1` loads through registers when it is needed";
  let pickWhen = "tiles so large that few programs share a processor, such as long rows, whose loads, arithmetic and stores would wait for each "
                 "other";
  let cost = "a slot holds all such loads of a tile, and its reader waits for all threads. The code serves only tensors with unit stride, "
             "other strides and addresses in multiples of 16 bytes, and records that as facts";
  let notLegal = "programs do not stay; no load has rows of whole pieces of 16 bytes and no rolled slice";
}

def Dots : Knob<"dots", SetStages, SlotDotLoop, Word<["mma", "wgmma"]>> {
  let preset = "mma";
  let fact = "group_matrices";
  // A program that stays divides numbers of 64 bits for its next tile, which is a call, beside which the assembler makes
  // such instructions wait for each other.
  let needs = [Needs<"copies", ["boxes"]>, Needs<"pid_type", ["flat", "xyz"]>];
  let groupMatrix = ["dev.group_rows", "dev.group_columns", "dev.group_depth_bytes", "dev.group_warps"];
  let summary = "the matrix instruction of a staged loop's dots: `mma`, of one warp, whose operands pass registers, or `wgmma`, of four "
                "warps, which reads the slots itself";
  let pickWhen = "`wgmma`: large tiles, 128 rows and columns and more; `mma`: tiles too small for it";
  let cost = "tiles of at least 64 rows and four warps; with more than two stages one of them waits for the dot that is still running";
  let notLegal = "a dot of the loop has dims beside rows, columns and depth, or blocks that are no multiples of the instruction's; warps are "
                 "no multiple of its own";
}

def Copies : Knob<"copies", SetStages, StagedLoop, Word<["pieces", "boxes"]>> {
  let preset = "pieces";
  let fact = "tensor_maps";
  let needs = [Needs<"num_stages", ["2", "3", "4", "5", "6", "7", "8"]>];
  let summary = "who copies what a staged loop loads: its threads, in pieces of 16 bytes, or the device, in boxes through tensor maps";
  let pickWhen = "`boxes`: many or large tiles, whose addresses threads need not compute; `pieces`: tensors with sizes of 0, or "
                 "with tiles that end inside of them";
  let cost = "a tensor map is encoded for each call, about 0.2 us a load; the code serves only tensors of at least one element";
  let notLegal = "an index of a load is not a tile or a number";
}

def GridCopies : Knob<"copies", SetStages, StagedGrid, Word<["pieces", "boxes"]>> {
  let preset = "pieces";
  let fact = "tensor_maps";
  let needs = [Needs<"num_stages", ["2", "3", "4", "5", "6", "7", "8"]>];
  let summary = "who copies what a program that stays loads ahead: its threads, in pieces of 16 bytes, or the device, in boxes through tensor maps";
  let pickWhen = "`boxes`: tiles of many pieces, whose addresses threads need not compute; `pieces`: tensors with sizes of 0, or "
                 "with tiles that end inside of them";
  let cost = "a tensor map is encoded for each call, about 0.2 us a load; the code serves only tensors of at least one element";
  let notLegal = "a tile of such a load does not end where the tensor ends";
}
