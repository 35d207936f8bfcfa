// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature text of one import: `x=bf16[?,?] y=bf16[?,128] bias=none n=64 eps=f32`. Parsed once, read when the
// kernel's parameters are bound.
#pragma once

#include "dialect/Frontend/DataType.h"
#include "dialect/Frontend/SourceDiagnostics.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helion::frontend {

/// `bf16[?,128]`: a size that is not given is any size.
struct TensorSpec {
  DType dtype;
  std::vector<std::optional<int64_t>> sizes;
};
/// `f32`: passed at each call.
struct ScalarSpec {
  DType dtype;
};
struct NoneSpec {};
/// `64`, `1e-5`, `true`, `'mean'`: fixed for this signature.
using FixedSpec = std::variant<bool, int64_t, double, std::string>;

struct ArgumentSpec {
  std::string name;
  Span at; // in the signature text
  std::variant<TensorSpec, ScalarSpec, NoneSpec, FixedSpec> value;
};

/// Reports errors against the text itself (`diagnostics` holds it) and returns nothing if there was one.
std::optional<std::vector<ArgumentSpec>> parseSignature(llvm::StringRef text, SourceDiagnostics &diagnostics);

} // namespace helion::frontend
