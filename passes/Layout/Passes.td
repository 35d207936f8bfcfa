// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from form S to form L: which thread holds which element of a tile.

#ifndef HELION_LAYOUT_PASSES
#define HELION_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"helion-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Give every tile value of a launch a layout: form S becomes form L";
  let description = [{
    **Does.** Values that elementwise ops, loops and branches tie together get one layout. Accumulators of dots decide first, then
    accesses of memory: neighbours in memory go to one thread, up to a vector, then to its neighbours. Other values follow, by the
    cheapest of what their neighbours ask for. What costs nothing to make (splats, indices, constants and what is computed of them) is
    made anew in each layout that a reader wants. Where two rules disagree stands a `helion.convert_layout`.

    **Before / After.**
    ```mlir
    %v = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<1>, !helion.tile<1024>) -> tensor<1x1024xf32>
    %m = helion.reduce maximumf %v dim 1 site "max.0" : tensor<1x1024xf32> -> tensor<1xf32>
    // becomes, for four warps
    %v = helion.load %x[%i, %s] site "x.0" : !arg, (!helion.tile<1>, !helion.tile<1024>) -> tensor<1x1024xf32, #row>
    %m = helion.reduce maximumf %v dim 1 site "max.0" : tensor<1x1024xf32, #row> -> tensor<1xf32, #one>
    ```
    **Needs.** Form S; `warps` on launches, else the option's. **Gives.** Form L without groups and rings; a dot that a matrix
    instruction runs names it as `instruction`. **Reads.** `access` of loads and stores, facts; the device's row as options.
    **Fails when.** an option is no power of two, an op on tile values has no rule, or a tile value has more elements for each thread
    than `thread-elements`, or than `block-elements`. **Numerics.** exact.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "32", "threads of a warp">,
    Option<"warps", "warps", "int64_t", "4", "warps of a program whose launch does not say">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "16", "bytes that a thread moves at once at most">,
    Option<"threadElements", "thread-elements", "int64_t", "0",
           "elements of a tile value for each thread at most, which bounds the length of its code; 0 for any number">,
    Option<"blockElements", "block-elements", "int64_t", "0",
           "elements of a tile value for all threads of a program, who share registers; 0 for any number">,
    ListOption<"dotInstruction", "dot-instruction", "std::string",
               "matrix instructions that dots run on: `mma16x8x16` of 16-bit floats into f32, `mma16x8x8` of f32 whose precision is "
               "tf32 or tf32x3, `mma16x8x32` of i8 into i32; others are multiply-adds of single threads">,
    Option<"report", "report", "bool", "false", "a remark on each conversion: how its data moves; takes longer than the rest">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def PipelineLoadsPass : Pass<"helion-pipeline-loads", "::mlir::ModuleOp"> {
  let summary = "Fill a ring with what a loop loads for its dots, some iterations ahead";
  let description = [{
    **Does.** A loop with `stages = N`, N above 1, gets a ring of N slots. One slot holds what one iteration loads for its dots on matrix
    instructions; N - 1 iterations are on their way while one computes. Each iteration takes its slot, starts the loads of the one N - 1
    further, and reads its operands in the fragments that the dots want. Loads behind the last iteration fill with 0; what is in flight
    behind the loop is drained. Buffers have the swizzle that moves of matrices read without bank conflicts.

    **Before / After.**
    ```mlir
    scf.for %k0 = %c0 to %kk step %c64 iter_args(%acc = %z) -> (!acc) { load; convert_layout; dot } {stages = 3}
    // becomes
    %ring = helion.ring "x.0+y.0" : !helion.ring<3 x (!A, !B)>
    scf.for %s = %c0 to %c2 step %c1 { acquire; load_async; commit }
    scf.for %k0 .. { take; acquire; load_async; commit; read; dot; release }
    scf.for %s = %c0 to %c2 step %c1 { take; release }
    ```
    With `group_dots` the dots read the slots: `dot_async` and `wait` in place of `read` and `dot`. With three slots or more, and an
    accumulator that the loop carries and nothing else reads, the dot of one iteration flies while the next takes its slot; a slot is
    filled again one iteration later, N - 2 are on their way:
    ```mlir
    scf.for %k0 .. iter_args(%t = %ready) -> (!helion.token<!acc>) { take; acquire; load_async; commit; dot_async acc %t; release after }
    %acc = helion.wait
    ```
    **Needs.** Form L. **Gives.** Form L without `stages`. **Reads.** `stages` on loops, which helion-set-stages has chosen; facts: asynchronous
    copies need unit stride, other strides and addresses in multiples of 16 bytes.
    **Fails when.** such a loop has no load that goes to a dot as it is, stores to memory, indexes by what it carries, or a fact is
    missing; with `group_dots`, when a dot of it is of another instruction or an operand no load as it is. **Numerics.** exact.
  }];
  let statistics = [Statistic<"pipelined", "loops", "loops that got a ring">];
  let dependentDialects = ["::helion::HelionDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // HELION_LAYOUT_PASSES
