// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/ImageText.h"
#include "aot-runner/Package/CppNames.h"
#include "aot-runner/Package/PlanText.h"
#include "llvm/ADT/STLExtras.h"
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
                            "{nullptr, nullptr, nullptr, 0, 0},\n};\n} // namespace\n";
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
