// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX -> cubin by what a CUDA toolkit brings: nvJitLink in this process, else `ptxas` as a process of its own. Neither
// is needed to build or link; both are looked for when an artifact is made.
#ifndef HELION_CODEGEN_NVIDIA_ASSEMBLER_H
#define HELION_CODEGEN_NVIDIA_ASSEMBLER_H

#include "dialect/Target/Device.h"
#include "dialect/Target/Manifest.h"
#include <functional>

namespace helion {

struct Cubin {
  std::string bytes;
  ThreadResources resources; // Static shared memory only.
};

struct Assembler {
  std::string description; // Name, version, path.
  std::function<llvm::Expected<Cubin>(llvm::StringRef ptx, const Device &device)> assemble;
};

/// The toolkit's: of `CUDA_HOME` where that is set, else of `nvcc` on the path, else of /usr/local/cuda. None where
/// there is no toolkit.
std::optional<Assembler> findAssembler();

/// Resources of what an assembler's log describes. An error where the log says that code was made slow on purpose:
/// matrix instructions that wait for each other.
llvm::Expected<ThreadResources> readAssemblerLog(llvm::StringRef log);

} // namespace helion

#endif // HELION_CODEGEN_NVIDIA_ASSEMBLER_H
