// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/CppNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace helion {

// Keywords of C++20, C's own, and what the templates call their parameters and locals.
static constexpr StringRef takenNames[] = {
    "a",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "buffer",
    "bytes",
    "call",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "choice",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "made",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "output",
    "overlap",
    "package",
    "passed",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "result",
    "results",
    "return",
    "runtime",
    "shape",
    "short",
    "signed",
    "size",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "status",
    "stream",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "values",
    "variant",
    "variants",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "workspace",
    "xor",
    "xor_eq",
};

bool isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) && all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

std::string cppName(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || isDigit(result.front()))
    result.insert(0, "_");
  if (is_contained(takenNames, result))
    result += '_';
  return result;
}

std::string cppQuoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    // Three octal digits end by themselves, unlike hexadecimal ones; `?` would begin a trigraph.
    if (c == '"' || c == '\\' || c == '?')
      (result += '\\') += c;
    else if (isPrint(c))
      result += c;
    else
      for (char digit : {'\\', char('0' + ((c >> 6) & 3)), char('0' + ((c >> 3) & 7)), char('0' + (c & 7))})
        result += digit;
  }
  return result + "\"";
}

std::string cppComment(StringRef text) {
  std::string result;
  for (char c : text)
    result += isPrint(c) && c != '\\' ? c : ' ';
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result.replace(at, 2, "* /");
  return result;
}

} // namespace helion
