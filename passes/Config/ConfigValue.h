// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of a knob at one site, and its text: `16`, `persistent_blocked`, `[1,0]`. A flag that is set is written as
// the bare site; its value is the word `true`.
#ifndef HELION_PASSES_CONFIG_CONFIGVALUE_H
#define HELION_PASSES_CONFIG_CONFIGVALUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace helion {

/// Ordered: integers by value, then words, then lists.
class ConfigValue {
public:
  ConfigValue(int64_t integer = 0) : data(integer) {}
  ConfigValue(std::vector<int64_t> list) : data(std::move(list)) {}
  static ConfigValue word(llvm::StringRef word);
  static ConfigValue flag(bool set) { return word(set ? "true" : "false"); }

  /// The whole text must be one value; the error says what is wrong with it and ends where the text does.
  static llvm::Expected<ConfigValue> parse(llvm::StringRef text);
  std::string str() const;

  const int64_t *asInteger() const { return std::get_if<int64_t>(&data); }
  const std::string *asWord() const { return std::get_if<std::string>(&data); }
  const std::vector<int64_t> *asList() const { return std::get_if<std::vector<int64_t>>(&data); }
  bool isWord(llvm::StringRef word) const { return asWord() && *asWord() == word; }

  bool operator==(const ConfigValue &other) const { return data == other.data; }
  bool operator!=(const ConfigValue &other) const { return data != other.data; }
  bool operator<(const ConfigValue &other) const { return data < other.data; }

private:
  std::variant<int64_t, std::string, std::vector<int64_t>> data;
};

/// True for what sites, keys and words are made of: letters, digits, `_`, `.`, `+`, `-`; not empty.
bool isConfigName(llvm::StringRef text);

} // namespace helion

#endif // HELION_PASSES_CONFIG_CONFIGVALUE_H
