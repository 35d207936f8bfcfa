// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser of signature texts: words separated by blanks, `name=value` each.
#include "dialect/Frontend/Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace helion::frontend;

namespace {
struct SignatureParser {
  llvm::StringRef text;
  SourceDiagnostics &diagnostics;

  Span span(llvm::StringRef piece) const {
    unsigned begin = piece.data() - text.data();
    return {1, begin, 1, static_cast<unsigned>(begin + std::max<size_t>(piece.size(), 1))};
  }
  bool fail(llvm::StringRef piece, const llvm::Twine &message) {
    diagnostics.error(span(piece), message);
    return false;
  }

  bool argument(llvm::StringRef word, ArgumentSpec &out);
  bool value(llvm::StringRef word, ArgumentSpec &out);
  bool tensor(llvm::StringRef word, TensorSpec &out);
};
} // namespace

bool SignatureParser::tensor(llvm::StringRef word, TensorSpec &out) {
  auto [dtypeWord, sizes] = word.split('[');
  std::optional<DType> dtype = parseDType(dtypeWord);
  if (!dtype)
    return fail(dtypeWord, "unknown dtype `" + dtypeWord + "`; one of " + dtypeChoices());
  if (!sizes.consume_back("]"))
    return fail(word, "missing `]` in `" + word + "`");
  out.dtype = *dtype;
  llvm::SmallVector<llvm::StringRef> items;
  if (!sizes.trim().empty())
    sizes.split(items, ',');
  for (llvm::StringRef item : items) {
    int64_t size = 0;
    item = item.trim();
    if (item == "?")
      out.sizes.push_back(std::nullopt);
    else if (item.getAsInteger(10, size) || size < 0)
      return fail(item, "size `" + item + "` is neither `?` nor a number from 0");
    else
      out.sizes.push_back(size);
  }
  if (out.sizes.empty())
    return fail(word, "tensor `" + word + "` has no dims; a scalar is written `" + dtypeWord + "`");
  return true;
}

bool SignatureParser::value(llvm::StringRef word, ArgumentSpec &out) {
  int64_t integer = 0;
  double number = 0;
  if (word.contains('[')) {
    TensorSpec spec;
    if (!tensor(word, spec))
      return false;
    out.value = spec;
  } else if (word == "none" || word == "None") {
    out.value = NoneSpec{};
  } else if (word == "true" || word == "false" || word == "True" || word == "False") {
    out.value = FixedSpec(word.lower() == "true");
  } else if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
    out.value = FixedSpec(word.drop_front().drop_back().str());
  } else if (!word.getAsInteger(10, integer)) {
    out.value = FixedSpec(integer);
  } else if (std::optional<DType> dtype = parseDType(word)) {
    out.value = ScalarSpec{*dtype};
  } else if (!word.getAsDouble(number)) {
    out.value = FixedSpec(number);
  } else {
    return fail(word, "unknown value `" + word + "`; write a tensor `bf16[?,128]`, a scalar dtype `f32`, a fixed value "
                                                 "`64`, or `none`");
  }
  return true;
}

bool SignatureParser::argument(llvm::StringRef word, ArgumentSpec &out) {
  auto [name, rest] = word.split('=');
  if (name.empty() || rest.empty())
    return fail(word, "`" + word + "` is not `name=value`");
  out.name = name.str();
  out.at = span(name);
  return value(rest, out);
}

// Splits at blanks outside brackets, so that `bf16[?, 128]` is one word.
static llvm::SmallVector<llvm::StringRef> splitWords(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    bool blank = i == text.size() || (llvm::isSpace(text[i]) && depth == 0);
    if (!blank) {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
      continue;
    }
    if (i > begin)
      words.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  return words;
}

std::optional<std::vector<ArgumentSpec>> helion::frontend::parseSignature(llvm::StringRef text,
                                                                          SourceDiagnostics &diagnostics) {
  SignatureParser parser{text, diagnostics};
  std::vector<ArgumentSpec> out;
  for (llvm::StringRef word : splitWords(text)) {
    ArgumentSpec spec;
    if (!parser.argument(word, spec))
      return std::nullopt;
    if (llvm::any_of(out, [&](const ArgumentSpec &other) { return other.name == spec.name; })) {
      parser.fail(word, "argument `" + llvm::StringRef(spec.name) + "` is given twice");
      return std::nullopt;
    }
    out.push_back(std::move(spec));
  }
  return out;
}
