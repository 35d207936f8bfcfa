// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config's map and its text. The parser is written by hand because upstream's pipeline parser takes the last of two
// equal keys in silence and knows nothing of order.
#include "dialect/Target/ContentHash.h"
#include "passes/Config/Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;

namespace helion {

static constexpr StringLiteral kVersionPass = "helion-config";
static constexpr size_t kIdDigits = 8;

//===-- The map ---------------------------------------------------------------------------------------------------===//

void Config::set(StringRef knob, StringRef site, ConfigValue value) {
  assert(any_of(table.find(knob), [&](const Knob &row) { return row.allows(value); }) && "no such knob or value");
  const ConfigValue *preset = table.preset(knob);
  if (preset && *preset == value)
    return erase(knob, site);
  map[{knob.str(), site.str()}] = std::move(value);
}

void Config::erase(StringRef knob, StringRef site) { map.erase({knob.str(), site.str()}); }

const ConfigValue *Config::find(StringRef knob, StringRef site) const {
  auto found = map.find({knob.str(), site.str()});
  return found == map.end() ? nullptr : &found->second;
}

//===-- Printing --------------------------------------------------------------------------------------------------===//

std::string Config::print() const {
  std::map<StringRef, std::string> options; // Pass to the text between its braces.
  StringRef lastKnob;
  for (const auto &[key, value] : map) {
    StringRef pass = table.find(key.first).front().pass;
    std::string &text = options[pass];
    if (key.first == lastKnob)
      text += ",";
    else
      text += (text.empty() ? "" : " ") + key.first + "=";
    lastKnob = key.first;
    text += key.second;
    if (value != ConfigValue::flag(true))
      text += "=" + value.str();
  }
  std::string text = (kVersionPass + "{v=" + Twine(kConfigVersion) + "}").str();
  for (StringRef pass : table.passes()) {
    text += "," + pass.str();
    auto found = options.find(pass);
    if (found != options.end())
      text += "{" + found->second + "}";
  }
  return text;
}

std::string Config::id() const { return contentHash(print()).substr(0, kIdDigits); }

//===-- Parsing ---------------------------------------------------------------------------------------------------===//

namespace {
class ConfigParser {
public:
  ConfigParser(StringRef text, const KnobTable &table) : text(text), table(table), config(table) {}

  Expected<Config> parse() {
    if (Error error = parseVersion())
      return error;
    for (StringRef pass : table.passes())
      if (Error error = parsePass(pass))
        return error;
    if (position != text.size())
      return fail("expected the end: `" + table.passes().back() + "` is the last choice pass");
    return std::move(config);
  }

private:
  Error parseVersion();
  Error parsePass(StringRef pass);
  Error parseOption(StringRef pass);
  Error parseEntry(StringRef key, ArrayRef<Knob> named);

  bool consume(StringRef expected) {
    if (!text.substr(position).starts_with(expected))
      return false;
    position += expected.size();
    return true;
  }

  /// What a name or value runs to; a list runs to its bracket.
  StringRef peekToken() const {
    StringRef rest = text.substr(position);
    if (rest.starts_with("["))
      return rest.take_front(rest.find(']') == StringRef::npos ? rest.size() : rest.find(']') + 1);
    return rest.take_until([](char c) { return StringRef("{}[]=, ").contains(c); });
  }

  StringRef takeToken() {
    StringRef token = peekToken();
    position += token.size();
    return token;
  }

  Error failAt(size_t at, const Twine &why) {
    return createStringError("config text, column " + Twine(at + 1) + ": " + why);
  }
  Error fail(const Twine &why) {
    StringRef token = peekToken();
    std::string seen = token.empty() ? text.substr(position, 1).str() : token.str();
    return failAt(position, (seen.empty() ? std::string("saw the end") : "saw `" + seen + "`") + ", " + why);
  }

  StringRef text;
  const KnobTable &table;
  Config config;
  size_t position = 0;
  std::set<std::string> keys;
  std::set<Config::Key> sites;
};
} // namespace

Error ConfigParser::parseVersion() {
  if (!consume(kVersionPass) || !consume("{v="))
    return fail("expected `" + kVersionPass + "{v=" + Twine(kConfigVersion) + "}`");
  size_t at = position;
  StringRef version = takeToken();
  if (version != std::to_string(kConfigVersion))
    return failAt(at,
                  "config version `" + version + "` is not known; this build reads `" + Twine(kConfigVersion) + "`");
  return consume("}") ? Error::success() : fail("expected `}`");
}

Error ConfigParser::parsePass(StringRef pass) {
  if (!consume(","))
    return fail("expected `,` and `" + pass + "`: every choice pass is named, in order");
  StringRef seen = peekToken();
  if (seen != pass)
    return fail("expected `" + pass + "`: " +
                (is_contained(table.passes(), seen) ? "choice passes stand in a fixed order"
                                                    : "no choice pass of this target has that name"));
  takeToken();
  if (!consume("{"))
    return Error::success();
  do {
    if (Error error = parseOption(pass))
      return error;
  } while (consume(" "));
  return consume("}") ? Error::success() : fail("expected `,`, a blank or `}`");
}

Error ConfigParser::parseOption(StringRef pass) {
  size_t at = position;
  StringRef key = peekToken();
  ArrayRef<Knob> named = table.find(key);
  if (named.empty() || named.front().pass != pass) {
    std::set<StringRef> known;
    for (const Knob &knob : table.knobs())
      if (knob.pass == pass)
        known.insert(knob.name);
    return fail("expected a key of `" + pass + "`: `" + join(known, "`, `") + "`");
  }
  takeToken();
  if (!keys.insert(key.str()).second)
    return failAt(at, "key `" + key + "` stands twice; put its sites behind one key");
  if (!consume("="))
    return fail("expected `=`");
  do {
    if (Error error = parseEntry(key, named))
      return error;
  } while (consume(","));
  return Error::success();
}

Error ConfigParser::parseEntry(StringRef key, ArrayRef<Knob> named) {
  size_t at = position;
  StringRef site = peekToken();
  if (!isConfigName(site))
    return fail("expected a site of `" + key + "`");
  takeToken();
  if (!sites.insert({key.str(), site.str()}).second)
    return failAt(at, "site `" + site + "` of `" + key + "` stands twice");
  if (named.front().kind == ValueKind::Flag) {
    config.set(key, site, ConfigValue::flag(true));
    return peekToken().empty() && !text.substr(position).starts_with("=")
               ? Error::success()
               : fail("expected `,`, a blank or `}`: `" + key + "` is set by the bare site");
  }
  if (!consume("="))
    return fail("expected `=` and a value for `" + site + "`: " + named.front().allowed());
  at = position;
  Expected<ConfigValue> value = ConfigValue::parse(takeToken());
  if (!value)
    return failAt(at, toString(value.takeError()) + "; `" + key + "` takes " + named.front().allowed());
  if (none_of(named, [&](const Knob &knob) { return knob.allows(*value); }))
    return failAt(at, "`" + value->str() + "` is no value of `" + key + "`; it takes " + named.front().allowed());
  config.set(key, site, std::move(*value));
  return Error::success();
}

Expected<Config> Config::parse(StringRef text, const KnobTable &table) { return ConfigParser(text, table).parse(); }

} // namespace helion
