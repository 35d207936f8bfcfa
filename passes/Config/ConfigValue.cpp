// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/ConfigValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace helion {

bool isConfigName(StringRef text) {
  return !text.empty() && all_of(text, [](char c) { return isAlnum(c) || StringRef("_.+-").contains(c); });
}

/// Decimal digits with an optional minus and no leading zero, so that equal numbers have equal texts.
static bool parseInteger(StringRef text, int64_t &value) {
  StringRef digits = text;
  digits.consume_front("-");
  bool canonical = digits == text || digits != "0";
  canonical &= digits.size() == 1 || !digits.starts_with("0");
  return canonical && !text.getAsInteger(10, value);
}

static Expected<ConfigValue> parseList(StringRef text) {
  if (!text.ends_with("]"))
    return createStringError("list `" + text + "` has no `]`");
  SmallVector<StringRef> parts;
  text.drop_front().drop_back().split(parts, ',');
  std::vector<int64_t> list;
  for (StringRef part : parts)
    if (!parseInteger(part, list.emplace_back()))
      return createStringError("list `" + text + "` holds `" + part + "`, not an integer");
  return ConfigValue(std::move(list));
}

ConfigValue ConfigValue::word(StringRef word) {
  ConfigValue value;
  value.data = word.str();
  return value;
}

Expected<ConfigValue> ConfigValue::parse(StringRef text) {
  if (text.starts_with("["))
    return parseList(text);
  int64_t integer;
  if (parseInteger(text, integer))
    return ConfigValue(integer);
  if (isConfigName(text) && isAlpha(text.front()))
    return word(text);
  return createStringError("`" + text + "` is no value; expected an integer, a word or a list such as `[1,0]`");
}

std::string ConfigValue::str() const {
  if (const int64_t *integer = asInteger())
    return std::to_string(*integer);
  if (const std::string *word = asWord())
    return *word;
  std::vector<std::string> parts;
  for (int64_t element : *asList())
    parts.push_back(std::to_string(element));
  return "[" + join(parts, ",") + "]";
}

} // namespace helion
