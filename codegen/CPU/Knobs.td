// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices that only the CPU has, after those of passes/Knobs.td. Bounds are in facts of the target's row.

def ChooseCpu : ChoicePass<"helion-choose-cpu", 100>;

// A tile of mr x nr accumulators holds mr * nr / lanes registers; nr / lanes more hold a row of the right operand and one
// the broadcast left element.
def RegisterTiles : Knob<"register_tiles", ChooseCpu, Dot, ListOr<[
    Span<"1", "14">,
    Span<"dev.vector_bytes floordiv 4", "dev.vector_bytes", "dev.vector_bytes floordiv 4">], "auto">> {
  let preset = "auto";
  let summary = "rows and f32 columns `[mr,nr]` of the accumulator that one step of a dot keeps in registers; `auto`: what "
                "fits the registers and divides the block's rows";
  let pickWhen = "wider: fewer loads of the left operand; taller: fewer of the right; smaller for ragged or tiny dims";
  let cost = "beyond the registers accumulators spill";
}
