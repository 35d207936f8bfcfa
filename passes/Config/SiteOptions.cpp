// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/SiteOptions.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Config/Knob.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace helion;

static StringRef expectedForm(SiteOptions::Kind kind) {
  static constexpr StringLiteral forms[] = {"site", "site=integer", "site=word", "site=[integer,..]"};
  return forms[static_cast<int>(kind)];
}

static bool hasKind(const ConfigValue &value, SiteOptions::Kind kind) {
  switch (kind) {
  case SiteOptions::Kind::Flag:
    return value.isWord("true");
  case SiteOptions::Kind::Integer:
    return value.asInteger();
  case SiteOptions::Kind::Word:
    return value.asWord();
  case SiteOptions::Kind::List:
    return value.asList();
  }
  llvm_unreachable("covered switch");
}

LogicalResult SiteOptions::parseEntry(Operation *module, StringRef entry) {
  auto refuse = [&]() { return module->emitError() << key << ": entry `" << entry << "` "; };
  auto [site, text] = entry.split('=');
  bool bare = site.size() == entry.size();
  if (!isConfigName(site) || bare != (kind == Kind::Flag))
    return refuse() << "is not of the form `" << expectedForm(kind) << "`";
  ConfigValue value = ConfigValue::flag(true);
  if (!bare) {
    llvm::Expected<ConfigValue> parsed = ConfigValue::parse(text);
    if (!parsed)
      return refuse() << "has no value: " << llvm::toString(parsed.takeError());
    value = std::move(*parsed);
  }
  if (!hasKind(value, kind))
    return refuse() << "is not of the form `" << expectedForm(kind) << "`";
  if (!values.emplace(site.str(), std::move(value)).second)
    return module->emitError() << key << ": site `" << site << "` has two values";
  return success();
}

LogicalResult SiteOptions::parse(Operation *module, ArrayRef<std::string> entries) {
  values.clear();
  for (StringRef entry : entries)
    if (failed(parseEntry(module, entry)))
      return failure();
  return success();
}

LogicalResult SiteOptions::checkSites(Operation *module, ArrayRef<StringRef> sites) const {
  for (const auto &[site, value] : values) {
    if (llvm::is_contained(sites, site))
      continue;
    InFlightDiagnostic error = module->emitError() << key << ": no site `" << site << "`; ";
    if (sites.empty())
      return error << "this kernel has none for it";
    error << "there are ";
    llvm::interleave(sites, [&](StringRef name) { error << "`" << name << "`"; }, [&] { error << ", "; });
    return error;
  }
  return success();
}

/// Words need no facts of a target, so those of knobs that only some targets have are known here too.
LogicalResult SiteOptions::checkWords(Operation *module) const {
  for (const KnobRow &row : neutralKnobRows().knobs)
    for (const auto &[site, value] : values) {
      if (row.name != key || (value.asWord() && llvm::is_contained(row.words, *value.asWord())))
        continue;
      InFlightDiagnostic error = module->emitError()
                                 << key << ": `" << site << "` cannot be `" << value.str() << "`; it takes one of ";
      llvm::interleave(row.words, [&](StringRef word) { error << "`" << word << "`"; }, [&] { error << ", "; });
      return error;
    }
  return success();
}

LogicalResult SiteOptions::checkValues(Operation *module) const {
  KnobTable table = neutralKnobs();
  ArrayRef<Knob> knobs = table.find(key);
  for (const auto &entry : values) {
    const auto &[site, value] = entry;
    if (llvm::any_of(knobs, [&entry](const Knob &knob) { return knob.allows(entry.second); }))
      continue;
    InFlightDiagnostic error = module->emitError()
                               << key << ": `" << site << "` cannot be `" << value.str() << "`; it takes ";
    llvm::interleave(knobs, [&](const Knob &knob) { error << knob.allowed(); }, [&] { error << " or "; });
    return error;
  }
  return success();
}

const ConfigValue *SiteOptions::find(StringRef site) const {
  auto found = values.find(site);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<int64_t> SiteOptions::integer(StringRef site) const {
  const ConfigValue *value = find(site);
  return value && value->asInteger() ? std::optional(*value->asInteger()) : std::nullopt;
}

std::optional<StringRef> SiteOptions::word(StringRef site) const {
  const ConfigValue *value = find(site);
  return value && value->asWord() ? std::optional<StringRef>(*value->asWord()) : std::nullopt;
}

std::optional<ArrayRef<int64_t>> SiteOptions::list(StringRef site) const {
  const ConfigValue *value = find(site);
  return value && value->asList() ? std::optional<ArrayRef<int64_t>>(*value->asList()) : std::nullopt;
}
