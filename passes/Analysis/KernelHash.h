// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a kernel's content: the hash of its normalised K text without locations. Normalize records it, because later
// forms no longer have that text; manifests and the journal's keys hold it.
#ifndef HELION_PASSES_ANALYSIS_KERNELHASH_H
#define HELION_PASSES_ANALYSIS_KERNELHASH_H

#include "dialect/IR/Helion.h"
#include <string>

namespace helion {
/// Kernel attribute that carries the hash through the forms.
constexpr llvm::StringLiteral kKernelHashAttr = "helion.kernel_hash";

/// Hash of the kernel as it stands; a recorded hash does not count.
std::string hashKernel(KernelOp kernel);
void recordKernelHash(KernelOp kernel);
/// The recorded hash; of a kernel that has none, that of the kernel as it stands.
std::string kernelHash(KernelOp kernel);
} // namespace helion

#endif // HELION_PASSES_ANALYSIS_KERNELHASH_H
