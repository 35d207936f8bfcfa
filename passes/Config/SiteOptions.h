// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a choice pass reads its own list options with: `ListOption<std::string>` entries such as `loop.ij=[1,0]`, one
// per site, become a map with diagnostics on the module.
#ifndef HELION_PASSES_CONFIG_SITEOPTIONS_H
#define HELION_PASSES_CONFIG_SITEOPTIONS_H

#include "mlir/IR/Operation.h"
#include "passes/Config/ConfigValue.h"
#include <map>
#include <optional>

namespace helion {

/// One option of one pass. `parse` before anything else.
class SiteOptions {
public:
  /// Flag: the bare site (`loop.ij`) sets it. The others: `site=value`.
  enum class Kind { Flag, Integer, Word, List };

  SiteOptions(llvm::StringRef key, Kind kind) : key(key), kind(kind) {}

  /// Fails, with a diagnostic on `module`, on text that is no `site=value`, a value of another kind, or a site twice.
  mlir::LogicalResult parse(mlir::Operation *module, llvm::ArrayRef<std::string> entries);
  /// Fails when an entry's site is not in `sites`; the diagnostic lists these.
  mlir::LogicalResult checkSites(mlir::Operation *module, llvm::ArrayRef<llvm::StringRef> sites) const;

  /// Fails on a value that no knob of the option's name in the neutral table allows: a range stands there and nowhere
  /// else. Whether the site takes it is the pass's question.
  mlir::LogicalResult checkValues(mlir::Operation *module) const;
  /// The same for a knob of words that only some targets have.
  mlir::LogicalResult checkWords(mlir::Operation *module) const;

  /// The value at a site; none where the option does not name it.
  std::optional<int64_t> integer(llvm::StringRef site) const;
  std::optional<llvm::StringRef> word(llvm::StringRef site) const;
  std::optional<llvm::ArrayRef<int64_t>> list(llvm::StringRef site) const;
  bool flag(llvm::StringRef site) const { return find(site); }

private:
  const ConfigValue *find(llvm::StringRef site) const;
  mlir::LogicalResult parseEntry(mlir::Operation *module, llvm::StringRef entry);

  std::string key;
  Kind kind;
  std::map<std::string, ConfigValue, std::less<>> values;
};

} // namespace helion

#endif // HELION_PASSES_CONFIG_SITEOPTIONS_H
