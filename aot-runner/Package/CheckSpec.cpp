// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses specs that would give a package that does not build, or that breaks its contract at run time.
#include "aot-runner/Package/CppNames.h"
#include "aot-runner/Package/PackageSpec.h"
#include "dialect/Target/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace helion {

// The runtime's fixed sizes (aot-runner/runtime/Dispatch.h).
static constexpr size_t maxRank = 8, maxParameters = 24, maxOutputs = 8, maxFeatures = 16, maxWorkspaces = 8;

static Error limit(size_t seen, size_t most, const Twine &what) {
  if (seen <= most)
    return Error::success();
  return createStringError(what + " is " + Twine(seen) + ", a package can have at most " + Twine(most));
}

//===-- Objects --------------------------------------------------------------------------------------------------===//

static bool isCLibrary(StringRef symbol) { return symbol == "memcpy" || symbol == "memmove" || symbol == "memset"; }

static Expected<std::unique_ptr<object::ObjectFile>> readObject(const PackageVariant &variant) {
  MemoryBufferRef buffer(variant.object, "object of config `" + variant.configId + "`");
  Expected<std::unique_ptr<object::ObjectFile>> object = object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return createStringError("object of config `" + variant.configId + "`: " + toString(object.takeError()));
  return object;
}

/// The kernels of a GPU's binary or of a text in PTX. They lie as data in a package, so no name meets another's.
static Error readKernels(const PackageVariant &variant, StringSet<> &defined) {
  StringRef text = variant.object;
  if (!text.starts_with("\x7f"
                        "ELF")) {
    for (StringRef rest = text.split(".entry").second; !rest.empty(); rest = rest.split(".entry").second)
      defined.insert(rest.ltrim().take_while([](char c) { return isAlnum(c) || c == '_' || c == '$'; }));
    return Error::success();
  }
  Expected<std::unique_ptr<object::ObjectFile>> object = readObject(variant);
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols())
    if (Expected<StringRef> name = symbol.getName())
      defined.insert(*name);
    else
      return name.takeError();
  return Error::success();
}

/// Reads the object's global symbols; refuses undefined ones and definitions outside the kernel's names.
static Error readSymbols(const PackageSpec &spec, const PackageVariant &variant, StringSet<> &defined) {
  Expected<std::unique_ptr<object::ObjectFile>> object = readObject(variant);
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags ? Error::success() : flags.takeError(), name ? Error::success() : name.takeError());
    if (name->empty() || !(*flags & object::SymbolRef::SF_Global || *flags & object::SymbolRef::SF_Undefined))
      continue;
    if (*flags & object::SymbolRef::SF_Undefined) {
      if (!isCLibrary(*name) && *name != "_GLOBAL_OFFSET_TABLE_")
        return createStringError("object of config `" + variant.configId + "` needs `" + *name +
                                 "`; only memcpy, memmove and memset may be undefined");
      continue;
    }
    if (!name->starts_with(spec.kernel + "_"))
      return createStringError("object of config `" + variant.configId + "` defines `" + *name +
                               "`; symbols must start with `" + spec.kernel + "_`");
    defined.insert(*name);
  }
  return Error::success();
}

/// The object that defines each symbol. Variants may share one: configs that differ in nothing but the launch.
using Definitions = StringMap<StringRef>;

static Error checkObject(const PackageSpec &spec, const PackageVariant &variant, Definitions &definitions) {
  StringSet<> defined;
  bool launches = any_of(variant.manifest.plan.steps,
                         [](const PlanStep &step) { return std::holds_alternative<PlanLaunch>(step); });
  if (!launches)
    return Error::success();
  bool isGpu = !cantFail(parseDevice(variant.manifest.target))->cpu();
  if (Error error = isGpu ? readKernels(variant, defined) : readSymbols(spec, variant, defined))
    return error;
  for (const PlanStep &step : variant.manifest.plan.steps) {
    const auto *launch = std::get_if<PlanLaunch>(&step);
    if (launch && launch->block.has_value() != isGpu)
      return createStringError("`" + launch->symbol + "` of config `" + variant.configId + "` is launched with" +
                               (isGpu ? "out" : "") + " blocks of threads on `" + variant.manifest.target + "`");
    if (launch && !defined.contains(launch->symbol))
      return createStringError("object of config `" + variant.configId + "` lacks the symbol `" + launch->symbol +
                               "` of its plan");
  }
  for (const auto &symbol : defined)
    if (!isGpu && definitions.try_emplace(symbol.getKey(), variant.object).first->second != variant.object)
      return createStringError("two objects that differ define `" + symbol.getKey() + "`");
  return Error::success();
}

//===-- Signatures -----------------------------------------------------------------------------------------------===//

static Error checkDeviceNames(const PackageVariant &variant) {
  const Manifest &manifest = variant.manifest;
  Expected<const Device *> device = parseDevice(manifest.target);
  if (!device)
    return device.takeError();
  std::string unknown;
  auto visit = [&](const Leaf &leaf) {
    if (leaf.kind == Leaf::Kind::Device && leaf.name != "cores" && leaf.name != "sms" && !(*device)->fact(leaf.name))
      unknown = leaf.str();
  };
  for (const Pred &fact : manifest.facts)
    fact.walkLeaves(visit);
  for (const PlanWorkspace &workspace : manifest.plan.workspace)
    workspace.elements.walkLeaves(visit);
  for (const PlanStep &step : manifest.plan.steps) {
    if (const auto *fill = std::get_if<PlanFill>(&step)) {
      fill->elements.walkLeaves(visit);
      continue;
    }
    const auto &launch = std::get<PlanLaunch>(step);
    for (const SizeExpr &extent : launch.grid)
      extent.walkLeaves(visit);
    for (const PlanArgument &argument : launch.arguments) {
      argument.value.walkLeaves(visit);
      for (const SizeExpr &size : argument.map.sizes)
        size.walkLeaves(visit);
      for (const SizeExpr &stride : argument.map.strides)
        stride.walkLeaves(visit);
    }
  }
  if (unknown.empty())
    return Error::success();
  return createStringError("config `" + variant.configId + "` asks for `" + unknown + "`, which `" + manifest.target +
                           "` does not have");
}

/// What all variants of a signature must share, as one text.
static std::string callText(const Manifest &manifest) {
  std::string text;
  for (const Argument &argument : manifest.arguments)
    text += canonicalJson(toJson(argument)) + "\n";
  for (const PlanCheck &check : manifest.plan.checks)
    text += check.pred.str() + " " + check.message + "\n";
  for (const PlanOutput &output : manifest.plan.outputs) {
    text += output.name + " " + dtypeName(output.dtype).str();
    for (const SizeExpr &size : output.sizes)
      text += " [" + size.str() + "]";
    text += "\n";
  }
  return text;
}

static Error checkSizes(const Manifest &manifest) {
  const LaunchPlan &plan = manifest.plan;
  Error error = limit(manifest.arguments.size(), maxParameters, "the number of arguments");
  error = joinErrors(std::move(error), limit(plan.outputs.size(), maxOutputs, "the number of results"));
  error = joinErrors(std::move(error), limit(plan.workspace.size(), maxWorkspaces, "the number of workspace buffers"));
  for (const Argument &argument : manifest.arguments)
    error = joinErrors(std::move(error), limit(argument.rank, maxRank, "the rank of `" + argument.name + "`"));
  for (const PlanOutput &output : plan.outputs)
    error = joinErrors(std::move(error), limit(output.sizes.size(), maxRank, "the rank of `" + output.name + "`"));
  return error;
}

static Error checkVariants(const PackageSpec &spec, const PackageSignature &signature, Definitions &definitions) {
  StringSet<> ids;
  const Manifest &first = signature.variants.front().manifest;
  for (const PackageVariant &variant : signature.variants) {
    const Manifest &manifest = variant.manifest;
    StringRef id = variant.configId;
    if (id.size() != 8 || !all_of(id, isHexDigit))
      return createStringError("the config id `" + id + "` is not 8 hexadecimal digits");
    if (!ids.insert(id).second)
      return createStringError("the config id `" + id + "` is there twice in one signature");
    if (Error error = manifest.verify())
      return createStringError("config `" + id + "`: " + toString(std::move(error)));
    if (manifest.kernel != spec.kernel)
      return createStringError("config `" + id + "` is one of kernel `" + manifest.kernel + "`, not of `" +
                               spec.kernel + "`");
    Expected<const Device *> device = parseDevice(manifest.target);
    if (!device)
      return device.takeError();
    StringRef target = spec.signatures.front().variants.front().manifest.target;
    if (manifest.target != target && (target.starts_with("cpu:") || (*device)->cpu()))
      return createStringError("config `" + id + "` is for target `" + manifest.target + "`, others for `" + target +
                               "`; only a package for GPUs may hold several");
    if (callText(manifest) != callText(first))
      return createStringError("config `" + id + "` has other arguments, checks or results than config `" +
                               signature.variants.front().configId + "` of the same signature");
    if (Error error = checkDeviceNames(variant))
      return error;
    if (Error error = checkObject(spec, variant, definitions))
      return error;
  }
  return checkSizes(first);
}

//===-- Trees ----------------------------------------------------------------------------------------------------===//

/// Each of the further targets has one variant, which the tree does not know.
static Error checkTargets(const PackageSpec &spec, const PackageSignature &signature) {
  std::vector<std::string> targets = targetsOf(spec);
  if (signature.variants[signature.universal].manifest.target != targets.front())
    return createStringError("the universal variant is for `" +
                             signature.variants[signature.universal].manifest.target + "`, the package for `" +
                             targets.front() + "`");
  for (const std::string &target : ArrayRef(targets).drop_front()) {
    size_t count =
        count_if(signature.variants, [&](const PackageVariant &variant) { return variant.manifest.target == target; });
    if (count != 1)
      return createStringError("a signature has " + Twine(count) + " variants for `" + target +
                               "`; a further target has one");
  }
  auto isFurther = [&](int variant) { return signature.variants[variant].manifest.target != targets.front(); };
  for (const PackageNode &node : signature.tree)
    if ((node.variant >= 0 && isFurther(node.variant)) || any_of(node.next, isFurther))
      return createStringError("the dispatch tree names a variant of another target than `" + targets.front() + "`");
  return Error::success();
}

/// Each node is reached once, so the printed code ends and is no longer than the tree.
static Error checkTree(const PackageSignature &signature) {
  std::vector<bool> seen(signature.tree.size(), false);
  std::vector<int> open = {0};
  while (!open.empty()) {
    int index = open.back();
    open.pop_back();
    if (index < 0 || size_t(index) >= signature.tree.size() || seen[index])
      return createStringError("the dispatch tree reaches node " + Twine(index) + ", which is not there or twice");
    seen[index] = true;
    const PackageNode &node = signature.tree[index];
    if (node.variant >= 0) {
      if (size_t(node.variant) >= signature.variants.size())
        return createStringError("the dispatch tree names variant " + Twine(node.variant) + " of " +
                                 Twine(signature.variants.size()));
      for (int next : node.next)
        if (next < 0 || size_t(next) >= signature.variants.size())
          return createStringError("the dispatch tree falls back to variant " + Twine(next) + " of " +
                                   Twine(signature.variants.size()));
      continue;
    }
    if (node.feature < 0 || size_t(node.feature) >= signature.features.size())
      return createStringError("the dispatch tree asks for feature " + Twine(node.feature) + " of " +
                               Twine(signature.features.size()));
    open.insert(open.end(), {node.above, node.atMost});
  }
  return Error::success();
}

static Error checkFeatures(const PackageSignature &signature) {
  StringSet<> names;
  const Manifest &manifest = signature.variants.front().manifest;
  for (const PackageFeature &feature : signature.features) {
    if (!names.insert(cppName(feature.name)).second)
      return createStringError("the feature `" + feature.name + "` is there twice");
    std::string unknown;
    feature.value.walkLeaves([&](const Leaf &leaf) {
      const Argument *argument = manifest.findArgument(leaf.name);
      if (!argument || argument->kind == Argument::Kind::None || leaf.kind == Leaf::Kind::Device)
        unknown = leaf.str();
    });
    if (!unknown.empty())
      return createStringError("the feature `" + feature.name + "` asks for `" + unknown + "`, which is no argument");
  }
  for (const std::vector<int64_t> &row : signature.corpus)
    if (row.size() != signature.features.size())
      return createStringError("a corpus row has " + Twine(row.size()) + " values for " +
                               Twine(signature.features.size()) + " features");
  return limit(signature.features.size(), maxFeatures, "the number of features");
}

//===-- The whole ------------------------------------------------------------------------------------------------===//

/// All signatures become one C function.
static Error checkOneFunction(const PackageSpec &spec) {
  const Manifest &first = spec.signatures.front().variants.front().manifest;
  for (const PackageSignature &signature : ArrayRef(spec.signatures).drop_front()) {
    const Manifest &manifest = signature.variants.front().manifest;
    bool fits = manifest.arguments.size() == first.arguments.size() &&
                manifest.plan.outputs.size() == first.plan.outputs.size();
    for (size_t i = 0; fits && i < first.arguments.size(); ++i) {
      const Argument &a = first.arguments[i], &b = manifest.arguments[i];
      auto passedAs = [](const Argument &argument) {
        bool isScalar = argument.kind == Argument::Kind::Scalar || argument.kind == Argument::Kind::Fixed;
        return isScalar ? 1 + isFloat(argument.dtype) : 0;
      };
      fits = a.name == b.name && passedAs(a) == passedAs(b);
    }
    for (size_t o = 0; fits && o < first.plan.outputs.size(); ++o)
      fits = first.plan.outputs[o].name == manifest.plan.outputs[o].name;
    if (!fits)
      return createStringError("the signatures of `" + spec.kernel +
                               "` differ in the names, number or kinds of arguments or results, so they fit no one C "
                               "function");
  }
  return Error::success();
}

std::vector<std::string> targetsOf(const PackageSpec &spec) {
  std::vector<std::string> targets;
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      if (!is_contained(targets, variant.manifest.target))
        targets.push_back(variant.manifest.target);
  return targets;
}

const PackageVariant &furtherVariant(const PackageSignature &signature, StringRef target) {
  return *find_if(signature.variants, [&](const PackageVariant &variant) { return variant.manifest.target == target; });
}

Error checkSpec(const PackageSpec &spec) {
  if (!isIdentifier(spec.kernel) || cppName(spec.kernel) != spec.kernel)
    return createStringError("the kernel name `" + spec.kernel + "` cannot be the name of a C function");
  if (spec.signatures.empty())
    return createStringError("a package needs at least one signature");
  Definitions definitions;
  for (const PackageSignature &signature : spec.signatures) {
    if (signature.variants.empty())
      return createStringError("a signature needs at least one variant");
    if (signature.universal < 0 || size_t(signature.universal) >= signature.variants.size())
      return createStringError("the universal variant is " + Twine(signature.universal) + " of " +
                               Twine(signature.variants.size()));
    if (Error error = checkVariants(spec, signature, definitions))
      return error;
    if (Error error = checkFeatures(signature))
      return error;
    if (Error error = checkTree(signature))
      return error;
    if (Error error = checkTargets(spec, signature))
      return error;
  }
  return checkOneFunction(spec);
}

} // namespace helion
