// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helion's own Config files, read and written. They name no sites: a list has one entry per loop or block in program
// order, and one list may count more loops than have the choice here. Positions exist only in this file. So does
// Helion's way to write the order of a grid, which names the fastest dim first and defaults to the first dim.
#ifndef HELION_PASSES_CONFIG_HELIONJSON_H
#define HELION_PASSES_CONFIG_HELIONJSON_H

#include "passes/Config/Space.h"

namespace helion {

/// For one kernel. Only launches that the source wrote count (a launch with a `.` in its name is made of host
/// arithmetic, which is no part of Helion's config); the others keep their defaults.
class HelionJson {
public:
  HelionJson(KernelOp kernel, KnobTable table);

  /// A canonical, legal config. `ignored` gets what has no meaning here, with the reason. Fails on text that is no JSON
  /// object, a key that Helion does not have, a list of another length, and values that the site does not take.
  llvm::Expected<Config> read(llvm::StringRef json, std::vector<std::string> &ignored) const;
  /// One line, keys sorted; block sizes always, other keys where one of their entries is not the default. `lost` gets
  /// what Helion has no place for. The config must be legal.
  std::string write(const Config &config, std::vector<std::string> &lost) const;

  const Space &space() const { return configs; }

private:
  friend class HelionReader;
  /// Sites by position, for one way of counting.
  using Positions = std::vector<std::string>;

  /// The ways in which a list of this knob may count, the knob's own sites first.
  std::vector<Positions> positionsOf(const Knob &knob) const;
  const Choice *choiceAt(const Knob &knob, llvm::StringRef site) const;
  /// The order of a loop's dims, slowest first, of what Helion's list says of it, and back. Both depend on what the
  /// config says of the loop besides.
  ConfigValue fromHelionOrder(const Choice &choice, const Config &config, const ConfigValue &order) const;
  ConfigValue toHelionOrder(const Choice &choice, const Config &config, const ConfigValue &order) const;
  bool isGrouped(const Choice &choice, const Config &config) const;
  bool startsFastest(const Choice &choice, const Config &config) const;
  /// Whether Helion's config speaks of the choice.
  bool isSource(const Choice &choice) const;

  Space configs;
  Positions slices, severalDims, inner, loops; // In launches of the source.
};

} // namespace helion

#endif // HELION_PASSES_CONFIG_HELIONJSON_H
