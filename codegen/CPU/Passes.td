// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the CPU target: from the tile values of form S in a function to vector code, and the places of its buffers.

#ifndef HELION_CODEGEN_CPU_PASSES
#define HELION_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ChooseCpuPass : Pass<"helion-choose-cpu", "::mlir::ModuleOp"> {
  let summary = "Write the CPU's own choices onto the ops that they are for";
  let description = [{
    **Does.** Sets `register_tile` on the dots, `stream` on the stores and `step_vectors` on the launches that the config names;
    helion-vectorize-tiles reads them.

    **Before / After.**
    ```mlir
    %d = helion.dot %a, %b, %c site "dot.0" : ...
    // register_tiles=dot.0=[6,16] becomes
    %d = helion.dot %a, %b, %c site "dot.0" {register_tile = array<i64: 6, 16>} : ...
    ```
    **Needs.** Form S. **Gives.** Form S. **Reads.** register_tiles, step_vectors, stream_stores.
    **Fails when.** a site is of another kind, a tile is not two numbers of at least 1, a number of vectors is no power of two from 1
    to 8, or a word is none of `large`, `always`, `never`. **Numerics.** sums of a row are taken in as many chains as vectors.
  }];
  let options = [ListOption<"registerTiles", "register_tiles", "std::string",
    "accumulators per dot that stay in registers, `dot=[rows,columns]`; beyond the registers they spill">,
    ListOption<"stepVectors", "step_vectors", "std::string",
    "vectors per launch that a round of a loop computes together, `launch=4`; more hide latency until values spill">,
    ListOption<"streamStores", "stream_stores", "std::string",
    "when stores go past the caches, `store=always`; saves reading what is overwritten, costs the next reader">];
  let statistics = [Statistic<"chosen", "choices", "ops that got a choice">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def PlanScratchPass : Pass<"helion-plan-scratch", "::mlir::func::FuncOp"> {
  let summary = "Give the buffers of tile values their places in the scratch argument";
  let description = [{
    **Does.** Finds when each allocation marked `helion.tile_buffer` is live and packs them all into one block of memory, so that
    buffers that are never live together share bytes. Replaces each by a view of the argument marked `helion.scratch` and records the
    size of the block as `helion.scratch_bytes`.

    **Before / After.**
    ```mlir
    %b = memref.alloc() {helion.tile_buffer} : memref<64xf32>
    // becomes
    %b = memref.view %scratch[%c0][] : memref<?xi8> to memref<64xf32>
    ```
    **Needs.** buffers of static size; an argument `memref<?xi8> {helion.scratch}`, 64-byte aligned, where there are any.
    **Gives.** no marked allocation. **Reads.** none.
    **Fails when.** there are buffers and no such argument. **Numerics.** exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"buffers", "buffers-placed", "buffers that got a place">];
}

def SplitFmaPass : Pass<"helion-split-fma", "::mlir::func::FuncOp"> {
  let summary = "Replace fused multiply-adds by a product and a sum, for targets without the instruction";
  let description = [{
    **Does.** `math.fma` and `vector.fma` become `arith.mulf` and `arith.addf`; left alone, LLVM would call a library for each lane.

    **Before / After.**
    ```mlir
    %r = math.fma %a, %b, %c : vector<4xf32>
    // becomes
    %p = arith.mulf %a, %b : vector<4xf32>
    %r = arith.addf %p, %c : vector<4xf32>
    ```
    **Needs.** any form. **Gives.** no fused op. **Reads.** none. **Fails when.** never.
    **Numerics.** two roundings: dots and math functions lose up to one unit more, sines above 10^5 and remainders of quotients above
    2^29 more than that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitVectorsPass : Pass<"helion-split-vectors", "::mlir::func::FuncOp"> {
  let summary = "Split the vectors of a round into native ones, op by op";
  let description = [{
    **Does.** In loops marked `helion.native_lanes`, an op on vectors of several times that many lanes becomes one op per native
    vector, all of them before the next op. While one vector waits for its result the others work: LLVM splits such vectors too,
    but one whole chain after the other, and keeps the order that it finds.

    **Before / After.**
    ```mlir
    scf.for %i = %a to %b step %c16 {
      %e = arith.mulf %x, %x : vector<16xf32>
    } {helion.native_lanes = 8 : i64}
    // becomes, for the slices of %x
    scf.for %i = %a to %b step %c16 {
      %e0 = arith.mulf %x0, %x0 : vector<8xf32>
      %e1 = arith.mulf %x1, %x1 : vector<8xf32>
    }
    ```
    **Needs.** math functions that are expanded, or each is a chain of its own again. **Gives.** no mark. **Reads.** `helion.native_lanes`
    on loops, which it removes. **Fails when.** never; other ops keep their wide vectors. **Numerics.** exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"split", "ops-split", "ops on wide vectors that became several">];
}

def VectorizeTilesPass : Pass<"helion-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "Turn tile values into loops over native vectors and memory";
  let description = [{
    **Does.** Computes each tile value where it is used, lane by lane, or once into a buffer. Stores, reductions and dots each become
    one loop nest whose innermost loop steps by vectors, clipped to the lanes that count; nests over the same rows share their outer
    loops. Dots pack their right operand and keep a register tile of the accumulator in vectors over the whole k loop. Code size
    does not depend on the extents of tiles.

    **Before / After.**
    ```mlir
    %v = helion.load %x[%t] site "x.0" : !arg, (!helion.tile<1024>) -> tensor<1024xf32>
    %e = arith.addf %v, %v : tensor<1024xf32>
    helion.store %e, %out[%t] site "out.0" : tensor<1024xf32>, !arg, (!helion.tile<1024>)
    // becomes
    scf.for %i = %c0 to %whole step %c8 {
      %v = vector.load %flat[%a] : memref<?xf32, strided<[1]>>, vector<8xf32>
      %e = arith.addf %v, %v : vector<8xf32>
      vector.store %e, %flat_out[%b] : memref<?xf32, strided<[1]>>, vector<8xf32>
    }
    // and one masked step for the lanes that are left
    ```
    **Needs.** a function whose body holds ops of form S, without program ids; different arguments whose memory does not overlap where
    one of them is written. **Gives.** scalars, vectors, memrefs, `scf`; buffers as allocations marked `helion.tile_buffer`.
    **Reads.** `register_tile` on dots, `stream` on stores, `helion.step_vectors` on the function, which it removes.
    **Fails when.** an op, element type or constant has no code for the CPU; the diagnostic is on that op.
    **Numerics.** sums are taken in several chains; bf16 and f16 are computed in f32 and rounded once per op; products of dots are fused.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256",
           "bits of a vector register: 512 needs AVX-512 and halves the number of instructions, 256 is AVX2; at 128 neither fused "
           "products nor conversions of f16 are taken for granted">,
    Option<"vectorRegisters", "vector-registers", "unsigned", "16",
           "number of vector registers: more allow larger register tiles, too many spill">,
    Option<"streamBytes", "stream-bytes", "int64_t", "0",
           "size from which a tensor is written past the caches: above the last level's size this saves reading it first, below it "
           "costs the next reader; 0 never does">,
    Option<"stepVectors", "step-vectors", "unsigned", "4",
           "vectors that a round of a loop computes together where the function does not say: more hide latency, too many spill">];
  let statistics = [Statistic<"nests", "nests-emitted", "loop nests written">,
                    Statistic<"dots", "dots-emitted", "dots written">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // HELION_CODEGEN_CPU_PASSES
