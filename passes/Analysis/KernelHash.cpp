// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a copy of the kernel without its recorded hash, and hashes the text.

#include "passes/Analysis/KernelHash.h"
#include "dialect/Target/ContentHash.h"

using namespace mlir;
using namespace helion;

std::string helion::hashKernel(KernelOp kernel) {
  OwningOpRef<KernelOp> copy = cast<KernelOp>(kernel->clone());
  (*copy)->removeAttr(kKernelHashAttr);
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().enableDebugInfo(false).assumeVerified());
  return contentHash(text);
}

void helion::recordKernelHash(KernelOp kernel) {
  kernel->setAttr(kKernelHashAttr, StringAttr::get(kernel.getContext(), hashKernel(kernel)));
}

std::string helion::kernelHash(KernelOp kernel) {
  if (auto recorded = kernel->getAttrOfType<StringAttr>(kKernelHashAttr))
    return recorded.str();
  return hashKernel(kernel);
}
