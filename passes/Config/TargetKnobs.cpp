// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/TargetKnobs.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace helion;

namespace {
struct KnobSources : DialectInterface::Base<KnobSources> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnobSources)
  explicit KnobSources(Dialect *dialect) : Base(dialect) {}
  std::map<std::string, KnobSource, std::less<>> byVendor;
};
} // namespace

/// Interfaces are handed out const; sources are added only while the dialect is loaded.
static KnobSources *sourcesOf(Dialect *dialect) {
  return const_cast<KnobSources *>(dialect->getRegisteredInterface<KnobSources>());
}

void helion::addTargetKnobs(HelionDialect *dialect, StringRef vendor, KnobSource source) {
  if (!sourcesOf(dialect))
    dialect->addInterfaces<KnobSources>();
  sourcesOf(dialect)->byVendor.emplace(vendor.str(), source);
}

llvm::Expected<KnobTable> helion::knobsOf(MLIRContext *context, StringRef target) {
  if (target.empty())
    return neutralKnobs();
  KnobSources *sources = sourcesOf(context->getOrLoadDialect<HelionDialect>());
  if (sources) {
    auto found = sources->byVendor.find(target.split(':').first);
    if (found != sources->byVendor.end())
      return found->second(target);
  }
  std::string known;
  if (sources)
    for (const auto &[vendor, source] : sources->byVendor)
      known += (known.empty() ? "`" : ", `") + vendor + ":..`";
  return llvm::createStringError("target `" + target + "` is not known; " +
                                 (known.empty() ? "this tool has none" : "this tool has " + known));
}
