// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/PackageText.h"
#include "aot-runner/Package/CallModule.h"
#include "aot-runner/Package/CheckSource.h"
#include "aot-runner/Package/CppNames.h"
#include "aot-runner/Package/ImageText.h"
#include "aot-runner/Package/PlanText.h"
#include "aot-runner/Package/Template.h"
#include "dialect/Target/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace llvm;

namespace helion {

static bool isForCpu(const PackageSpec &spec) { return StringRef(targetsOf(spec).front()).starts_with("cpu:"); }

//===-- Names and texts ------------------------------------------------------------------------------------------===//

/// Sizes of one tensor, dim by dim, where a signature fixes them.
using FixedSizes = std::vector<std::optional<int64_t>>;

/// `x f32[2]`, `y f32[?,64]`, `n i64`, `eps f32`, `bias none`, `k i64 = 64`
static std::string argumentText(const Argument &argument, const FixedSizes &fixed) {
  std::string type = dtypeName(argument.dtype).str(), sizes;
  switch (argument.kind) {
  case Argument::Kind::Tensor:
    for (std::optional<int64_t> size : fixed)
      sizes += (sizes.empty() ? "" : ",") + (size ? std::to_string(*size) : "?");
    return argument.name + " " + type + "[" + (fixed.empty() ? std::to_string(argument.rank) : sizes) + "]";
  case Argument::Kind::Scalar:
    return argument.name + " " + type;
  case Argument::Kind::None:
    return argument.name + " none";
  case Argument::Kind::Fixed:
    return argument.name + " " + type + " = " + canonicalJson(argument.value.json());
  }
  llvm_unreachable("all kinds are handled");
}

static const Manifest &callOf(const PackageSignature &signature) { return signature.variants.front().manifest; }

/// What all variants demand of a tensor's sizes to be: calls with others are of another signature. Empty where nothing
/// is demanded.
static FixedSizes fixedSizes(const PackageSignature &signature, const Argument &argument) {
  FixedSizes fixed;
  for (const Pred &fact : callOf(signature).facts) {
    bool isSize = !fact.isOverlap() && fact.op() == Pred::Compare::EQ && fact.rhs().asConstant() &&
                  fact.lhs().kind() == SizeExpr::Kind::Leaf && fact.lhs().leaf().kind == Leaf::Kind::Size &&
                  fact.lhs().leaf().name == argument.name;
    if (!isSize || !all_of(signature.variants,
                           [&](const PackageVariant &variant) { return is_contained(variant.manifest.facts, fact); }))
      continue;
    fixed.resize(argument.rank);
    fixed[fact.lhs().leaf().index] = fact.rhs().asConstant();
  }
  return fixed;
}

static std::string signatureText(const PackageSignature &signature) {
  std::vector<std::string> texts;
  for (const Argument &argument : callOf(signature).arguments)
    texts.push_back(argumentText(argument, fixedSizes(signature, argument)));
  return join(texts, ", ");
}

static std::string configName(const PackageVariant &variant) { return "CONFIG_" + variant.configId; }

static std::string percentless(double value) { return formatv("{0:f3}", value); }

static PassedAs passedAs(const PackageSpec &spec, size_t index) {
  std::vector<const Manifest *> manifests;
  for (const PackageSignature &signature : spec.signatures)
    manifests.push_back(&callOf(signature));
  return passedAs(manifests, index);
}

//===-- The decision tree ----------------------------------------------------------------------------------------===//

namespace {
/// The lists of variants behind the leaves, each once.
class NextLists {
public:
  explicit NextLists(const PackageSignature &signature) : signature(signature) {}

  std::string nameOf(const PackageNode &leaf) {
    std::vector<int> list;
    bool isFurther =
        signature.variants[leaf.variant].manifest.target != signature.variants[signature.universal].manifest.target;
    int last = isFurther ? leaf.variant : signature.universal;
    for (int variant : leaf.next)
      if (variant != last)
        list.push_back(variant);
    list.push_back(last);
    size_t index = find(lists, list) - lists.begin();
    if (index == lists.size())
      lists.push_back(std::move(list));
    return "after_" + std::to_string(index);
  }

  std::string print() const {
    std::string text;
    for (auto [index, list] : enumerate(lists)) {
      text += formatv("const int after_{0}[] = {{", index);
      for (int variant : list)
        text += configName(signature.variants[variant]) + ", ";
      text += "};\n";
    }
    return text;
  }

private:
  const PackageSignature &signature;
  std::vector<std::vector<int>> lists;
};

/// Prints a tree as nested ifs; each leaf carries the conditions on its path.
class TreePrinter {
public:
  TreePrinter(const PackageSignature &signature, NextLists &nextLists) : signature(signature), nextLists(nextLists) {}

  /// Before the tree the further targets, each with its variant.
  std::string print(ArrayRef<std::string> further) {
    for (auto [index, target] : enumerate(further)) {
      PackageNode leaf;
      leaf.variant = &furtherVariant(signature, target) - signature.variants.data();
      text += formatv("if (call.target == {0})\n", index + 1);
      printLeaf(leaf, ("the device runs " + target + ", for which nothing was measured"));
    }
    printNode(0, "");
    return text;
  }

private:
  void printLeaf(const PackageNode &leaf, const std::string &path) {
    text += formatv("return {{{0}, {1}, {2}};\n", configName(signature.variants[leaf.variant]), cppQuoted(path),
                    nextLists.nameOf(leaf));
  }

  void printNode(int index, const std::string &path) {
    const PackageNode &node = signature.tree[index];
    if (node.variant >= 0)
      return printLeaf(node, path);
    std::string name = signature.features[node.feature].name, threshold = integerLiteral(node.threshold);
    std::string separator = path.empty() ? "" : " and ";
    text += formatv("if ({0} <= {1}) {{\n", cppName(name), threshold);
    printNode(node.atMost, path + separator + name + " <= " + threshold);
    text += "}\n";
    printNode(node.above, path + separator + name + " > " + threshold);
  }

  const PackageSignature &signature;
  NextLists &nextLists;
  std::string text;
};
} // namespace

//===-- Values of the places -------------------------------------------------------------------------------------===//

/// The verdict on the goal, against what, and of how much of the corpus that is said. Lines are short enough to stay.
static void addGoal(const PackageFigures &figures, std::vector<std::string> &lines) {
  std::string text =
      formatv("goal {0} <= {1}: {2}; ", figures.goal, shortestReal(figures.threshold), aot::name(figures.outcome));
  bool isMeasured = !std::isnan(figures.mean);
  lines.push_back(text + (isMeasured ? formatv("worst {0}, mean {1}, against the best of {2} measured artifacts",
                                               percentless(figures.worst), percentless(figures.mean), figures.pool)
                                           .str()
                                     : "nothing was measured, so only universal configs are here"));
  constexpr int64_t kUsual = 64;
  lines.push_back(figures.poolWhole ? std::string("pool: the whole space of legal configs")
                                    : formatv("pool: {0} artifacts drawn at random from all legal configs{1}",
                                              figures.poolRandom, figures.pool < kUsual ? "; fewer than 64 in all" : "")
                                          .str());
  if (figures.unmeasured)
    lines.push_back(formatv("{0} rows of the corpus were not measured before the budget ended", figures.unmeasured));
}

static std::string bannerText(const PackageSpec &spec, StringRef comment) {
  const PackageFigures &figures = spec.figures;
  const Manifest &manifest = callOf(spec.signatures.front());
  size_t configs = 0;
  for (const PackageSignature &signature : spec.signatures)
    configs += signature.variants.size();
  std::vector<std::string> lines = {
      formatv("{0}: written by helion-aot {1} from kernel {2}; do not edit", spec.kernel, spec.toolVersion,
              spec.kernelHash),
      formatv("target {0}, LLVM {1}", manifest.target, manifest.toolchain.llvm),
  };
  if (targetsOf(spec).size() > 1)
    lines.push_back("not measured, one config for all sizes: " + join(ArrayRef(heldForms(spec)).drop_front(), ", "));
  if (!cantFail(parseDevice(manifest.target))->cpu())
    lines.push_back("needs a driver of CUDA 12.0 or newer");
  addGoal(figures, lines);
  lines.push_back(figures.heldOut ? formatv("held-out shapes: worst {0}", percentless(*figures.heldOut)).str()
                                  : std::string("held-out shapes: none"));
  std::string set = formatv("{0} configs for {1} signature(s)", configs, spec.signatures.size());
  if (figures.smallestSet)
    set += formatv("; fewest that meet the goal: {0}", *figures.smallestSet);
  if (figures.smallestRealisable)
    set += formatv("; fewest with which a tree does: {0}", *figures.smallestRealisable);
  lines.push_back(set);
  std::string text;
  for (const std::string &line : lines)
    text += (comment + " " + cppComment(line) + "\n").str();
  return text;
}

static bool isWritten(const PackageSpec &spec, size_t index) {
  return any_of(spec.signatures,
                [&](const PackageSignature &signature) { return callOf(signature).arguments[index].writes; });
}

static void addParameters(const PackageSpec &spec, TemplateValues &values) {
  std::string parameters, passed, outputParameters, outputNames;
  for (auto [index, argument] : enumerate(callOf(spec.signatures.front()).arguments)) {
    std::string name = cppName(argument.name);
    switch (passedAs(spec, index)) {
    case PassedAs::Tensor:
      parameters += (isWritten(spec, index) ? "DLTensor *" : "const DLTensor *") + name + ", ";
      passed += "{" + name + ", 0, 0}, ";
      break;
    case PassedAs::Real:
      parameters += "double " + name + ", ";
      passed += "{nullptr, 0, " + name + "}, ";
      break;
    case PassedAs::Integer:
      parameters += "int64_t " + name + ", ";
      passed += "{nullptr, " + name + ", 0}, ";
      break;
    }
  }
  for (const PlanOutput &output : callOf(spec.signatures.front()).plan.outputs) {
    outputParameters += "DLTensor *" + cppName(output.name) + ", ";
    outputNames += cppName(output.name) + ", ";
  }
  // A kernel without arguments still needs one element.
  values.texts["passed"] = passed.empty() ? "{nullptr, 0, 0}" : passed;
  values.texts["parameters"] = parameters;
  values.texts["outputParameters"] = outputParameters;
  values.texts["outputNames"] = outputNames;
}

static std::string parameterRow(const Argument &argument, StringRef sizes) {
  std::string kind, integer = "0", real = "0";
  unsigned rank = 0;
  switch (argument.kind) {
  case Argument::Kind::Tensor:
    kind = "Tensor";
    rank = argument.rank;
    break;
  case Argument::Kind::None:
    kind = "None";
    break;
  case Argument::Kind::Scalar:
    kind = isFloat(argument.dtype) ? "Real" : "Integer";
    break;
  case Argument::Kind::Fixed:
    kind = isFloat(argument.dtype) ? "FixedReal" : "FixedInteger";
    integer = integerLiteral(argument.value.integer);
    real = realLiteral(argument.value.real);
    break;
  }
  return formatv("{{runtime::Parameter::Kind::{0}, {1}, {2}, {3}, {4}, {5}, {6}},\n", kind,
                 dtypeEnumerator(argument.dtype), rank, integer, real, argument.writes ? "true" : "false", sizes);
}

static void addArguments(const PackageSpec &spec, const PackageSignature &signature, TemplateValues &values) {
  std::string members, memberValues, table, sizes;
  for (auto [index, argument] : enumerate(callOf(signature).arguments)) {
    std::string name = cppName(argument.name);
    FixedSizes fixed = fixedSizes(signature, argument);
    table += parameterRow(argument, fixed.empty() ? "nullptr" : "sizesOf_" + name);
    if (!fixed.empty()) {
      std::vector<std::string> literals;
      for (std::optional<int64_t> size : fixed)
        literals.push_back(integerLiteral(size.value_or(-1)));
      sizes += "const int64_t sizesOf_" + name + "[] = {" + join(literals, ", ") + "};\n";
    }
    std::string at = std::to_string(index);
    bool isTensor = argument.kind == Argument::Kind::Tensor;
    if (argument.kind == Argument::Kind::None)
      continue;
    bool isReal = !isTensor && passedAs(spec, index) == PassedAs::Real;
    members += (isTensor ? "const runtime::Tensor &" : isReal ? "double " : "int64_t ") + name + ";\n";
    memberValues += (memberValues.empty() ? "" : ", ") +
                    (isTensor ? "call.tensors[" + at + "]" : "call.passed[" + at + "]") +
                    (isTensor ? ""
                     : isReal ? ".real"
                              : ".integer");
  }
  values.texts["members"] = members;
  values.texts["memberValues"] = memberValues;
  values.texts["parameterTable"] = table;
  values.texts["fixedSizes"] = sizes;
}

static TemplateValues variantValues(const PackageVariant &variant) {
  PlanText plan(variant.manifest);
  TemplateValues values;
  std::string facts;
  for (const Pred &fact : variant.manifest.facts)
    facts += cppQuoted(fact.str()) + ", ";
  if (plan.takesMaps())
    facts += cppQuoted("the driver makes tensor maps") + ", ";
  values.texts = {
      {"name", "config_" + variant.configId},
      {"idText", cppQuoted(variant.configId)},
      {"configText", cppQuoted(variant.manifest.config)},
      {"facts", facts},
      {"factChecks", plan.factChecks()},
      {"workspaceSizes", plan.workspaceSizes()},
      {"steps", plan.steps()},
      {"scratchBytes", integerLiteral(variant.manifest.resources.scratchBytes)},
      {"codeBytes", integerLiteral(variant.manifest.resources.codeBytes)},
      {"workspaceCount", std::to_string(variant.manifest.plan.workspace.size())},
      {"takesMaps", plan.takesMaps() ? "true" : "false"},
  };
  return values;
}

static void addFeatures(const PackageSignature &signature, TemplateValues &values) {
  PlanText plan(callOf(signature));
  std::string declarations, assignments, names, corpus, ranges;
  for (auto [index, feature] : enumerate(signature.features)) {
    std::string value = plan.expression(feature.value);
    // Only what the tree asks for is named in it.
    bool isAsked = any_of(signature.tree, [index = int(index)](const PackageNode &node) {
      return node.variant < 0 && node.feature == index;
    });
    if (isAsked)
      declarations += formatv("const int64_t {0} = {1};\n", cppName(feature.name), value);
    assignments += formatv("values[{0}] = {1};\n", index, value);
    names += cppQuoted(feature.name) + ", ";
  }
  const std::set<std::vector<int64_t>> rows(signature.corpus.begin(), signature.corpus.end());
  for (const std::vector<int64_t> &row : rows)
    for (int64_t value : row)
      corpus += integerLiteral(value) + ", ";
  for (size_t f = 0; f < signature.features.size() && !rows.empty(); ++f) {
    int64_t least = (*rows.begin())[f], most = least;
    for (const std::vector<int64_t> &row : rows) {
      least = std::min(least, row[f]);
      most = std::max(most, row[f]);
    }
    ranges += integerLiteral(least) + ", " + integerLiteral(most) + ", ";
  }
  values.texts["features"] = declarations;
  values.texts["featureValues"] = assignments;
  values.texts["featureNames"] = names;
  values.texts["featureCount"] = std::to_string(signature.features.size());
  values.texts["corpus"] = corpus;
  values.texts["corpusRows"] = std::to_string(rows.size());
  values.texts["ranges"] = ranges;
}

static void addOutputsAndChecks(const Manifest &manifest, TemplateValues &values) {
  PlanText plan(manifest);
  std::string table, messages;
  for (const PlanOutput &output : manifest.plan.outputs)
    table += formatv("{{{0}, {1}}, ", dtypeEnumerator(output.dtype), output.sizes.size());
  for (const PlanCheck &check : manifest.plan.checks)
    messages += cppQuoted(check.message) + ", ";
  values.texts["outputTable"] = table;
  values.texts["outputSizes"] = plan.outputSizes();
  values.texts["checks"] = plan.checks();
  values.texts["checkFunction"] = manifest.plan.checks.empty() ? "nullptr" : "failingCheck";
  values.texts["checkMessages"] = messages;
}

static TemplateValues signatureValues(const PackageSpec &spec, size_t index, size_t firstCheck) {
  const PackageSignature &signature = spec.signatures[index];
  TemplateValues values;
  std::vector<std::string> targets = targetsOf(spec);
  std::string universals = configName(signature.variants[signature.universal]) + ", ";
  for (const std::string &target : ArrayRef(targets).drop_front())
    universals += configName(furtherVariant(signature, target)) + ", ";
  std::string text = signatureText(signature), configNames, rows;
  for (auto [position, variant] : enumerate(signature.variants)) {
    configNames += formatv("{0} = {1}, // {2}\n", configName(variant), position, cppComment(variant.manifest.config));
    values.lists["variants"].push_back(variantValues(variant));
    rows += formatv("config_{0}::row, ", variant.configId);
  }
  NextLists nextLists(signature);
  values.texts = {
      {"index", std::to_string(index)},
      {"text", cppComment(text)},
      {"name", "signature_" + std::to_string(index)},
      {"quotedText", cppQuoted(text)},
      {"nearest", cppQuoted("no signature takes these arguments; the nearest is " + text)},
      {"configNames", configNames},
      {"variantRows", rows},
      {"tree", TreePrinter(signature, nextLists).print(ArrayRef(targets).drop_front())},
      {"firstCheck", std::to_string(firstCheck)},
      {"variantCount", std::to_string(signature.variants.size())},
      {"universals", universals},
  };
  values.texts["nextLists"] = nextLists.print();
  addArguments(spec, signature, values);
  addFeatures(signature, values);
  addOutputsAndChecks(callOf(signature), values);
  return values;
}

/// The symbols that the plans launch, each once, in order.
static std::vector<std::string> launchedSymbols(const PackageSpec &spec) {
  std::vector<std::string> symbols;
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      for (const PlanStep &step : variant.manifest.plan.steps)
        if (const auto *launch = std::get_if<PlanLaunch>(&step); launch && !is_contained(symbols, launch->symbol))
          symbols.push_back(launch->symbol);
  return symbols;
}

//===-- Kernels ---------------------------------------------------------------------------------------------------===//

/// Kernels of a CPU are functions.
static void addFunctions(const PackageSpec &spec, TemplateValues &values) {
  std::string declarations;
  for (const std::string &symbol : launchedSymbols(spec))
    declarations += "void " + symbol + "(const int64_t *, const int64_t *, int64_t, int64_t, void *);\n";
  values.texts["kernels"] = "extern \"C\" {\n" + declarations + "}\n";
  values.texts["kernelTable"] = "nullptr";
  values.texts["kernelCount"] = "0";
  values.texts["mapTable"] = "nullptr";
  values.texts["mapCount"] = "0";
  values.texts["mapStatuses"] = "";
}

/// The runtime's files for a kind of device: all but the other's.
static std::vector<StringRef> runtimeFiles(const PackageSpec &spec) {
  static constexpr StringLiteral ofCpu[] = {"runtime/Cpu.", "runtime/DispatchCpu.", "runtime/Fill.",
                                            "runtime/ThreadPool."};
  static constexpr StringLiteral ofCuda[] = {"runtime/Cuda", "runtime/DispatchCuda."};
  bool isCpu = isForCpu(spec);
  std::vector<StringRef> names = embeddedRuntimeFiles();
  erase_if(names, [&](StringRef name) {
    return any_of(isCpu ? ArrayRef(ofCuda) : ArrayRef(ofCpu),
                  [&](StringRef prefix) { return name.starts_with(prefix); });
  });
  return names;
}

static void addSignatures(const PackageSpec &spec, TemplateValues &values) {
  std::string checkStatuses, signatureStatuses, firstVariants, rows;
  size_t checkCount = 0, variantCount = 0;
  std::string prefix = StringRef(spec.kernel).upper();
  for (auto [index, signature] : enumerate(spec.signatures)) {
    values.lists["signatures"].push_back(signatureValues(spec, index, checkCount));
    signatureStatuses += formatv("{0}_NEAREST_SIGNATURE_{1} = {2}, // {3}\n", prefix, index, 1024 + index,
                                 cppComment(signatureText(signature)));
    firstVariants += std::to_string(variantCount) + ", ";
    rows += formatv("signature_{0}::row, ", index);
    for (const PlanCheck &check : callOf(signature).plan.checks) {
      checkStatuses +=
          formatv("{0}_CHECK_{1} = {2}, // {3}\n", prefix, checkCount, 64 + checkCount, cppComment(check.message));
      ++checkCount;
    }
    for (auto [position, variant] : enumerate(signature.variants)) {
      TemplateValues row = variantValues(variant);
      row.texts["signature"] = std::to_string(index);
      bool isFurther = variant.manifest.target != targetsOf(spec).front();
      row.texts["isUniversal"] = isFurther || int(position) == signature.universal ? "1" : "0";
      row.texts["targetText"] = cppQuoted(variant.manifest.target);
      row.texts["facts"] = formatv("signature_{0}::config_{1}::facts", index, variant.configId);
      values.lists["allVariants"].push_back(row);
      ++variantCount;
    }
  }
  values.texts["checkStatuses"] = checkStatuses;
  values.texts["signatureStatuses"] = signatureStatuses;
  values.texts["firstVariants"] = firstVariants;
  values.texts["signatureRows"] = rows;
}

static TemplateValues cppValues(const PackageSpec &spec) {
  TemplateValues values;
  const Manifest &manifest = callOf(spec.signatures.front());
  isForCpu(spec) ? addFunctions(spec, values) : addLoadedKernels(spec, values);
  addParameters(spec, values);
  addSignatures(spec, values);
  values.texts["banner"] = bannerText(spec, "//");
  std::vector<std::string> targets = targetsOf(spec), quoted;
  for (const std::string &target : targets)
    quoted.push_back(cppQuoted(target) + ", ");
  values.texts["targets"] = join(quoted, "");
  values.texts["targetCount"] = std::to_string(targets.size());
  values.texts["unsupported"] =
      cppQuoted("the device runs none of the package's code, which is for " + join(heldForms(spec), ", "));
  values.texts["cpuFeatures"] = cppQuoted(cantFail(parseDevice(manifest.target))->features());
  values.texts["parameterCount"] = std::to_string(manifest.arguments.size());
  values.texts["outputCount"] = std::to_string(manifest.plan.outputs.size());
  values.texts["signatureCount"] = std::to_string(spec.signatures.size());
  return values;
}

/// The files as CMake's list, for a build that sees them change.
static std::string imageDependencies(const std::set<std::string> &objects) {
  std::vector<std::string> paths;
  for (const std::string &object : objects)
    paths.push_back(("${CMAKE_CURRENT_SOURCE_DIR}/" + StringRef(object).trim()).str());
  return join(paths, ";");
}

static TemplateValues cmakeValues(const PackageSpec &spec) {
  TemplateValues values;
  std::string sources;
  std::set<std::string> objects;
  for (StringRef name : runtimeFiles(spec))
    if (name.ends_with(".cpp"))
      sources += ("  " + name + "\n").str();
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      for (const std::string &path : imagePaths(variant))
        objects.insert("  " + path + "\n");
  values.texts["banner"] = bannerText(spec, "#");
  values.texts["sources"] = sources;
  bool isCpu = isForCpu(spec);
  values.texts["objects"] = isCpu ? join(objects, "") : "  images.S\n";
  values.texts["languages"] = isCpu ? "C CXX" : "C CXX ASM";
  if (!isCpu)
    values.texts["imageRules"] = "target_link_libraries(" + spec.kernel + " PRIVATE ${CMAKE_DL_LIBS})\n" +
                                 "set_source_files_properties(images.S PROPERTIES\n"
                                 "  COMPILE_OPTIONS -Wa,-I${CMAKE_CURRENT_SOURCE_DIR}\n"
                                 "  OBJECT_DEPENDS \"" +
                                 imageDependencies(objects) + "\")\n";
  else
    values.texts["imageRules"] = "";
  return values;
}

//===-- Files ----------------------------------------------------------------------------------------------------===//

/// The runtime's copy; its namespace carries the kernel's name.
static void addRuntime(const PackageSpec &spec, std::map<std::string, std::string> &files) {
  for (StringRef name : runtimeFiles(spec))
    files[name.str()] = embeddedText(name).str();
  std::string &header = files["runtime/Namespace.h"];
  StringRef inTree = "helion_runtime";
  size_t at = header.find("define HELION_RUNTIME " + inTree.str());
  header.replace(header.find(inTree.str(), at), inTree.size(), spec.kernel + "_runtime");
}

static Error addTemplate(StringRef source, StringRef path, const TemplateValues &values, const PackageSpec &spec,
                         std::map<std::string, std::string> &files) {
  Expected<std::string> text = fillTemplate(embeddedText(source), values, spec.kernel);
  if (!text)
    return text.takeError();
  files[path.str()] = path.ends_with(".h") || path.ends_with(".cpp") ? formatSource(*text, path) : *text;
  return Error::success();
}

Expected<std::map<std::string, std::string>> packageFiles(const PackageSpec &spec) {
  std::map<std::string, std::string> files;
  TemplateValues cpp = cppValues(spec), cmake = cmakeValues(spec);
  const std::pair<StringRef, const TemplateValues &> filled[] = {
      {"the_kernel.h", cpp},
      {"the_kernel.cpp", cpp},
      {"the_kernel.map", cmake},
      {"CMakeLists.txt", cmake},
      {"the_kernel-config.cmake", cmake},
  };
  addRuntime(spec, files);
  for (const auto &[source, values] : filled) {
    StringRef ending = source;
    std::string path = ending.consume_front("the_kernel") ? spec.kernel + ending.str() : source.str();
    if (Error error = addTemplate(source, path, values, spec, files))
      return error;
  }
  if (Error error = checkSource(spec.kernel + ".cpp", files))
    return error;
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants) {
      if (std::string path = objectPath(variant); !path.empty())
        files[path] = variant.object;
      if (std::string path = textPath(variant); !path.empty())
        files[path] = variant.text;
    }
  if (!isForCpu(spec))
    files["images.S"] = imagesText(spec, bannerText(spec, "//"));
  if (spec.tunedText)
    files[spec.kernel + ".tuned.jsonl"] = *spec.tunedText;
  return files;
}

} // namespace helion
