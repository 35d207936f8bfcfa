// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References by the interpreter.
#include "aot-runner/Measure/Reference.h"

#include "aot-runner/Measure/InputData.h"
#include "dialect/Interp/Interpreter.h"
#include "passes/Config/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace helion;
using namespace helion::aot;
using interp::ElementType;
using interp::HostTensor;

/// A call with more elements than this is sampled; so many programs of its last launch are run.
static constexpr int64_t kWholeElements = 1 << 15;
static constexpr unsigned kSampledPrograms = 6;

static double stepOf(ElementType type) {
  const llvm::fltSemantics &format = interp::semanticsOf(type);
  return std::ldexp(1.0, 1 - static_cast<int>(llvm::APFloat::semanticsPrecision(format)));
}

/// The step at 1 of what the dot may round its operands to: tf32 has 11 binary digits, two of them 22. 0 where it may
/// not.
static double stepOf(DotOp dot) {
  bool isF32 = mlir::getElementTypeOrSelf(dot.getLhs().getType()).isF32();
  if (!isF32 || dot.getPrecision() == DotPrecision::IEEE)
    return 0;
  constexpr int digits = 11;
  return std::ldexp(1.0, 1 - (dot.getPrecision() == DotPrecision::TF32 ? digits : 2 * digits));
}

static llvm::Expected<std::vector<interp::Argument>> callArguments(KernelOp kernel, const Row &row, unsigned draw) {
  std::vector<interp::Argument> arguments;
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    std::string name = kernel.getArgumentName(i).str();
    auto found = row.args.find(name);
    if (found == row.args.end())
      return llvm::createStringError("%s: the row has no argument `%s`", row.place.c_str(), name.c_str());
    if (found->second.kind != RowArg::Kind::Tensor) {
      const Scalar &number = found->second.number;
      bool wantsFloat = llvm::isa<mlir::FloatType>(kernel.getArgumentTypes()[i]);
      double real = isFloat(number.dtype) ? number.real : static_cast<double>(number.integer);
      arguments.push_back(wantsFloat ? interp::Argument(real) : interp::Argument(number.integer));
      continue;
    }
    llvm::Expected<HostTensor> tensor = inputTensor(row, name, draw);
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(std::move(*tensor));
  }
  return arguments;
}

static int64_t elementsOf(const Row &row) {
  int64_t elements = 0;
  for (auto &[name, arg] : row.args) {
    int64_t count = arg.kind == RowArg::Kind::Tensor;
    for (int64_t size : arg.shape)
      count *= size;
    elements += count;
  }
  return elements;
}

/// First, last, and some between, always the same ones for a row.
static std::set<int64_t> sampledPrograms(const Row &row, int64_t count) {
  std::set<int64_t> programs = {0, count - 1};
  Random random(inputSeed(row, "programs"));
  while (programs.size() < std::min<uint64_t>(kSampledPrograms, count))
    programs.insert(random.below(count));
  return programs;
}

void Reference::keep(const HostTensor &tensor) {
  Output output;
  output.type = tensor.type;
  bool isFloat = interp::elementInfo(tensor.type).isFloat;
  int64_t position = 0, finite = 0;
  double squares = 0;
  tensor.forEach([&](int64_t element) {
    int64_t at = position++;
    if (!whole && !tensor.storage->written[element])
      return;
    output.positions.push_back(at);
    if (!isFloat) {
      output.integers.push_back(interp::readInteger(tensor.address(element), tensor.type));
      return;
    }
    double value = interp::readFloat(tensor.address(element), tensor.type);
    output.reals.push_back(value);
    if (std::isfinite(value))
      squares += value * value, ++finite;
  });
  output.scale = finite ? std::sqrt(squares / finite) : 0;
  outputs.push_back(std::move(output));
}

llvm::Expected<Reference> Reference::make(KernelOp kernel, const Row &row, unsigned draw) {
  llvm::Expected<std::vector<interp::Argument>> arguments = callArguments(kernel, row, draw);
  if (!arguments)
    return arguments.takeError();
  Reference reference;
  interp::RunOptions options;
  reference.whole = elementsOf(row) <= kWholeElements;
  llvm::StringRef last;
  kernel.walk([&](LaunchOp launch) { last = launch.getName(); });
  if (!reference.whole) {
    options.trackWrites = true;
    options.selectProgram = [&](llvm::StringRef launch, int64_t program, int64_t count) {
      return launch != last || sampledPrograms(row, count).count(program);
    };
  }
  auto run = interp::Interpreter::run(kernel, *arguments, options);
  if (!run)
    return llvm::createStringError("%s: %s", row.place.c_str(), llvm::toString(run.takeError()).c_str());
  double finest = 1;
  auto meet = [&](ElementType type) {
    if (!interp::elementInfo(type).isFloat)
      return;
    reference.coarsest = std::max(reference.coarsest, stepOf(type));
    finest = std::min(finest, stepOf(type));
  };
  for (const interp::Argument &argument : *arguments)
    if (auto *tensor = std::get_if<HostTensor>(&argument)) {
      meet(tensor->type);
      for (int64_t size : tensor->sizes)
        reference.longest = std::max<double>(reference.longest, size);
    }
  for (const HostTensor &output : run->outputs)
    meet(output.type);
  kernel.walk([&](DotOp dot) { reference.coarsest = std::max(reference.coarsest, stepOf(dot)); });
  reference.accumulation =
      finest == stepOf(ElementType::F64) && reference.coarsest == finest ? finest : stepOf(ElementType::F32);
  for (unsigned i = 0; i < arguments->size(); ++i)
    if (kernel.getArgAttr(i, kWritesAttr))
      reference.keep(std::get<HostTensor>((*arguments)[i]));
  for (const HostTensor &output : run->outputs)
    reference.keep(output);
  return reference;
}

std::vector<std::vector<int64_t>> Reference::ranges() const {
  std::vector<std::vector<int64_t>> result;
  for (const Output &output : outputs) {
    std::vector<int64_t> &list = result.emplace_back();
    int64_t bytes = interp::elementInfo(output.type).bytes;
    for (int64_t position : output.positions) {
      int64_t begin = position * bytes;
      if (list.empty() || list.back() != begin)
        list.insert(list.end(), {begin, begin});
      list.back() = begin + bytes;
    }
  }
  return result;
}

namespace {
/// The worst element of an output so far.
struct Worst {
  double excess = 0; // Error over tolerance.
  std::string message;
};
} // namespace

static void note(CheckResult &result, Worst &worst, double excess, const llvm::Twine &message) {
  if (!(excess > worst.excess))
    return;
  worst.excess = excess;
  result.verdict = CheckVerdict::Wrong;
  result.message = message.str();
}

void Reference::compareOutput(const Output &output, llvm::StringRef bytes, CheckResult &result) const {
  const interp::ElementInfo &info = interp::elementInfo(output.type);
  Worst worst;
  worst.excess = 1;
  size_t known = output.positions.size() * info.bytes;
  if (bytes.size() != known)
    return note(result, worst, INFINITY, llvm::formatv("{0} bytes instead of {1}", bytes.size(), known));
  for (auto [index, position] : llvm::enumerate(output.positions)) {
    const char *at = bytes.data() + index * info.bytes;
    if (!info.isFloat) {
      int64_t got = interp::readInteger(at, output.type), want = output.integers[index];
      if (got != want)
        note(result, worst, INFINITY, llvm::formatv("element {0} is {1} instead of {2}", position, got, want));
      continue;
    }
    double got = interp::readFloat(at, output.type), want = output.reals[index];
    if (!std::isfinite(want) || !std::isfinite(got)) {
      if (!(std::isnan(got) && std::isnan(want)) && got != want)
        note(result, worst, INFINITY, llvm::formatv("element {0} is {1} instead of {2}", position, got, want));
      continue;
    }
    double error = std::abs(got - want);
    double tolerance =
        2 * coarsest * (std::abs(want) + output.scale) + 4 * accumulation * std::sqrt(longest) * output.scale;
    result.maxAbs = std::max(result.maxAbs, error);
    if (want != 0)
      result.maxRel = std::max(result.maxRel, error / std::abs(want));
    result.tolerance = std::max(result.tolerance, tolerance);
    if (error > 0)
      note(result, worst, tolerance > 0 ? error / tolerance : INFINITY,
           llvm::formatv("element {0} is {1} instead of {2}, tolerance {3}", position, got, want, tolerance));
  }
}

CheckResult Reference::compare(llvm::ArrayRef<std::string> bytes) const {
  CheckResult result;
  if (bytes.size() != outputs.size()) {
    result.verdict = CheckVerdict::Wrong;
    result.message = llvm::formatv("{0} outputs instead of {1}", bytes.size(), outputs.size());
    return result;
  }
  for (auto [output, text] : llvm::zip_equal(outputs, bytes))
    compareOutput(output, text, result);
  return result;
}
