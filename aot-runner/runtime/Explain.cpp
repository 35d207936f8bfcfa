// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text behind a package's `_explain`: which variant a call gets, and why, in a few lines.
#include "Dispatch.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace HELION_RUNTIME {

namespace {
/// Counts all of the text and keeps what fits.
class Text {
public:
  Text(char *buffer, size_t size) : buffer(buffer), size(size) {
    if (size > 0)
      buffer[0] = 0;
  }

  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool fits = length < size;
    int added = std::vsnprintf(fits ? buffer + length : nullptr, fits ? size - length : 0, format, arguments);
    va_end(arguments);
    length += added > 0 ? size_t(added) : 0;
  }

  size_t bytes() const { return length; }

private:
  char *buffer;
  size_t size;
  size_t length = 0;
};
} // namespace

static void addFeatures(const Signature &signature, const int64_t *values, Text &text) {
  for (int f = 0; f < signature.featureCount; ++f)
    text.add("%s%s = %" PRId64, f == 0 ? "" : ", ", signature.features[f], values[f]);
}

static void addRanges(const Signature &signature, const int64_t *values, Text &text) {
  const char *separator = "";
  for (int f = 0; f < signature.featureCount && signature.corpusRows > 0; ++f) {
    int64_t low = signature.ranges[2 * f], high = signature.ranges[2 * f + 1];
    if (values[f] >= low && values[f] <= high)
      continue;
    text.add("%s%s was measured from %" PRId64 " to %" PRId64, separator, signature.features[f], low, high);
    separator = ", ";
  }
}

static void addCorpus(const Signature &signature, const Choice &choice, const int64_t *values, Text &text) {
  if (choice.target != 0)
    return text.add("corpus: nothing was measured for this target\n");
  if (signature.corpusRows == 0)
    return text.add("corpus: empty\n");
  if (choice.inCorpus)
    return text.add("corpus: this shape was measured\n");
  if (choice.inRange)
    return text.add("corpus: not measured, between measured shapes\n");
  text.add("corpus: outside of what was measured: ");
  addRanges(signature, values, text);
  text.add("\n");
}

static void addChoice(const Package &package, const Call &call, const Choice &choice, Text &text) {
  const Signature &signature = package.signatures[choice.signature];
  const Variant &variant = signature.variants[choice.variant];
  const Variant &leafVariant = signature.variants[choice.leafVariant];
  int64_t values[maxFeatures];
  signature.featureValues(call, values);
  Leaf leaf = signature.choose(call);
  text.add("%s: config %s of %d, signature %d (%s), target %s\n", package.name, variant.id, signature.variantCount,
           choice.signature, signature.text, package.targets[choice.target]);
  text.add("tree: config %s%s%s", leafVariant.id, *leaf.why ? " because " : "", leaf.why);
  if (signature.featureCount > 0) {
    text.add("; here ");
    addFeatures(signature, values, text);
  }
  text.add("\n");
  if (choice.reason == ReasonTree)
    text.add("facts: all that config %s relies on hold\n", variant.id);
  else
    text.add("facts: `%s` does not hold, which config %s relies on, so %s %s runs\n",
             leafVariant.facts[choice.failedFact], leafVariant.id,
             choice.reason == ReasonFallback ? "the universal config" : "the nearest config whose facts hold,",
             variant.id);
  addCorpus(signature, choice, values, text);
  text.add("config: %s\n", variant.config);
}

size_t explain(const Package &package, const Passed *passed, char *buffer, size_t size) {
  Text text(buffer, size);
  Choice choice;
  Status status = choose(package, passed, choice);
  if (status != StatusOk) {
    text.add("%s: %s\n", package.name, message(package, status));
    return text.bytes();
  }
  const Signature &signature = package.signatures[choice.signature];
  Tensor tensors[maxParameters];
  for (int i = 0; i < package.parameterCount; ++i)
    if (signature.parameters[i].kind == Parameter::Kind::Tensor)
      readTensor(*passed[i].tensor, signature.parameters[i].bytes, tensors[i]);
  Call call = {passed, tensors};
  call.target = choice.target;
  addChoice(package, call, choice, text);
  return text.bytes();
}

} // namespace HELION_RUNTIME
