// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a launch of form K asks of matrix instructions and shared memory.
#ifndef HELION_PASSES_CONFIG_READDEMAND_H
#define HELION_PASSES_CONFIG_READDEMAND_H

#include "dialect/IR/Helion.h"
#include "passes/Config/LaunchDemand.h"

namespace helion {

/// How the reader learns of choices: lanes of dims, and the choice of a knob of the target at a site, if there is one.
struct DemandSource {
  const KnobTable &knobs;
  llvm::function_ref<LanesProduct(llvm::ArrayRef<DimAttr>)> lanes;
  llvm::function_ref<std::optional<unsigned>(const Knob &, llvm::StringRef)> choice;
};

LaunchDemand readDemand(LaunchOp launch, DemandSource source);

} // namespace helion

#endif // HELION_PASSES_CONFIG_READDEMAND_H
