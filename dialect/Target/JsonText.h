// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict reading of JSON texts: every error says `file:line:col` of the value it is about, unknown and doubled keys are
// errors. llvm::json reads the values; positions are looked up only when an error needs one. Also the one canonical
// writing: sorted keys, no spaces, shortest numbers.
#ifndef HELION_DIALECT_TARGET_JSONTEXT_H
#define HELION_DIALECT_TARGET_JSONTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace helion {

class JsonCursor;

/// llvm::json::parse, but an error where values nest deeper than a format of ours can: its parser would take a stack
/// frame for each.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// One JSON value with the text it was read from. Cursors point into it, so it must outlive them and stay in place.
class JsonText {
public:
  /// `firstLine` is the number of the text's first line in `file`.
  static llvm::Expected<JsonText> parse(llvm::StringRef text, llvm::StringRef file, unsigned firstLine = 1);

  JsonCursor root() const;
  const llvm::json::Value &value() const { return rootValue; }

private:
  friend class JsonCursor;
  JsonText(llvm::StringRef text, llvm::StringRef file, unsigned firstLine);
  std::string placeOf(size_t offset) const;
  llvm::Error errorAt(size_t offset, const llvm::Twine &message) const;

  std::string text, file;
  unsigned firstLine;
  llvm::json::Value rootValue = nullptr;
};

/// A value inside a JsonText.
class JsonCursor {
public:
  const llvm::json::Value &value() const { return *current; }
  /// `file:line:col`.
  std::string place() const;
  /// `file:line:col: message` at this value, or at the key of a member.
  llvm::Error error(const llvm::Twine &message) const;
  llvm::Error errorAtKey(llvm::StringRef key, const llvm::Twine &message) const;
  /// "saw `<value>`, expected <what>"
  llvm::Error expected(llvm::StringRef what) const;

  /// The member or element must exist.
  JsonCursor member(llvm::StringRef key) const;
  JsonCursor element(size_t index) const;
  /// Calls `visit` on each element; an error when this is no array.
  llvm::Error forEachElement(llvm::function_ref<llvm::Error(JsonCursor)> visit) const;
  /// Calls `visit` on each member in the order of the keys; an error when this is no object.
  llvm::Error forEachMember(llvm::function_ref<llvm::Error(llvm::StringRef, JsonCursor)> visit) const;

private:
  friend class JsonText;
  struct Step {
    std::string key;
    size_t index;
    bool isKey;
  };
  JsonCursor(const JsonText &text, const llvm::json::Value &value) : text(&text), current(&value) {}
  size_t offset() const;

  const JsonText *text;
  const llvm::json::Value *current;
  std::vector<Step> path;
};

/// Readers of one value. A type of a format adds its own overload in its namespace; JsonFields finds it.
llvm::Error readJson(const JsonCursor &at, std::string &out);
llvm::Error readJson(const JsonCursor &at, int64_t &out);
llvm::Error readJson(const JsonCursor &at, unsigned &out);
llvm::Error readJson(const JsonCursor &at, double &out); // A number, "inf", "-inf" or "nan".
llvm::Error readJson(const JsonCursor &at, bool &out);
template <typename T> llvm::Error readJson(const JsonCursor &at, std::vector<T> &out) {
  return at.forEachElement([&](JsonCursor element) { return readJson(element, out.emplace_back()); });
}

/// Reads the members of an object one by one and keeps the first error; `finish` gives it, or names a key that nobody
/// asked for.
class JsonFields {
public:
  explicit JsonFields(const JsonCursor &object);

  template <typename T> JsonFields &required(llvm::StringRef key, T &out) { return read(key, out, /*must=*/true); }
  template <typename T> JsonFields &optional(llvm::StringRef key, T &out) { return read(key, out, /*must=*/false); }
  bool has(llvm::StringRef key) const { return members && members->get(key); }
  /// Reads an optional member by a function.
  JsonFields &with(llvm::StringRef key, llvm::function_ref<llvm::Error(JsonCursor)> read);
  llvm::Error finish();

private:
  template <typename T> JsonFields &read(llvm::StringRef key, T &out, bool must) {
    if (must && !has(key))
      missing(key);
    return with(key, [&](JsonCursor member) { return readJson(member, out); });
  }
  void missing(llvm::StringRef key);

  JsonCursor object;
  const llvm::json::Object *members;
  std::vector<std::string> known;
  llvm::Error first;
};

/// Sorted keys, no spaces, the shortest decimal text of each number that reads back equal.
void writeCanonicalJson(llvm::raw_ostream &os, const llvm::json::Value &value);
std::string canonicalJson(const llvm::json::Value &value);
/// A number, or "inf", "-inf", "nan", which JSON has no number for.
llvm::json::Value realToJson(double value);
/// The shortest decimal text that reads back as `value`, which is finite.
std::string shortestReal(double value);

} // namespace helion

#endif // HELION_DIALECT_TARGET_JSONTEXT_H
