// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch plan for one call: numbers only, so a worker needs no expression code. Whoever has a shape makes a Binding
// of it, asks whether the facts hold, and resolves the plan.
#ifndef HELION_DIALECT_TARGET_RESOLVEDPLAN_H
#define HELION_DIALECT_TARGET_RESOLVEDPLAN_H

#include "dialect/Target/Manifest.h"
#include <map>

namespace helion {

struct TensorBinding {
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> sizes, strides; // Strides in elements.
  int64_t align = 1;                   // The largest power of two that divides the address, in bytes.
};

/// What one call passes. Arguments that are None are in neither map.
struct Binding {
  std::map<std::string, TensorBinding> tensors;
  std::map<std::string, Scalar> scalars;
  std::map<std::string, int64_t> device; // `dev.` names beyond those of the target's row.
  /// Pairs of arguments, the smaller name first; a pair that is not here does not overlap.
  std::map<std::pair<std::string, std::string>, Overlap> overlaps;
  /// Bytes that the addresses of outputs are multiples of: what allocators and workers give at least.
  int64_t outputAlign = 64;

  std::optional<int64_t> value(const Leaf &leaf) const;
  std::optional<Overlap> overlap(llvm::StringRef a, llvm::StringRef b) const;
};

/// Whether all hold for this call; if not, `failing` gets the text of the first that does not. An error when one has no
/// value.
llvm::Expected<bool> checkPredicate(llvm::ArrayRef<Pred> facts, const Binding &binding, std::string *failing = nullptr);

struct ResolvedBuffer {
  enum class Role { Argument, Output, Workspace };
  Role role = Role::Argument;
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> sizes, strides; // Workspace: one size.
  /// From the element at index 0: the lowest byte that is touched (0 but for negative strides), and one past the last.
  int64_t beginByte = 0, endByte = 0;
  bool writes = false; // An argument that the plan changes in place.
};

/// What a tensor map says beside the address. Dims go from the contiguous one outwards.
struct ResolvedMap {
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> byteStrides; // Of all dims but the first.
  std::vector<int64_t> box;         // In elements.
  int64_t swizzle = 0;              // Bytes.
};

/// A parameter of a kernel: a word that is the address of a buffer plus an offset, or the bits as they are; or a tensor
/// map of what begins at that address.
struct ResolvedWord {
  std::optional<unsigned> buffer; // Index into ResolvedPlan::buffers.
  int64_t byteOffset = 0;
  uint64_t bits = 0;
  std::optional<ResolvedMap> map = std::nullopt;
};

struct ResolvedFill {
  unsigned buffer = 0;
  int64_t bytes = 0;
  std::string pattern; // The bytes of one element.
};

struct ResolvedLaunch {
  std::string symbol;
  int64_t grid[3] = {1, 1, 1}; // All positive: an empty launch is left out.
  std::vector<ResolvedWord> words;
  std::optional<ThreadBlock> block = std::nullopt; // Of a GPU.
};

struct ResolvedPlan {
  std::vector<ResolvedBuffer> buffers; // Tensor arguments, outputs, workspace, each in order.
  std::vector<std::variant<ResolvedFill, ResolvedLaunch>> steps;
  int64_t scratchBytes = 0; // For each thread.
};

/// Fails when the call does not fit the arguments (missing, other rank or dtype, other fixed value), breaks one of the
/// plan's checks (the error is the check's message), or a size is negative or too large. Facts are not looked at.
llvm::Expected<ResolvedPlan> resolve(const Manifest &manifest, const Binding &binding);

/// The bytes of one element, low byte first; rounds to nearest even. An integer must fit.
llvm::Expected<std::string> encodeScalar(const Scalar &value);

} // namespace helion

#endif // HELION_DIALECT_TARGET_RESOLVEDPLAN_H
