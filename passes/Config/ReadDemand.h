// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a launch of form K asks of matrix instructions and shared memory.
#ifndef HELION_PASSES_CONFIG_READDEMAND_H
#define HELION_PASSES_CONFIG_READDEMAND_H

#include "dialect/IR/Helion.h"
#include "passes/Config/LaunchDemand.h"

namespace helion {

/// How the reader learns of choices: lanes of dims, and the choice of a knob at a site, if there is one.
struct DemandSource {
  llvm::function_ref<LanesProduct(llvm::ArrayRef<DimAttr>)> lanes;
  llvm::function_ref<std::optional<unsigned>(llvm::StringRef, llvm::StringRef)> choice;
};

LaunchDemand readDemand(LaunchOp launch, const MatrixShape &shape, DemandSource source);

} // namespace helion

#endif // HELION_PASSES_CONFIG_READDEMAND_H
