// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes .npy files (versions 1 to 3 in, 1 out): how host tensors reach the oracle and leave it.

#ifndef HELION_DIALECT_INTERP_NPY_H
#define HELION_DIALECT_INTERP_NPY_H

#include "dialect/Interp/HostTensor.h"

namespace helion::interp {

/// `hint` says what the bytes are where .npy has no name for it: bf16 in `<V2` or `<u2`, f8 in `|V1` or `|u1`.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, std::optional<ElementType> hint = std::nullopt);

/// Row-major, whatever the tensor's strides; bf16 as `<V2`, f8 as `|V1`.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace helion::interp

#endif // HELION_DIALECT_INTERP_NPY_H
