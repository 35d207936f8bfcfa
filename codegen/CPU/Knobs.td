// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices that only the CPU has, after those of passes/Knobs.td. Bounds are in facts of the target's row.

def ChooseCpu : ChoicePass<"helion-choose-cpu", 100>;

// A tile of mr x nr accumulators holds mr * nr / lanes registers; nr / lanes more hold a row of the right operand and one
// the broadcast left element. The preset is the largest mr at two vectors of nr that fits: 6x16 with 16 registers of 8
// lanes, 14x32 with 32 registers of 16.
def RegisterTiles : Knob<"register_tiles", ChooseCpu, Dot, List<[
    Span<"1", "14", "1", "min(14, (dev.vector_registers - 3) floordiv 2)">,
    Span<"dev.vector_bytes floordiv 4", "dev.vector_bytes", "dev.vector_bytes floordiv 4", "dev.vector_bytes floordiv 2">]>> {
  let defaultRule = "two vectors wide, and as many rows, up to 14, as the registers hold";
  let summary = "rows and f32 columns `[mr,nr]` of the accumulator that one step of a dot keeps in registers";
  let pickWhen = "wider: fewer loads of the left operand; taller: fewer of the right; smaller for ragged or tiny dims";
  let cost = "beyond the registers accumulators spill";
}
