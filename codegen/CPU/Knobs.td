// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices that only the CPU has, after those of passes/Knobs.td. Bounds are in facts of the target's row.

def ChooseCpu : ChoicePass<"helion-choose-cpu", 100>;

// Vectors that a loop computes together. They are independent, so while one waits for a result the others work; all of
// them hold registers.
def StepVectors : Knob<"step_vectors", ChooseCpu, Launch, Integer<PowersOfTwo<"1", "8">>> {
  let preset = "4";
  let summary = "vectors that a round of a loop computes together, op by op; what is left of a row goes one by one";
  let pickWhen = "more: long rows and short chains of ops; fewer: long chains such as `exp`, whose values must stay in "
                 "registers, and rows of few vectors";
  let cost = "beyond the registers values spill";
}

// Only whole vectors at aligned addresses can be written past the caches; the code tests that at run time.
def StreamStores : Knob<"stream_stores", ChooseCpu, Store, Word<["large", "always", "never"]>> {
  let preset = "large";
  let summary = "when a store goes past the caches: into tensors of at least 16 MiB, into any, into none";
  let pickWhen = "`always`: nobody reads the result soon, and the caches are better left to others; `never`: the next "
                 "reader finds it in a large last cache";
  let cost = "`large` and `always` write the code of the loop twice; past the caches the next reader waits for memory";
}

// A tile of mr x nr accumulators holds mr * nr / lanes registers; nr / lanes more hold a row of the right operand and one
// the broadcast left element. More than 8 rows have more addresses than there are scalar registers.
def RegisterTiles : Knob<"register_tiles", ChooseCpu, Dot, ListOr<[
    Span<"1", "14">,
    Span<"dev.vector_bytes floordiv 4", "dev.vector_bytes", "dev.vector_bytes floordiv 4">], "auto">> {
  let preset = "auto";
  let summary = "rows and f32 columns `[mr,nr]` of the accumulator that one step of a dot keeps in registers; `auto`: "
                "8x32 of 32 registers, of 16 registers 6x16, or 4x24 where only that divides the block's rows";
  let pickWhen = "wider: fewer loads of the left operand; taller: fewer of the right; smaller for ragged or tiny dims";
  let cost = "beyond the registers accumulators spill";
}
