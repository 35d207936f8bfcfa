// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the NVIDIA target: from one thread's code to kernels in LLVM's and NVVM's dialects.

#ifndef HELION_CODEGEN_NVIDIA_PASSES
#define HELION_CODEGEN_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def LowerSharedMemoryPass : Pass<"helion-lower-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Name the memory spaces by NVIDIA's numbers and the dynamic shared memory by a symbol";
  let description = [{
    **Does.** `#gpu.address_space<workgroup>` and its siblings become the numbers of NVPTX in all types. `gpu.dynamic_shared_memory`
    becomes the address of one external array of the module, aligned to 1024 bytes, which the launch's dynamic bytes extend. An
    internal array, which is what upstream makes, would be placed as one static byte in front of others.

    **Before / After.**
    ```mlir
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // becomes
    llvm.mlir.global external @helion_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    %a = llvm.mlir.addressof @helion_shared : !llvm.ptr<3>
    %s = builtin.unrealized_conversion_cast %descriptor : .. to memref<?xi8, 3>
    ```
    **Needs.** functions of one thread's code. **Gives.** memrefs in numbered spaces. **Reads.** none.
    **Fails when.** never. **Numerics.** exact.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerCacheHintsPass : Pass<"helion-lower-cache-hints", "::mlir::func::FuncOp"> {
  let summary = "Turn loads and stores with a cache hint into the instructions that have it";
  let description = [{
    **Does.** An access of `helion.cache_hint` becomes assembly, in pieces as wide as its alignment: `first` and `last` of loads are
    `L1::evict_first` and `L1::evict_last`, `cs` and `wt` of stores the cache operators of these names.

    **Before / After.**
    ```mlir
    %v = vector.load %x[%i] {alignment = 16 : i64, helion.cache_hint = "first"} : memref<?xf32, strided<[1]>>, vector<4xf32>
    // becomes
    %w = llvm.inline_asm has_side_effects "{ .. ld.global.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [at]; }" ..
    ```
    **Needs.** functions of one thread's code. **Gives.** no `helion.cache_hint`. **Reads.** none.
    **Fails when.** the hint is none of these. **Numerics.** exact.
  }];
  let statistics = [Statistic<"lowered", "hints-lowered", "accesses with a cache hint">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandDeviceMathPass : Pass<"helion-expand-device-math", "::mlir::func::FuncOp"> {
  let summary = "Replace f32 functions by the hardware's approximations and corrections";
  let description = [{
    **Does.** `exp`, `exp2`, `tanh`, `erf`, `rsqrt` and quotients that may be products become NVIDIA's `ex2`, `rcp`, `rsqrt` and `div.full`
    with what corrects them, number by number. Quotients with a shared divisor are left for helion-expand-math, which takes reciprocals.
    What is marked `helion.few_bits` needs no corrections: `exp` is a product and `ex2`, a quotient one product with `rcp`.

    **Before / After.**
    ```mlir
    %e = math.exp %x : f32
    // becomes
    %h = llvm.call_intrinsic "llvm.nvvm.mul.rm.f"(%x, %log2e) : (f32, f32) -> f32
    .. // m = x - h ln 2
    %p = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%h) : (f32) -> f32
    %e = math.fma %p, %m, %p : f32
    ```
    **Needs.** functions of one thread's code. **Gives.** none of these ops on f32. **Reads.** `fastmath<arcp>` of `arith.divf`,
    `helion.few_bits`.
    **Fails when.** never. **Numerics.** `docs/design/0016-device-math.md`, of marked ops `docs/design/0021-functions-for-few-bits.md`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def WidenPairsPass : Pass<"helion-widen-pairs", "::mlir::func::FuncOp"> {
  let summary = "Widen neighbours of bf16 by one operation each";
  let description = [{
    **Does.** A vector of an even number of bf16 becomes one of f32 by a shift of the lower and a mask of the upper number of each pair, which
    one register of 32 bits holds.

    **Before / After.**
    ```mlir
    %w = arith.extf %v : vector<2xbf16> to vector<2xf32>
    // becomes
    %p = vector.bitcast %v : vector<2xbf16> to vector<1xi32>
    %lower = arith.shli %word, %c16 : i32
    %upper = arith.andi %word, %c-65536 : i32
    ```
    **Needs.** functions of one thread's code. **Gives.** the same. **Reads.** none. **Fails when.** never. **Numerics.** exact; a signalling NaN stays one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"widened", "widened", "vectors of bf16 that became f32 in pairs">];
}

def LowerThreadOpsPass : Pass<"helion-lower-thread-ops", "::mlir::ModuleOp"> {
  let summary = "Turn `gpu` ops into NVVM's";
  let description = [{
    **Does.** Ids of threads, lanes and blocks become special registers, shuffles `shfl.sync`, barriers `bar.sync`, as upstream's
    patterns have them.

    **Before / After.**
    ```mlir
    %t = gpu.thread_id x
    gpu.barrier
    // becomes
    %r = nvvm.read.ptx.sreg.tid.x : i32
    nvvm.barrier
    ```
    **Needs.** no dynamic shared memory ops. **Gives.** no `gpu` op. **Reads.** none.
    **Fails when.** an op of the `gpu` dialect has no counterpart; the diagnostic is on that op. **Numerics.** exact.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def FinishKernelsPass : Pass<"helion-finish-kernels", "::mlir::ModuleOp"> {
  let summary = "Mark the entry functions as kernels of their number of threads";
  let description = [{
    **Does.** Functions marked `helion.entry` become kernels that run with exactly `warps` times `lanes` threads. Atomic
    updates meet on one device, not in a system of several, which is what a kernel's atomics mean.

    **Before / After.**
    ```mlir
    llvm.func @k_0(%x: !llvm.ptr) attributes {helion.entry, warps = 4 : i64}
    // becomes
    llvm.func @k_0(%x: !llvm.ptr) attributes {helion.entry, warps = 4 : i64, nvvm.kernel, nvvm.reqntid = array<i32: 128>}
    ```
    **Needs.** LLVM's dialect. **Gives.** the same. **Reads.** `warps`, which helion-set-warps has chosen; `helion.shared_bytes`.
    **Fails when.** an entry does not say its warps, or has more threads or shared memory than a block may have. **Numerics.** exact.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "32", "threads of a warp, a fact of the device; another number gives blocks of another size">,
    Option<"maxThreads", "max-threads", "int64_t", "1024", "threads that a block may have, a fact of the device; more are refused">,
    Option<"maxShared", "max-shared", "int64_t", "101376", "bytes of shared memory that a block may have, a fact of the device; more are refused">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
  let statistics = [Statistic<"kernels", "kernels", "functions that became kernels">];
}

def SetStagesPass : Pass<"helion-set-stages", "::mlir::ModuleOp"> {
  let summary = "Say how many slots of shared memory hold what each loop loads for its dots, and who fills them";
  let description = [{
    **Does.** Sets `stages` on loops of which the config names more than 1, and records what copies of their loads in pieces of 16 bytes
    rely on; on those whose copies are `boxes` that word, and what copies through tensor maps rely on; on those whose dots are `wgmma`
    the word `group_dots`.

    **Before / After.**
    ```mlir
    scf.for %k = %c0 to %kk step %c64 { .. } {site = "loop.k"}
    // num_stages=loop.k=3 becomes, with facts x.align % 16 == 0, x.stride(0) % 8 == 0, x.stride(1) == 1
    scf.for %k = %c0 to %kk step %c64 { .. } {site = "loop.k", stages = 3 : i64}
    // and with copies=loop.k=boxes, with facts x.size(0) >= 1, x.size(0) <= 2147483647 and the like besides
    scf.for %k = %c0 to %kk step %c64 { .. } {boxes, site = "loop.k", stages = 3 : i64}
    ```
    **Needs.** Form S. **Gives.** Form S. **Reads.** num_stages, copies, dots.
    **Fails when.** a number is not 1 to 8; of a loop with more than 1 no load goes as it is to a dot that a matrix instruction takes, or one is
    not of an argument; of a loop with `boxes` the number is 1, or an index of a load is no box's; of one with `wgmma` copies are not `boxes`.
    **Numerics.** exact.
  }];
  let options = [ListOption<"numStages", "num_stages", "std::string", "slots of shared memory for the loads of a loop that go to dots, "
    "`loop.k=3`; all but one are filled ahead, which takes shared memory and aligned operands">,
    ListOption<"copies", "copies", "std::string", "who fills the slots of a loop with num_stages above 1, `loop.k=boxes`: "
    "`pieces`, its threads; `boxes`, the device, through tensor maps, which needs tensors of at least one element">,
    ListOption<"dots", "dots", "std::string", "the matrix instruction of the dots of a loop whose copies are `boxes`, `loop.k=wgmma`: "
    "`mma`, of one warp; `wgmma`, of four warps, which reads the slots, and needs 64 rows and four warps">];
  let dependentDialects = ["::helion::HelionDialect"];
}

def SimulateMatricesPass : Pass<"helion-simulate-matrices", "::mlir::ModuleOp"> {
  let summary = "For tests: make matrix instructions and asynchronous copies calls of a harness";
  let description = [{
    **Does.** `ldmatrix`, `mma.sync`, `wgmma`, `cp.async` and their groups become calls of `helion_harness_..` functions, on addresses and words of 32
    bits, and intrinsics of f32 calls on their numbers, so that a test runs one thread's code on the CPU, beside helion-simulate-threads.

    **Before / After.**
    ```mlir
    %v = nvgpu.ldmatrix %s[%i] {numTiles = 2 : i32, transpose = false} : .. -> vector<2x2xbf16>
    // becomes
    func.call @helion_harness_ldmatrix(%address, %two, %zero) : (i64, i32, i32) -> ()
    %w = func.call @helion_harness_word(%zero) : (i32) -> i32
    ```
    **Needs.** What helion-lower-nvidia-threads gives. **Gives.** no NVGPU op, no NVVM op of matrices or copies, no intrinsic. **Reads.** none.
    **Fails when.** a matrix instruction is of another shape than m16n8k16 or m64nNk16. **Numerics.** the harness's.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

#endif // HELION_CODEGEN_NVIDIA_PASSES
