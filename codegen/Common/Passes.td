// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that every target shares on the way from form S or L to code.

#ifndef HELION_CODEGEN_COMMON_PASSES
#define HELION_CODEGEN_COMMON_PASSES

include "mlir/Pass/PassBase.td"

def OutlineLaunchesPass : Pass<"helion-outline-launches", "::mlir::ModuleOp"> {
  let summary = "Turn each launch of the kernel into a function over a span of programs, and its host part into the launch plan";
  let description = [{
    **Does.** Each `helion.launch` becomes two functions. The outer one has the ABI of `docs/design/0002` and unpacks its
    argument words; the inner one (`..._body`, private, never inlined, so that `noalias` holds for all of it) makes the
    memrefs, then runs the launch's code for each program of its span. What the code uses of the host part becomes
    argument words: a pointer and the dynamic sizes and strides of each view, scalars; equal words are one, constants and
    values that a fact fixes are none. The rest of the host part becomes the plan in the module attribute
    `helion.manifest`; the kernel op is erased.

    With `programs=block` a program is a block of threads: each launch becomes one function, marked `helion.entry`, whose parameters
    are the argument words in order (numbers as i64); program ids are `gpu.block_id`, grid sizes `gpu.grid_dim`. What facts say of
    a word stands on it: `llvm.align` on pointers, `helion.multiple` on numbers.

    **Before / After**
    ```mlir
    helion.launch "k" grid(%m) { %p = helion.program_id "x" ... %x ... }
    // after
    func.func @k_0(%words: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr)
    func.func private @k_0_body(%begin: index, %end: index, %x: !llvm.ptr, %n: index, %s: memref<?xi8> {helion.scratch}) {
      %m = memref.reinterpret_cast ...
      scf.for %p = %begin to %end step %c1 { ... %m ... }
    }
    // after, programs=block
    func.func @k_0(%x: !llvm.ptr {llvm.noalias, llvm.align = 16}, %n: i64 {helion.multiple = 8}) attributes {helion.entry, warps = 4} {
      %p = gpu.block_id x ...
    }
    ```

    **Needs.** Form S or L, one kernel, blocks bound.

    **Gives.** Functions without host values; `helion.manifest` with arguments, facts and plan.

    **Reads.** `step_vectors` and `warps` on launches, which become `helion.step_vectors` and `warps` on the function.

    **Fails when** `programs` is neither word, a grid, size, check or fill is no expression of the plan, a host op has no step, an argument that the
    kernel returns is no allocation of its own.

    **Numerics.** Exact.
  }];
  let options = [Option<"programs", "programs", "std::string", "\"span\"",
    "what a call of a function runs: a `span` of programs, as a CPU wants it, or one program as a `block` of threads, whose grid "
    "then has at most 65535 blocks along y and z, which becomes a fact">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"launches", "launches", "Launches outlined">,
                    Statistic<"words", "argument-words", "Argument words of all launches">];
}

#endif // HELION_CODEGEN_COMMON_PASSES
