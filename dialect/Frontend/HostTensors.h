// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensors: allocation, views of them, and what to do when a view is returned.
#pragma once

#include "dialect/Frontend/KernelBuilder.h"

namespace helion::frontend {

/// A contiguous host tensor of constants, or of undefined content where `fill` is Absent.
mlir::FailureOr<HostTensorPtr> allocateHost(KernelBuilder &k, llvm::StringRef name, llvm::ArrayRef<SizeExpr> sizes, DType dtype,
                                            const PyValue &fill);
/// `x.view(shape)` or `x.reshape(shape)`; a size of -1 is inferred. Only views that merge or split neighbouring dims exist.
mlir::FailureOr<HostTensorPtr> reshapeHost(KernelBuilder &k, const HostTensorPtr &tensor, llvm::ArrayRef<SizeExpr> shape,
                                           llvm::StringRef method);
mlir::FailureOr<HostTensorPtr> permuteHost(KernelBuilder &k, const HostTensorPtr &tensor, llvm::ArrayRef<int> order);
/// The tensor to return for `tensor`: where it is a reshape of an allocation, the allocation takes the returned shape and
/// the kernel works on a view of that, so that every output is contiguous and allocated as the caller sees it.
mlir::FailureOr<HostTensorPtr> returnedTensor(KernelBuilder &k, const HostTensorPtr &tensor);

} // namespace helion::frontend
