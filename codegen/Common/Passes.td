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

def FillLoadsPass : Pass<"helion-fill-loads"> {
  let summary = "Let loads put into lanes outside their tiles what a mask behind them would";
  let description = [{
    **Does.** Where a mask with -inf stands behind a load and changes of its type, the load gets `other` -inf, if no store, reduction or
    other op makes use of what its lanes outside hold. Then masks go that change nothing: those with -inf, and those with 0 of a
    sum of `exp(x - m)`, where `x` is such a load and `m` at least the largest of its row: exp(-inf - m) is 0.

    **Before / After**
    ```mlir
    %x = helion.load %a[%i, %j] ..
    %y = helion.mask %x dims [1] by(%j) fill %lowest
    %m = helion.reduce maximumf %y dim 1
    // after
    %x = helion.load %a[%i, %j] other %lowest ..
    %m = helion.reduce maximumf %x dim 1
    ```

    **Needs.** Form S or L, before helion-pipeline-loads. For targets that pay for a mask in each lane; one that peels the last lanes of a row has no use for it.

    **Gives.** The same form.

    **Fails when** never.

    **Numerics.** Exact, in lanes that are stored; NaN may have another payload.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"filled", "filled-loads", "Loads that fill with -inf">,
                    Statistic<"dropped", "dropped-masks", "Masks that are gone">];
}

def MarkMathPass : Pass<"helion-mark-math", "::mlir::func::FuncOp"> {
  let summary = "Mark functions of whose results only few bits are left in the end";
  let description = [{
    **Does.** `exp`, `tanh`, `erf` of f32, and quotients that may be products, get `helion.few_bits` where all that is made of their results
    is rounded to 11 bits or fewer before it is stored, compared or read by anything that could make a small error large. Until then there are
    products, quotients, maxima, choices, moves, and sums of what is not negative. Errors of all marked ops that meet in a value add up
    and are bounded. A quotient is marked where its divisor besides can be no number below the normal ones.

    **Before / After**
    ```mlir
    %e = math.exp %d : !t
    %s = helion.reduce addf %e dim 1 .. -> !v
    %b = helion.broadcast %s to [0] : !v -> !t
    %q = arith.divf %e, %b fastmath<arcp> : !t
    %h = arith.truncf %q : !t to !bf16
    // after
    %e = math.exp %d {helion.few_bits} : !t
    %q = arith.divf %e, %b fastmath<arcp> {helion.few_bits} : !t
    ```

    **Needs.** Form S or L in a function. A target that has nothing cheaper ignores the mark.

    **Gives.** The same form.

    **Fails when** never.

    **Numerics.** `docs/design/0021-functions-for-few-bits.md`: results of 11 bits are within 0.63 units for 0.5, of 8 bits within 0.52.
  }];
  let statistics = [Statistic<"marked", "marked", "Ops that may be cheap">];
}

def LowerThreadsPass : Pass<"helion-lower-threads", "::mlir::func::FuncOp"> {
  let summary = "Lower a function over tile values with layouts to the code of one thread";
  let description = [{
    **Does.** A tile value becomes the registers that its layout gives a thread, a vector in the order of the layout's `reg`; loops and
    branches carry vectors. Elementwise ops are the same ops on vectors. Loads and stores take runs of registers that lie together in
    memory, as wide as alignments allow; a run is one access where all of it is inside its tile, else each element is tested. Of the
    threads that hold an element, one stores it. Reductions combine registers, then lanes by shuffles, then warps through shared
    memory, in an order that the layout fixes. Broadcasts, permutes, reshapes and subtiles rename registers; `helion.convert_layout`
    renames, shuffles or goes through shared memory, as `planConversion` says. Dots multiply and add in each thread, unless a
    vendor's pattern takes them (`LowerThreads.h`). At the end shared memory is planned as by `helion-plan-shared`.

    **Before / After**
    ```mlir
    func.func @k(%x: memref<?xf32>) attributes {warps = 1 : i64} {
      %v = helion.load %x[%i] .. -> tensor<64xf32, #helion.layout<[64], reg = [[1]], lane = [[2], [4], [8], [16], [32]]>>
    // after
      %t = gpu.thread_id x upper_bound 32
      %v = scf.if %inside -> (vector<2xf32>) { vector.load .. }
    ```

    **Needs.** Form L as `helion-outline-launches` makes it: a program is a block; the attribute `warps`. `llvm.align` on pointers and
    `helion.multiple` on index arguments are believed.

    **Gives.** Ops of `gpu`, `arith`, `math`, `vector`, `scf` and `memref`; `helion.shared_bytes` on the function; `helion.order` on atomics.

    **Fails when** a tile value has no layout, or one over more warps or lanes than there are, or over groups or CTAs; an op is one of
    groups, rings or copies in flight; an op would move elements between threads.

    **Numerics.** Reductions and dots add in an order of their own. Narrow floats are summed in f32.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [Option<"lanes", "lanes", "int64_t", "32", "Threads of a warp (wave, subgroup): a power of two up to 64">,
                 Option<"vectorBytes", "vector-bytes", "int64_t", "16", "Bytes that one access of memory may take">];
  let statistics = [Statistic<"bytes", "shared-bytes", "Bytes of shared memory">,
                    Statistic<"barriers", "barriers", "Barriers placed">];
}

def PlanSharedPass : Pass<"helion-plan-shared", "::mlir::func::FuncOp"> {
  let summary = "Place shared buffers in one arena and barriers where threads could meet in memory";
  let description = [{
    **Does.** Each `memref.alloc` in workgroup memory becomes a view of `gpu.dynamic_shared_memory`; buffers that live at the same time
    lie apart, others may share bytes. A `gpu.barrier` goes before an access that touches bytes which another thread may have touched
    since the last barrier, one of both being a write; around the back edge of a loop too. Host tensors count as well: a pointer
    that is `noalias` overlaps no other, and accesses of one `helion.place` are of one thread.

    **Before / After**
    ```mlir
    memref.store %v, %buffer[%thread]
    %w = memref.load %buffer[%other]
    // after
    memref.store %v, %view[%thread]
    gpu.barrier
    %w = memref.load %view[%other]
    ```

    **Needs.** Code of one thread. An `scf.if` that threads of a block do not enter together is marked `helion.divergent`; barriers stand
    before it, never inside; one before and one after an atomic whose `helion.order` says so. Part of `helion-lower-threads`; alone it is for tests and for vendors that add buffers.

    **Gives.** `helion.shared_bytes` on the function.

    **Fails when** never.

    **Numerics.** Exact.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"bytes", "shared-bytes", "Bytes of shared memory">,
                    Statistic<"barriers", "barriers", "Barriers placed">];
}

def SimulateThreadsPass : Pass<"helion-simulate-threads", "::mlir::ModuleOp"> {
  let summary = "For tests: turn the code of one thread into functions that a harness runs on the CPU";
  let description = [{
    **Does.** A thread asks a harness who it is, meets others through it, and gets shared memory from it: `gpu` ops become calls of
    `helion_harness_*`, which are convergent. The function takes its arguments from an array of 8-byte words.
    `test/codegen/Common/Inputs/harness.cpp` runs the threads of a block as fibers.

    **Before / After**
    ```mlir
    func.func @k(%x: !llvm.ptr, %n: i64) { %t = gpu.thread_id x .. gpu.barrier }
    // after
    func.func @k(%words: !llvm.ptr) { %t = call @helion_harness_thread() .. call @helion_harness_barrier() }
    ```

    **Needs.** What `helion-lower-threads` gives; arguments are pointers, integers of 64 bits, indices and floats.

    **Gives.** Functions without `gpu` ops, all memory in one space.

    **Fails when** a `gpu` op or a type of argument is another one.

    **Numerics.** Exact.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // HELION_CODEGEN_COMMON_PASSES
