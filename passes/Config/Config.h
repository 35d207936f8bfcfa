// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A config: what each knob is set to at each site. Its text is a pass pipeline (docs/design/0003-config-text.md). Who
// makes one: the parser, the search space, the Helion import. A config knows the table but no kernel; Space validates.
#ifndef HELION_PASSES_CONFIG_CONFIG_H
#define HELION_PASSES_CONFIG_CONFIG_H

#include "passes/Config/Knob.h"
#include <map>

namespace helion {

/// The version that `helion-config{v=..}` names.
constexpr int64_t kConfigVersion = 1;

class Config {
public:
  /// Knob and site.
  using Key = std::pair<std::string, std::string>;

  /// All defaults.
  explicit Config(KnobTable table) : table(std::move(table)) {}

  /// Reads one whole text. Strict: the version, every choice pass of the table in order, known keys, values in range,
  /// no key or site twice. The error says the column (from 1), what was seen and what is allowed.
  static llvm::Expected<Config> parse(llvm::StringRef text, const KnobTable &table);
  /// The canonical text: every choice pass, keys and sites sorted, knobs at the table's default left out. Defaults that
  /// depend on the kernel are left out by Space::canonical.
  std::string print() const;
  /// 8 hex digits that name the text.
  std::string id() const;

  /// The knob must be in the table and allow the value. The table's default is the same as none.
  void set(llvm::StringRef knob, llvm::StringRef site, ConfigValue value);
  void erase(llvm::StringRef knob, llvm::StringRef site);
  /// None where the config does not name the site.
  const ConfigValue *find(llvm::StringRef knob, llvm::StringRef site) const;
  const std::map<Key, ConfigValue> &values() const { return map; }
  const KnobTable &knobs() const { return table; }

  bool operator==(const Config &other) const { return map == other.map; }
  bool operator!=(const Config &other) const { return map != other.map; }
  bool operator<(const Config &other) const { return map < other.map; }

private:
  KnobTable table;
  std::map<Key, ConfigValue> map;
};

} // namespace helion

#endif // HELION_PASSES_CONFIG_CONFIG_H
