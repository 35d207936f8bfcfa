// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions are found by a scanner that skips values of a text which llvm::json has already accepted, so it needs no
// error handling of its own.
#include "dialect/Target/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace helion {

//===-- Scanning -------------------------------------------------------------------------------------------------===//

namespace {
/// Walks over the bytes of a well-formed JSON text.
class Scanner {
public:
  Scanner(StringRef text, size_t offset) : text(text), offset(offset) { skipSpace(); }

  size_t position() const { return offset; }

  /// At the first byte of a value; ends after it.
  void skipValue() {
    unsigned depth = 0;
    do {
      char c = text[offset];
      if (c == '"')
        skipString();
      else
        ++offset;
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      else if (depth == 0)
        offset +=
            text.drop_front(offset).take_until([](char c) { return StringRef(" \t\r\n,:]}").contains(c); }).size();
    } while (depth != 0);
    skipSpace();
  }

  /// Enters an object or array.
  void enter() { advance(); }

  /// Inside an object, at a key: gives it and moves to its value.
  std::string takeKey() {
    size_t begin = offset;
    skipString();
    std::string key = cantFail(json::parse(text.slice(begin, offset))).getAsString()->str();
    skipSpace();
    advance(); // The colon.
    return key;
  }

  bool atEnd() const { return text[offset] == '}' || text[offset] == ']'; }

  /// After a value inside an object or array.
  void skipComma() {
    if (text[offset] == ',')
      advance();
  }

private:
  void advance() {
    ++offset;
    skipSpace();
  }
  void skipSpace() {
    offset += text.drop_front(offset).take_while([](char c) { return isSpace(c); }).size();
  }
  void skipString() {
    ++offset;
    while (text[offset] != '"')
      offset += text[offset] == '\\' ? 2 : 1;
    ++offset;
  }

  StringRef text;
  size_t offset;
};
} // namespace

/// The offsets of the key and of the value of member `key` in the object at `offset`.
static std::pair<size_t, size_t> findMember(StringRef text, size_t offset, StringRef key) {
  Scanner scanner(text, offset);
  for (scanner.enter(); !scanner.atEnd(); scanner.skipComma()) {
    size_t keyOffset = scanner.position();
    if (scanner.takeKey() == key)
      return {keyOffset, scanner.position()};
    scanner.skipValue();
  }
  llvm_unreachable("the member was read from this text");
}

static size_t findElement(StringRef text, size_t offset, size_t index) {
  Scanner scanner(text, offset);
  for (scanner.enter(); index != 0; --index) {
    scanner.skipValue();
    scanner.skipComma();
  }
  return scanner.position();
}

/// The offset of a key that its object has twice. Objects still open wait on a list, so depth costs no stack.
static std::optional<size_t> findDoubledKey(StringRef text) {
  std::vector<size_t> open = {0};
  while (!open.empty()) {
    Scanner scanner(text, open.back());
    open.pop_back();
    char kind = text[scanner.position()];
    if (kind != '{' && kind != '[')
      continue;
    StringSet<> keys;
    for (scanner.enter(); !scanner.atEnd(); scanner.skipComma()) {
      size_t offset = scanner.position();
      if (kind == '{' && !keys.insert(scanner.takeKey()).second)
        return offset;
      open.push_back(scanner.position());
      scanner.skipValue();
    }
  }
  return std::nullopt;
}

//===-- JsonText -------------------------------------------------------------------------------------------------===//

JsonText::JsonText(StringRef text, StringRef file, unsigned firstLine) : text(text), file(file), firstLine(firstLine) {}

std::string JsonText::placeOf(size_t offset) const {
  StringRef before = StringRef(text).take_front(offset);
  size_t line = firstLine + before.count('\n');
  size_t column = offset - (before.rfind('\n') + 1) + 1; // npos + 1 is 0.
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Error JsonText::errorAt(size_t offset, const Twine &message) const {
  return createStringError(placeOf(offset) + ": " + message);
}

/// Takes the offset out of llvm::json's message `[line:col, byte=N]: Text`. Where llvm::json wanted another character,
/// it has already stepped over the one it saw.
static std::pair<size_t, std::string> splitParseError(StringRef message, size_t size) {
  size_t offset = 0;
  auto [place, what] = message.split("]: ");
  place.rsplit("byte=").second.getAsInteger(10, offset);
  if (offset != 0 && offset < size && (what.starts_with("Expected") || what == "Invalid JSON value"))
    --offset;
  std::string lower = what.str();
  if (!lower.empty())
    lower[0] = toLower(lower[0]);
  return {offset, lower};
}

/// Trees of tuned files nest by their depth, everything else less.
static constexpr unsigned kDeepest = 512;

/// The offset of the first bracket that opens a value too deep.
static std::optional<size_t> findTooDeep(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '{' || c == '[') && ++depth > kDeepest)
      return i;
    else if (!inString && (c == '}' || c == ']') && depth != 0)
      --depth;
  }
  return std::nullopt;
}

Expected<json::Value> parseJson(StringRef text) {
  if (findTooDeep(text))
    return createStringError("values nest deeper than `" + Twine(kDeepest) + "`");
  return json::parse(text);
}

Expected<JsonText> JsonText::parse(StringRef text, StringRef file, unsigned firstLine) {
  JsonText result(text, file, firstLine);
  if (std::optional<size_t> offset = findTooDeep(text))
    return result.errorAt(*offset, "values nest deeper than `" + Twine(kDeepest) + "`");
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    auto [offset, message] = splitParseError(toString(value.takeError()), text.size());
    return result.errorAt(offset, "not JSON: " + message);
  }
  if (std::optional<size_t> offset = findDoubledKey(text))
    return result.errorAt(*offset, "key `" + StringRef(text).drop_front(*offset + 1).take_until([](char c) {
      return c == '"';
    }) + "` appears twice");
  result.rootValue = std::move(*value);
  return result;
}

JsonCursor JsonText::root() const { return JsonCursor(*this, rootValue); }

//===-- JsonCursor -----------------------------------------------------------------------------------------------===//

JsonCursor JsonCursor::member(StringRef key) const {
  JsonCursor result = *this;
  result.current = current->getAsObject()->get(key);
  result.path.push_back({key.str(), 0, true});
  return result;
}

JsonCursor JsonCursor::element(size_t index) const {
  JsonCursor result = *this;
  result.current = &(*current->getAsArray())[index];
  result.path.push_back({"", index, false});
  return result;
}

static size_t offsetOf(StringRef text, size_t start) { return Scanner(text, start).position(); }

size_t JsonCursor::offset() const {
  size_t offset = offsetOf(text->text, 0);
  for (const Step &step : path)
    offset = step.isKey ? findMember(text->text, offset, step.key).second : findElement(text->text, offset, step.index);
  return offset;
}

std::string JsonCursor::place() const { return text->placeOf(offset()); }

Error JsonCursor::error(const Twine &message) const { return text->errorAt(offset(), message); }

Error JsonCursor::errorAtKey(StringRef key, const Twine &message) const {
  return text->errorAt(findMember(text->text, offset(), key).first, message);
}

Error JsonCursor::expected(StringRef what) const {
  std::string seen = canonicalJson(*current);
  if (seen.size() > 60)
    seen = seen.substr(0, 57) + "...";
  return error("saw `" + seen + "`, expected " + what);
}

Error JsonCursor::forEachElement(function_ref<Error(JsonCursor)> visit) const {
  const json::Array *array = current->getAsArray();
  if (!array)
    return expected("a list");
  for (size_t index = 0; index < array->size(); ++index)
    if (Error error = visit(element(index)))
      return error;
  return Error::success();
}

static std::vector<StringRef> sortedKeys(const json::Object &object) {
  std::vector<StringRef> keys;
  for (const auto &member : object)
    keys.push_back(member.first);
  llvm::sort(keys);
  return keys;
}

Error JsonCursor::forEachMember(function_ref<Error(StringRef, JsonCursor)> visit) const {
  const json::Object *object = current->getAsObject();
  if (!object)
    return expected("an object");
  for (StringRef key : sortedKeys(*object))
    if (Error error = visit(key, member(key)))
      return error;
  return Error::success();
}

//===-- Readers --------------------------------------------------------------------------------------------------===//

Error readJson(const JsonCursor &at, std::string &out) {
  std::optional<StringRef> text = at.value().getAsString();
  if (!text)
    return at.expected("a string");
  out = text->str();
  return Error::success();
}

Error readJson(const JsonCursor &at, int64_t &out) {
  std::optional<int64_t> value = at.value().getAsInteger();
  if (!value)
    return at.expected("an integer");
  out = *value;
  return Error::success();
}

Error readJson(const JsonCursor &at, unsigned &out) {
  std::optional<int64_t> value = at.value().getAsInteger();
  if (!value || *value < 0 || *value > int64_t(UINT32_MAX))
    return at.expected("an integer that is not negative");
  out = unsigned(*value);
  return Error::success();
}

Error readJson(const JsonCursor &at, double &out) {
  StringRef word = at.value().getAsString().value_or("");
  if (std::optional<double> value = at.value().getAsNumber())
    out = *value;
  else if (word == "inf" || word == "-inf")
    out = word == "inf" ? HUGE_VAL : -HUGE_VAL;
  else if (word == "nan")
    out = NAN;
  else
    return at.expected("a number");
  return Error::success();
}

Error readJson(const JsonCursor &at, bool &out) {
  std::optional<bool> value = at.value().getAsBoolean();
  if (!value)
    return at.expected("`true` or `false`");
  out = *value;
  return Error::success();
}

JsonFields::JsonFields(const JsonCursor &object)
    : object(object), members(object.value().getAsObject()), first(Error::success()) {
  cantFail(std::move(first)); // Marks the empty error as looked at.
  first = members ? Error::success() : object.expected("an object");
}

void JsonFields::missing(StringRef key) {
  known.push_back(key.str());
  if (!first)
    first = object.error("key `" + key + "` is missing");
}

JsonFields &JsonFields::with(StringRef key, function_ref<Error(JsonCursor)> read) {
  known.push_back(key.str());
  if (!first && has(key))
    first = read(object.member(key));
  return *this;
}

Error JsonFields::finish() {
  if (first)
    return std::move(first);
  for (StringRef key : sortedKeys(*members)) {
    if (is_contained(known, key))
      continue;
    llvm::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return object.errorAtKey(key, "unknown key `" + key + "`; known are `" + join(known, "`, `") + "`");
  }
  return Error::success();
}

//===-- Writing --------------------------------------------------------------------------------------------------===//

std::string shortestReal(double value) {
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    raw_string_ostream os(text);
    os << format("%.*g", digits, value);
    double back = 0;
    if (!StringRef(text).getAsDouble(back) && back == value)
      break;
  }
  return text;
}

json::Value realToJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

void writeCanonicalJson(raw_ostream &os, const json::Value &value) {
  if (const json::Object *object = value.getAsObject()) {
    os << '{';
    ListSeparator comma(",");
    for (StringRef key : sortedKeys(*object)) {
      os << comma << json::Value(key) << ':';
      writeCanonicalJson(os, *object->get(key));
    }
    os << '}';
  } else if (const json::Array *array = value.getAsArray()) {
    os << '[';
    ListSeparator comma(",");
    for (const json::Value &element : *array) {
      os << comma;
      writeCanonicalJson(os, element);
    }
    os << ']';
  } else if (std::optional<int64_t> integer = value.getAsInteger()) {
    os << *integer;
  } else if (std::optional<double> number = value.getAsNumber()) {
    os << shortestReal(*number);
  } else {
    os << value;
  }
}

std::string canonicalJson(const json::Value &value) {
  std::string text;
  raw_string_ostream os(text);
  writeCanonicalJson(os, value);
  return text;
}

} // namespace helion
