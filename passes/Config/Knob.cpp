// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Config/Knob.h"
#include "dialect/IR/SizeExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace helion {

#include "passes/Config/Knobs.inc"

const KnobRows &neutralKnobRows() {
  static constexpr KnobRows rows{passRows, knobRows, ignoredRows};
  return rows;
}

KnobTable neutralKnobs() {
  return KnobTable(neutralKnobRows(), [](StringRef) { return std::nullopt; });
}

//===-- Ranges ----------------------------------------------------------------------------------------------------===//

bool Span::contains(int64_t value) const {
  if (value < low || value > high)
    return false;
  return step ? (value - low) % step == 0 : value >> countr_zero(uint64_t(value)) <= odd;
}

std::vector<int64_t> Span::all() const {
  std::vector<int64_t> values;
  for (int64_t value = low; step && value <= high; value += step)
    values.push_back(value);
  for (int64_t factor = 1; !step && factor <= odd; factor += 2)
    for (int64_t value = factor; value <= high; value *= 2)
      if (value >= low)
        values.push_back(value);
  llvm::sort(values);
  return values;
}

std::string Span::str() const {
  std::string text = std::to_string(low) + ".." + std::to_string(high);
  if (step == 0)
    return text + " (powers of two" + (odd > 1 ? " times odd numbers up to " + std::to_string(odd) + ")" : ")");
  return step == 1 ? text : text + " in steps of " + std::to_string(step);
}

static bool isPermutation(const std::vector<int64_t> &list) {
  std::vector<int64_t> sorted = list;
  llvm::sort(sorted);
  for (auto [index, element] : enumerate(sorted))
    if (element != static_cast<int64_t>(index))
      return false;
  return list.size() >= 2;
}

static bool allowsList(ArrayRef<Span> spans, const std::vector<int64_t> &list) {
  return list.size() == spans.size() &&
         all_of(zip(spans, list), [](auto pair) { return std::get<0>(pair).contains(std::get<1>(pair)); });
}

bool Knob::allows(const ConfigValue &value) const {
  if (const int64_t *integer = value.asInteger())
    return kind == ValueKind::Integer && spans[0].contains(*integer);
  if (const std::vector<int64_t> *list = value.asList())
    return kind == ValueKind::Permutation ? isPermutation(*list) : kind == ValueKind::List && allowsList(spans, *list);
  if (kind == ValueKind::Flag)
    return value == ConfigValue::flag(true) || value == ConfigValue::flag(false);
  return is_contained(words, *value.asWord());
}

std::string Knob::allowed() const {
  std::string quoted;
  for (StringRef word : words)
    quoted += (quoted.empty() ? "`" : ", `") + word.str() + "`";
  switch (kind) {
  case ValueKind::Flag:
    return "the bare site";
  case ValueKind::Integer:
    return "an integer in " + spans[0].str() + (quoted.empty() ? "" : " or " + quoted);
  case ValueKind::Word:
    return "one of " + quoted;
  case ValueKind::Permutation:
    return "a permutation of the loop's dims, such as `[1,0]`";
  case ValueKind::List:
    break;
  }
  std::string elements;
  for (const Span &span : spans)
    elements += (elements.empty() ? "" : ", ") + span.str();
  return "a list `[" + elements + "]`" + (quoted.empty() ? "" : " or " + quoted);
}

//===-- The table -------------------------------------------------------------------------------------------------===//

struct KnobTable::Data {
  std::vector<StringRef> passes;
  std::vector<Knob> knobs;
  std::vector<IgnoredKeyRow> ignored;
};

using FactValue = function_ref<std::optional<int64_t>(StringRef)>;

/// Bounds come from our own tables, so an error in one is a bug that building any table of the target shows.
static int64_t evaluate(StringRef text, FactValue fact) {
  return cantFail(cantFail(SizeExpr::parse(text)).evaluate([&](const Leaf &leaf) { return fact(leaf.name); }));
}

static Span evaluate(const SpanRow &row, FactValue fact) {
  Span span{
      evaluate(row.low, fact), evaluate(row.high, fact), row.step.empty() ? 0 : evaluate(row.step, fact), {}, row.odd};
  if (!row.preset.empty())
    span.preset = evaluate(row.preset, fact);
  return span;
}

static std::vector<ConfigValue> splitValues(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  std::vector<ConfigValue> values;
  for (StringRef part : parts)
    values.push_back(cantFail(ConfigValue::parse(part)));
  return values;
}

/// The row's own default, or that of its spans.
static std::optional<ConfigValue> presetOf(const KnobRow &row, ArrayRef<Span> spans) {
  if (!row.preset.empty())
    return cantFail(ConfigValue::parse(row.preset));
  std::vector<int64_t> list;
  for (const Span &span : spans)
    if (span.preset)
      list.push_back(*span.preset);
  if (list.empty() || list.size() != spans.size())
    return std::nullopt;
  return row.value == ValueKind::List ? ConfigValue(list) : ConfigValue(list[0]);
}

static Knob evaluate(const KnobRow &row, FactValue fact) {
  Knob knob{row.name, row.pass, row.summary, row.site, row.value, {}, {}, row.samples.vec(), {},        {},
            {},       {},       {},          {},       {},        {}, {}, row.copies,        row.helion};
  for (const SpanRow &span : row.spans)
    knob.spans.push_back(evaluate(span, fact));
  knob.words.assign(row.words.begin(), row.words.end());
  for (const NeedRow &need : row.needs)
    knob.needs.push_back({need.knob, splitValues(need.values)});
  for (StringRef word : row.persistent)
    knob.persistent.push_back(ConfigValue::word(word));
  knob.preset = presetOf(row, knob.spans);
  if (!row.universal.empty())
    knob.universal = cantFail(ConfigValue::parse(row.universal));
  if (!row.elements.empty())
    knob.elements = evaluate(row.elements, fact);
  if (!row.mostElements.empty())
    knob.mostElements = evaluate(row.mostElements, fact);
  if (!row.sharedBytes.empty())
    knob.sharedBytes = evaluate(row.sharedBytes, fact);
  if (!row.matrix.empty())
    knob.matrix =
        MatrixShape{evaluate(row.matrix[0], fact), evaluate(row.matrix[1], fact), evaluate(row.matrix[2], fact)};
  if (const auto &group = row.groupMatrix; !group.empty())
    knob.groupMatrix = GroupMatrix{{evaluate(group[0], fact), evaluate(group[1], fact), evaluate(group[2], fact)},
                                   evaluate(group[3], fact)};
  return knob;
}

KnobTable::KnobTable(ArrayRef<KnobRows> groups, FactValue fact) {
  auto made = std::make_shared<Data>();
  std::vector<ChoicePassRow> passes;
  auto isPass = [&](StringRef name) {
    return any_of(passes, [&](const ChoicePassRow &row) { return row.name == name; });
  };
  for (const KnobRows &group : groups) {
    for (const ChoicePassRow &row : group.passes)
      if (row.fact.empty() || fact(row.fact))
        passes.push_back(row);
    for (const KnobRow &row : group.knobs)
      if (isPass(row.pass) && (row.fact.empty() || fact(row.fact)))
        made->knobs.push_back(evaluate(row, fact));
    made->ignored.insert(made->ignored.end(), group.ignored.begin(), group.ignored.end());
  }
  erase_if(made->ignored, [&](const IgnoredKeyRow &row) {
    return any_of(made->knobs, [&](const Knob &knob) { return knob.helion.key == row.key; });
  });
  llvm::sort(passes, [](const ChoicePassRow &a, const ChoicePassRow &b) { return a.order < b.order; });
  for (const ChoicePassRow &row : passes)
    made->passes.push_back(row.name);
  auto place = [&](const Knob &knob) {
    return std::make_tuple(llvm::find(made->passes, knob.pass) - made->passes.begin(), knob.name, knob.site);
  };
  llvm::sort(made->knobs, [&](const Knob &a, const Knob &b) { return place(a) < place(b); });
  data = std::move(made);
}

ArrayRef<StringRef> KnobTable::passes() const { return data->passes; }
ArrayRef<Knob> KnobTable::knobs() const { return data->knobs; }

ArrayRef<Knob> KnobTable::find(StringRef name) const {
  auto hasName = [&](const Knob &knob) { return knob.name == name; };
  ArrayRef<Knob> all = data->knobs;
  return all.drop_until(hasName).take_while(hasName);
}

const ConfigValue *KnobTable::preset(StringRef name) const {
  ArrayRef<Knob> named = find(name);
  return named.size() == 1 && named[0].preset ? &*named[0].preset : nullptr;
}

std::optional<StringRef> KnobTable::ignored(StringRef helionKey) const {
  for (const IgnoredKeyRow &row : data->ignored)
    if (row.key == helionKey)
      return row.reason;
  return std::nullopt;
}

} // namespace helion
