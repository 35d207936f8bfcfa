// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/PlanText.h"
#include "aot-runner/Package/CppNames.h"
#include "dialect/Target/Device.h"
#include "dialect/Target/ResolvedPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace helion {

std::string dtypeEnumerator(Dtype dtype) {
  // The runtime names its enumerators as manifests do, in capitals except for `bool`.
  return "DType::" + (dtype == Dtype::Bool ? "Bool" : dtypeName(dtype).upper());
}

std::string integerLiteral(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min())
    return "(-9223372036854775807 - 1)";
  return std::to_string(value);
}

std::string realLiteral(double value) {
  if (value != value)
    return "__builtin_nan(\"\")";
  if (value - value != 0)
    return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  std::string text = shortestReal(value);
  return StringRef(text).find_first_of(".e") == StringRef::npos ? text + ".0" : text;
}

/// `dev.` names that differ from machine to machine are asked at run time, the target's own are numbers.
std::string PlanText::leaf(const Leaf &leaf) const {
  std::string name = "a." + cppName(leaf.name);
  switch (leaf.kind) {
  case Leaf::Kind::Size:
    return name + ".size(" + std::to_string(leaf.index) + ")";
  case Leaf::Kind::Stride:
    return name + ".stride(" + std::to_string(leaf.index) + ")";
  case Leaf::Kind::Align:
    return manifest.findArgument(leaf.name) ? name + ".align()" : "call.outputAlignment";
  case Leaf::Kind::Scalar:
    return name;
  case Leaf::Kind::Device:
    break;
  }
  // checkSpec has refused targets and names that are not there.
  const Device *device = cantFail(parseDevice(manifest.target));
  // `sms`, what a persistent grid counts, are the cores of a CPU.
  if (leaf.name == "cores" || leaf.name == "sms")
    return device->cpu() ? "int64_t(runtime::threads())" : "call.multiprocessors";
  return integerLiteral(*device->fact(leaf.name));
}

std::string PlanText::expression(const SizeExpr &value) const {
  std::string text;
  raw_string_ostream os(text);
  value.printCpp(os, [&](const Leaf &leaf) { return this->leaf(leaf); });
  return text;
}

std::string PlanText::condition(const Pred &pred) const {
  std::string text;
  raw_string_ostream os(text);
  pred.printCpp(
      os, [&](const Leaf &leaf) { return this->leaf(leaf); },
      [](StringRef first, StringRef second, Overlap kind) {
        StringRef name = kind == Overlap::None ? "None" : "Same";
        return ("overlap(a." + cppName(first) + ", a." + cppName(second) + ") == Overlap::" + name).str();
      });
  return text;
}

static std::string guard(StringRef condition, size_t index) {
  return formatv("if (!({0}))\nreturn {1};\n", condition, index);
}

std::string PlanText::factChecks() const {
  std::string text;
  for (auto [index, fact] : enumerate(manifest.facts))
    text += guard(condition(fact), index);
  if (takesMaps())
    text += guard("call.makesMaps", manifest.facts.size());
  return text;
}

bool PlanText::takesMaps() const {
  return any_of(manifest.plan.steps, [](const PlanStep &step) {
    const auto *launch = std::get_if<PlanLaunch>(&step);
    return launch && any_of(launch->arguments,
                            [](const PlanArgument &argument) { return argument.kind == PlanArgument::Kind::Map; });
  });
}

std::string PlanText::checks() const {
  std::string text;
  for (auto [index, check] : enumerate(manifest.plan.checks))
    text += guard(condition(check.pred), index);
  return text;
}

std::string PlanText::outputSizes() const {
  std::string text;
  for (auto [index, output] : enumerate(manifest.plan.outputs))
    for (auto [dim, size] : enumerate(output.sizes))
      text += formatv("sizes[{0}][{1}] = {2};\n", index, dim, expression(size));
  return text;
}

static SizeExpr bytesOf(const SizeExpr &elements, Dtype dtype) {
  return SizeExpr::mul(elements, SizeExpr::constant(dtypeBytes(dtype)));
}

std::string PlanText::workspaceSizes() const {
  std::string text;
  for (auto [index, workspace] : enumerate(manifest.plan.workspace))
    text += formatv("bytes[{0}] = {1}; // {2}\n", index, expression(bytesOf(workspace.elements, workspace.dtype)),
                    cppComment(workspace.name));
  return text;
}

/// The address of element 0, and the element type.
std::string PlanText::buffer(StringRef name, Dtype &dtype) const {
  const LaunchPlan &plan = manifest.plan;
  for (auto [index, output] : enumerate(plan.outputs)) {
    if (output.name == name) {
      dtype = output.dtype;
      return formatv("outputs[{0}].data", index);
    }
  }
  for (auto [index, workspace] : enumerate(plan.workspace)) {
    if (workspace.name == name) {
      dtype = workspace.dtype;
      return formatv("workspace[{0}]", index);
    }
  }
  dtype = manifest.findArgument(name)->dtype;
  return "a." + cppName(name) + ".data";
}

/// Of a pointer or a tensor map.
std::string PlanText::address(const PlanArgument &argument) const {
  Dtype dtype = Dtype::F32;
  std::string address = buffer(argument.name, dtype);
  if (argument.kind == PlanArgument::Kind::Map)
    dtype = argument.dtype;
  return argument.value.isConstant(0) ? address : address + " + " + expression(bytesOf(argument.value, dtype));
}

std::string PlanText::word(const PlanArgument &argument) const {
  if (argument.kind == PlanArgument::Kind::Index)
    return expression(argument.value);
  if (argument.kind == PlanArgument::Kind::Scalar) {
    std::string name = "a." + cppName(argument.name);
    return isFloat(argument.dtype) ? formatv("runtime::realWord({0}, {1})", dtypeEnumerator(argument.dtype), name).str()
                                   : name;
  }
  return "runtime::pointerWord(" + address(argument) + ")";
}

/// Address, sizes, strides in bytes.
std::string PlanText::mapFields(const PlanArgument &map) const {
  std::vector<std::string> sizes, strides;
  for (const SizeExpr &size : map.map.sizes)
    sizes.push_back(expression(size));
  for (const SizeExpr &stride : map.map.strides)
    strides.push_back(expression(bytesOf(stride, map.dtype)));
  return formatv("{{{0}, {{{1}}, {{{2}}}", address(map), join(sizes, ", "), join(strides, ", "));
}

void PlanText::printFill(raw_ostream &os, const PlanFill &fill) const {
  Dtype dtype = Dtype::F32;
  std::string address = buffer(fill.buffer, dtype);
  std::string element = cantFail(encodeScalar(fill.value));
  uint64_t pattern = 0;
  for (size_t byte = 0; byte < 8; ++byte)
    pattern |= uint64_t(uint8_t(element[byte % element.size()])) << (8 * byte);
  os << "if (!runtime::fill(" << (hasBlocks() ? "call, " : "") << address << ", "
     << expression(bytesOf(fill.elements, dtype)) << ", " << format_hex(pattern, 18) << ")) // " << fill.value.json()
     << "\nreturn false;\n";
}

std::string kernelEnumerator(StringRef symbol) { return ("KERNEL_" + symbol).str(); }

std::string mapEnumerator(StringRef symbol, size_t argument) { return ("MAP_" + symbol + "_" + Twine(argument)).str(); }

std::string boxText(const PlanArgument &map) {
  std::vector<std::string> extents;
  for (int64_t extent : reverse(map.map.box))
    extents.push_back(std::to_string(extent));
  return join(extents, " x ") + " " + dtypeName(map.dtype).str();
}

static bool isMap(const PlanArgument &argument) { return argument.kind == PlanArgument::Kind::Map; }

bool PlanText::hasBlocks() const { return !cantFail(parseDevice(manifest.target))->cpu(); }

/// Words, tensor maps, and where they are in the order of the kernel's parameters.
void PlanText::printParameters(raw_ostream &os, const PlanLaunch &launch) const {
  std::vector<std::string> words, parameters;
  std::string maps;
  size_t mapCount = 0;
  for (auto [index, argument] : enumerate(launch.arguments)) {
    if (isMap(argument)) {
      maps += formatv("// {0}: {1}\n{{{2}, {3}, {{}},\n", cppComment(argument.name), boxText(argument),
                      mapEnumerator(launch.symbol, index), mapFields(argument));
      parameters.push_back(formatv("&maps[{0}].bytes", mapCount++));
      continue;
    }
    parameters.push_back(formatv("&words[{0}]", words.size()));
    words.push_back(word(argument));
  }
  if (!words.empty())
    os << "int64_t words[] = {" << join(words, ", ") << "};\n";
  os << "runtime::TensorMap maps[] = {\n"
     << maps << "};\n"
     << "void *parameters[] = {" << join(parameters, ", ") << ", nullptr};\n";
}

void PlanText::printLaunch(raw_ostream &os, const PlanLaunch &launch) const {
  std::vector<std::string> grid, words;
  for (const SizeExpr &extent : launch.grid)
    grid.push_back(expression(extent));
  size_t mapCount = count_if(launch.arguments, isMap);
  if (mapCount != 0) {
    os << "{\nconst int64_t grid[3] = {" << join(grid, ", ") << "};\n";
    printParameters(os, launch);
    os << "if (!runtime::launch(call, " << kernelEnumerator(launch.symbol) << ", maps, " << mapCount
       << ", parameters, grid, " << launch.block->threads << ", " << launch.block->sharedBytes
       << "))\nreturn false;\n}\n";
    return;
  }
  for (const PlanArgument &argument : launch.arguments)
    words.push_back(word(argument));
  size_t wordCount = words.size();
  if (words.empty())
    words.push_back("0");
  os << "{\nconst int64_t grid[3] = {" << join(grid, ", ") << "};\n"
     << "const int64_t arguments[] = {" << join(words, ", ") << "};\n"
     << "if (!runtime::launch(";
  if (launch.block)
    os << "call, " << kernelEnumerator(launch.symbol) << ", arguments, " << wordCount << ", grid, "
       << launch.block->threads << ", " << launch.block->sharedBytes;
  else
    os << launch.symbol << ", arguments, grid, " << manifest.resources.scratchBytes;
  os << "))\nreturn false;\n}\n";
}

std::string PlanText::steps() const {
  std::string text;
  raw_string_ostream os(text);
  for (const PlanStep &step : manifest.plan.steps) {
    if (const auto *fill = std::get_if<PlanFill>(&step))
      printFill(os, *fill);
    else
      printLaunch(os, std::get<PlanLaunch>(step));
  }
  return text;
}

} // namespace helion
