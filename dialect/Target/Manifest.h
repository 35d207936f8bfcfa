// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest of an artifact (docs/design/0002): what the object file needs of a call, and the launch plan. codegen/
// Driver writes it; the runner, the package generator and the journal read it. Values, no pointers to anything.
#ifndef HELION_DIALECT_TARGET_MANIFEST_H
#define HELION_DIALECT_TARGET_MANIFEST_H

#include "dialect/IR/SizeExpr.h"
#include "dialect/Target/Dtype.h"
#include "dialect/Target/JsonText.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helion {

/// One parameter of the kernel, in call order. None and Fixed parameters are not passed to the code.
struct Argument {
  enum class Kind { Tensor, Scalar, None, Fixed };
  std::string name;
  Kind kind = Kind::Tensor;
  Dtype dtype = Dtype::F32; // Of a tensor's elements, or of the scalar.
  unsigned rank = 0;        // Tensor.
  bool writes = false;      // Tensor: the kernel changes it in place.
  Scalar value;             // Fixed: the only value this artifact serves.
};

/// A condition of the kernel itself: a call that breaks it gets `message` as its status.
struct PlanCheck {
  Pred pred;
  std::string message;
};

/// A contiguous result, allocated by the caller in this order.
struct PlanOutput {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<SizeExpr> sizes;
};

struct PlanWorkspace {
  std::string name;
  Dtype dtype = Dtype::F32;
  SizeExpr elements;
};

/// Sets the first `elements` of a buffer.
struct PlanFill {
  std::string buffer;
  SizeExpr elements;
  Scalar value;
};

/// The tensor of a tensor map and the box that one instruction copies (docs/design/0018). Dims go from the contiguous
/// one outwards.
struct PlanMap {
  static constexpr unsigned mostDims = 5;
  static constexpr int64_t mostInBox = 256;   // Elements of a dim.
  static constexpr int64_t boxBytesUnit = 16; // Of the first dim.
  std::vector<SizeExpr> sizes;
  std::vector<SizeExpr> strides; // Of all dims but the first, in elements.
  std::vector<int64_t> box;      // In elements.
  int64_t swizzle = 0;           // Bytes; 0, 32, 64 or 128.
};

/// One parameter of a launch: an 8-byte word, or a tensor map, which launches of a GPU can have.
struct PlanArgument {
  enum class Kind { Pointer, Index, Scalar, Map };
  Kind kind = Kind::Index;
  std::string name;         // Pointer, Map: the buffer. Scalar: the parameter.
  SizeExpr value;           // Pointer: offset in elements of the buffer. Map: in elements of `dtype`. Index: the value.
  Dtype dtype = Dtype::F32; // Scalar: as the code wants it. Map: of the tensor.
  PlanMap map = {};         // Map.
};

/// What a program is on a GPU. Launches of a CPU have none.
struct ThreadBlock {
  int64_t threads = 1;
  int64_t sharedBytes = 0; // Dynamic: beside what the code declares itself.
};

/// Runs `symbol` for each program of the grid; skipped where a grid size is 0.
struct PlanLaunch {
  std::string symbol;
  std::vector<SizeExpr> grid; // Three.
  std::vector<PlanArgument> arguments;
  std::optional<ThreadBlock> block = std::nullopt;
};

using PlanStep = std::variant<PlanFill, PlanLaunch>;

struct LaunchPlan {
  std::vector<PlanCheck> checks;
  std::vector<PlanOutput> outputs;
  std::vector<PlanWorkspace> workspace;
  std::vector<PlanStep> steps;
};

/// What an assembler for a GPU says of its code: the largest of all launches.
struct ThreadResources {
  int64_t registers = 0;   // Of a thread.
  int64_t spillBytes = 0;  // Of a thread: stored and loaded again.
  int64_t sharedBytes = 0; // Of a block, dynamic ones with it.
};

struct Resources {
  int64_t codeBytes = 0;
  int64_t scratchBytes = 0; // For each thread.
  std::optional<ThreadResources> threads = std::nullopt;
};

struct Toolchain {
  std::string helion, llvm;
  std::string assembler = {}; // Name, version and path of what made the object of LLVM's text; empty where LLVM did.
};

struct Manifest {
  static constexpr unsigned version = 1;
  std::string kernel, kernelHash;
  std::string target; // `cpu:x86-64-v3`
  std::string config;
  std::vector<Argument> arguments;
  std::vector<Pred> facts; // All must hold, or the code may not run.
  LaunchPlan plan;
  Resources resources;
  Toolchain toolchain;
  std::string objectHash;

  /// Strict: unknown keys, unknown names and dims beyond a rank are errors with `file:line:col`.
  static llvm::Expected<Manifest> parse(llvm::StringRef text, llvm::StringRef file);
  llvm::json::Value json() const;
  /// Canonical: equal manifests give equal bytes. One line, no newline.
  std::string text() const;
  /// Names what runs: hash of everything but `config` and `toolchain`, so that two configs or compilers that give the
  /// same object under the same facts share one artifact, which is measured once.
  std::string artifactHash() const;
  /// Names used by the plan exist once, dims are within ranks, grids have three sizes. Readers call it; writers should.
  llvm::Error verify() const;
  const Argument *findArgument(llvm::StringRef name) const;
};

/// Pieces that other files hold as well.
llvm::json::Value toJson(const Argument &argument);
llvm::Error readJson(const JsonCursor &at, Argument &out);
llvm::Error readJson(const JsonCursor &at, Resources &out);
llvm::json::Value toJson(const Resources &resources);
llvm::Error readJson(const JsonCursor &at, SizeExpr &out);
llvm::Error readJson(const JsonCursor &at, Pred &out);

} // namespace helion

#endif // HELION_DIALECT_TARGET_MANIFEST_H
