// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the words of a command line (`x=x.npy`, `n=64`, `bm=16,bn=32`) to the arguments of a kernel.

#ifndef HELION_TOOLS_HELION_RUN_CALLTEXT_H
#define HELION_TOOLS_HELION_RUN_CALLTEXT_H

#include "dialect/Interp/Interpreter.h"
#include <string>
#include <vector>

namespace helion::run {

/// The words of one call, as given; each is `NAME=TEXT`.
struct CallText {
  std::vector<std::string> args;    // x=x.npy, n=64
  std::vector<std::string> dtypes;  // x=bf16
  std::vector<std::string> sizes;   // x=37,53
  std::vector<std::string> strides; // x=-53,1
  std::vector<std::string> offsets; // x=1908
};

/// One argument per operand of the kernel, files read and views applied.
llvm::Expected<std::vector<interp::Argument>> readCall(KernelOp kernel, const CallText &text);

/// `bm=16,bn=32`.
llvm::Expected<interp::BlockMap> readNumbers(llvm::StringRef option, llvm::StringRef text);

} // namespace helion::run

#endif // HELION_TOOLS_HELION_RUN_CALLTEXT_H
