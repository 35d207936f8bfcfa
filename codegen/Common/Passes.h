// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of Passes.td and the names they leave in the IR.
#ifndef HELION_CODEGEN_COMMON_PASSES_H
#define HELION_CODEGEN_COMMON_PASSES_H

#include "mlir/Pass/Pass.h"

namespace helion {
/// Module attribute: the manifest as JSON text. Complete after `helion-lower`.
constexpr llvm::StringLiteral kManifestAttr = "helion.manifest";
/// Function attribute (unit): called from outside by its name, with the words of its launch step.
constexpr llvm::StringLiteral kEntryAttr = "helion.entry";
/// Function attribute (i64) from the launch's `warps`: warps of a block.
constexpr llvm::StringLiteral kWarpsAttr = "warps";
/// Argument attribute (i64) of a number: what the facts say divides it.
constexpr llvm::StringLiteral kMultipleAttr = "helion.multiple";
/// Function attribute (i64) that target passes set: bytes of dynamic shared memory of a block.
constexpr llvm::StringLiteral kSharedBytesAttr = "helion.shared_bytes";
/// Argument attribute (unit) of a body function: the thread's scratch memory, `memref<?xi8>`, 64-byte aligned.
constexpr llvm::StringLiteral kScratchAttr = "helion.scratch";
/// Function attribute (index) from the launch's `step_vectors`: a target's choice for the whole function.
constexpr llvm::StringLiteral kStepVectorsAttr = "helion.step_vectors";
/// Function attribute (i64) that target passes set: bytes of scratch the function uses.
constexpr llvm::StringLiteral kScratchBytesAttr = "helion.scratch_bytes";
/// On `memref.atomic_rmw` (string): the order that the kernel asks for, of `helion.atomic`.
constexpr llvm::StringLiteral kOrderAttr = "helion.order";
/// On an `scf.if` (unit): threads of a block may differ in the condition, so no barrier may stand inside.
constexpr llvm::StringLiteral kDivergentAttr = "helion.divergent";
/// On a `helion.dot` (string): the matrix instruction whose fragments its layouts are.
constexpr llvm::StringLiteral kInstructionAttr = "instruction";
/// On an access: where accesses of equal places of one memref meet, it is in one thread, or they write the same value.
/// No barrier has to order them.
constexpr llvm::StringLiteral kPlaceAttr = "helion.place";

/// On a load or store of a host tensor (string): what caches should do, as `evict` of the kernel's access says it. Left
/// to the target.
constexpr llvm::StringLiteral kCacheHintAttr = "helion.cache_hint";
/// On a function or quotient of f32 (unit): it may err by 2^-17, since all that is made of it ends in few bits. The
/// divisor of such a quotient is 0, infinite, NaN or a normal number. See docs/design/0021-functions-for-few-bits.md.
constexpr llvm::StringLiteral kFewBitsAttr = "helion.few_bits";
/// On an access of shared memory (unit): it is of a ring, whose takes order writes before reads.
constexpr llvm::StringLiteral kRingAttr = "helion.ring";
/// On an allocation of shared memory (unit): its bytes are nobody else's before it or after.
constexpr llvm::StringLiteral kKeptAttr = "helion.kept";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/Common/Passes.h.inc"
} // namespace helion

#endif // HELION_CODEGEN_COMMON_PASSES_H
