// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/ImageText.h"
#include "aot-runner/Package/CppNames.h"
#include "aot-runner/Package/PlanText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;

namespace helion {

static bool isBinary(const PackageVariant &variant) {
  return StringRef(variant.object)
      .starts_with("\x7f"
                   "ELF");
}

/// An object is named after its first kernel; variants that differ in nothing but the launch share it. Empty where
/// nothing is launched.
static std::string objectName(const PackageVariant &variant) {
  for (const PlanStep &step : variant.manifest.plan.steps)
    if (const auto *launch = std::get_if<PlanLaunch>(&step))
      return launch->symbol;
  return "";
}

std::string objectPath(const PackageVariant &variant) {
  std::string name = objectName(variant);
  bool isForCpu = StringRef(variant.manifest.target).starts_with("cpu:");
  return name.empty() ? "" : "objects/" + name + (isForCpu ? ".o" : isBinary(variant) ? ".cubin" : ".ptx");
}

std::string textPath(const PackageVariant &variant) {
  std::string name = objectName(variant);
  return name.empty() || variant.text.empty() || !isBinary(variant) ? "" : "objects/" + name + ".ptx";
}

std::vector<std::string> imagePaths(const PackageVariant &variant) {
  std::vector<std::string> paths = {objectPath(variant), textPath(variant)};
  erase_if(paths, [](const std::string &path) { return path.empty(); });
  return paths;
}

std::vector<std::string> heldForms(const PackageSpec &spec) {
  std::vector<std::string> forms;
  for (const std::string &target : targetsOf(spec)) {
    const PackageSignature &signature = spec.signatures.front();
    const PackageVariant &variant = furtherVariant(signature, target);
    bool isText = !StringRef(target).starts_with("cpu:") && !isBinary(variant);
    if (!isText)
      forms.push_back(target);
    if (isText || !variant.text.empty())
      forms.push_back("PTX of " + target);
  }
  return forms;
}

namespace {
/// A kernel that the package loads.
struct LoadedKernel {
  std::string symbol, object;
  bool hasBinary = false, hasText = false;
  int64_t sharedBytes = 0; // The most of its launches.
  int64_t target = 0;      // Of the package's.
};
} // namespace

/// `objects/shift_11111111_0.cubin` is `shift_image_shift_11111111_0_cubin`.
static std::string imageSymbol(const PackageSpec &spec, StringRef path) {
  std::string name = path.substr(path.rfind('/') + 1).str();
  std::replace(name.begin(), name.end(), '.', '_');
  return spec.kernel + "_image_" + name;
}

/// Each once, those of one image together.
static std::vector<LoadedKernel> loadedKernels(const PackageSpec &spec) {
  std::vector<LoadedKernel> kernels;
  std::vector<std::string> targets = targetsOf(spec);
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      for (const PlanStep &step : variant.manifest.plan.steps) {
        const auto *launch = std::get_if<PlanLaunch>(&step);
        if (!launch)
          continue;
        auto known = find_if(kernels, [&](const LoadedKernel &kernel) { return kernel.symbol == launch->symbol; });
        if (known == kernels.end()) {
          bool hasText = !isBinary(variant) || !variant.text.empty();
          int64_t target = find(targets, variant.manifest.target) - targets.begin();
          known = kernels.insert(
              known, {launch->symbol, "objects/" + objectName(variant), isBinary(variant), hasText, 0, target});
        }
        known->sharedBytes = std::max(known->sharedBytes, launch->block->sharedBytes);
      }
  stable_sort(kernels, [](const LoadedKernel &a, const LoadedKernel &b) { return a.object < b.object; });
  return kernels;
}

namespace {
/// A tensor map that a kernel takes.
struct LaunchedMap {
  std::string enumerator, symbol;
  const PlanArgument *argument;
};
} // namespace

/// Each once.
static std::vector<LaunchedMap> launchedMaps(const PackageSpec &spec) {
  std::vector<LaunchedMap> maps;
  std::set<std::string> seen;
  auto add = [&](const PlanLaunch &launch) {
    for (auto [index, argument] : enumerate(launch.arguments)) {
      std::string enumerator = mapEnumerator(launch.symbol, index);
      if (argument.kind == PlanArgument::Kind::Map && seen.insert(enumerator).second)
        maps.push_back({enumerator, launch.symbol, &argument});
    }
  };
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      for (const PlanStep &step : variant.manifest.plan.steps)
        if (const auto *launch = std::get_if<PlanLaunch>(&step))
          add(*launch);
  return maps;
}

/// The table of the maps, where there are any; its text stands behind the kernels'.
static std::string addMaps(const PackageSpec &spec, TemplateValues &values) {
  std::vector<LaunchedMap> maps = launchedMaps(spec);
  values.texts["mapTable"] = maps.empty() ? "nullptr" : "mapRows";
  values.texts["mapCount"] = std::to_string(maps.size());
  values.texts["mapStatuses"] = "";
  std::string enumerators, rows, prefix = StringRef(spec.kernel).upper();
  for (auto [index, map] : enumerate(maps)) {
    const PlanMap &box = map.argument->map;
    std::string of = formatv("tensor map of `{0}` for `{1}`", map.argument->name, map.symbol);
    std::vector<std::string> extents;
    for (int64_t extent : box.box)
      extents.push_back(std::to_string(extent));
    enumerators += formatv("{0} = {1},\n", map.enumerator, index);
    rows += formatv("{{{0}, {1}, {{HELION_RUNTIME::{2}, {3}, {{{4}}, {5}}},\n", kernelEnumerator(map.symbol),
                    cppQuoted("the device's driver refused the " + of + " with CUDA_ERROR_INVALID_VALUE (1)"),
                    dtypeEnumerator(map.argument->dtype), box.box.size(), join(extents, ", "), box.swizzle);
    values.texts["mapStatuses"] +=
        formatv("{0}_MAP_{1} = {2}, // the driver refused the {3}\n", prefix, index, (1 << 20) + index, cppComment(of));
  }
  if (maps.empty())
    return "";
  return "\nnamespace {\nenum Map : int {\n" + enumerators + "};\n\nconst HELION_RUNTIME::MapRow mapRows[] = {\n" +
         rows + "};\n} // namespace\n";
}

void addLoadedKernels(const PackageSpec &spec, TemplateValues &values) {
  std::string declarations, enumerators, rows;
  std::set<std::string> images;
  std::vector<LoadedKernel> kernels = loadedKernels(spec);
  auto imageOf = [&](const LoadedKernel &kernel, bool isThere, StringRef ending) -> std::string {
    if (!isThere)
      return "nullptr";
    std::string image = imageSymbol(spec, kernel.object + ending.str());
    if (images.insert(image).second)
      declarations += formatv("extern const unsigned char {0}[];\n", image);
    return image;
  };
  for (auto [index, kernel] : enumerate(kernels)) {
    enumerators += formatv("{0} = {1},\n", kernelEnumerator(kernel.symbol), index);
    std::string binary = imageOf(kernel, kernel.hasBinary, ".cubin"), text = imageOf(kernel, kernel.hasText, ".ptx");
    rows += formatv("{{{0}, {1}, {2}, {3}, {4}},\n", binary, text, cppQuoted(kernel.symbol), kernel.sharedBytes,
                    kernel.target);
  }
  // One row more, because C++ has no empty arrays.
  values.texts["kernels"] = "extern \"C\" {\n// In images.S.\n" + declarations +
                            "}\n\nnamespace {\nenum Kernel : int {\n" + enumerators +
                            "};\n\nconst HELION_RUNTIME::Kernel kernels[] = {\n" + rows +
                            "{nullptr, nullptr, nullptr, 0, 0},\n};\n} // namespace\n" + addMaps(spec, values);
  values.texts["kernelTable"] = "kernels";
  values.texts["kernelCount"] = std::to_string(kernels.size());
}

std::string imagesText(const PackageSpec &spec, StringRef banner) {
  std::string text = (banner + "\n    .section .rodata\n").str();
  std::set<std::string> paths;
  for (const PackageSignature &signature : spec.signatures)
    for (const PackageVariant &variant : signature.variants)
      for (const std::string &path : imagePaths(variant))
        paths.insert(path);
  for (const std::string &path : paths)
    text += formatv("    .balign 64\n    .globl {0}\n    .hidden {0}\n{0}:\n    .incbin \"{1}\"\n    .byte 0\n",
                    imageSymbol(spec, path), path);
  return text + "    .section .note.GNU-stack,\"\",%progbits\n";
}

} // namespace helion
