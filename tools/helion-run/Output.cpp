// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes results and compares two runs.

#include "tools/helion-run/Output.h"
#include "dialect/Interp/Compare.h"
#include "dialect/Interp/Npy.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace helion;
using namespace helion::interp;
using namespace helion::run;
using llvm::StringRef;
using llvm::Twine;

llvm::Expected<KernelOp> helion::run::findKernel(mlir::ModuleOp module, StringRef name) {
  std::string names;
  KernelOp found;
  unsigned count = 0;
  module.walk([&](KernelOp kernel) {
    names += (names.empty() ? "`" : ", `") + kernel.getSymName().str() + "`";
    if (!name.empty() && kernel.getSymName() != name)
      return;
    found = kernel;
    ++count;
  });
  if (count == 1)
    return found;
  if (names.empty())
    return llvm::createStringError("the file holds no kernel");
  if (count == 0)
    return llvm::createStringError("the file holds no kernel `" + name + "`; it holds " + names);
  return llvm::createStringError("the file holds the kernels " + names + "; name one with `--kernel`");
}

static std::vector<Argument> copyOf(llvm::ArrayRef<Argument> arguments) {
  std::vector<Argument> copies;
  for (const Argument &argument : arguments) {
    const auto *tensor = std::get_if<HostTensor>(&argument);
    if (!tensor) {
      copies.push_back(argument);
      continue;
    }
    // The whole memory, so that a view stays the same view.
    HostTensor copy = *tensor;
    copy.storage = std::make_shared<Storage>(tensor->storage->size());
    std::copy_n(tensor->storage->data(), tensor->storage->size(), copy.storage->data());
    copies.push_back(std::move(copy));
  }
  return copies;
}

static const HostTensor *argumentNamed(KernelOp kernel, llvm::ArrayRef<Argument> arguments, StringRef name) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (kernel.getArgumentName(i) == name)
      return std::get_if<HostTensor>(&argument);
  return nullptr;
}

static void printTensor(StringRef name, const HostTensor &tensor) {
  llvm::outs() << name << ": " << elementInfo(tensor.type).name << listText(tensor.sizes) << " =";
  tensor.forEach([&](int64_t at) { llvm::outs() << " " << elementText(tensor, at); });
  llvm::outs() << "\n";
}

llvm::Error helion::run::writeResults(KernelOp kernel, const RunResult &result, llvm::ArrayRef<Argument> arguments,
                                      const OutputText &text) {
  if (!text.files.empty() && text.files.size() != result.outputs.size())
    return llvm::createStringError("`--out` names " + Twine(text.files.size()) + " files; kernel `" +
                                   kernel.getSymName() + "` has " + Twine(result.outputs.size()) + " results");
  for (auto [file, tensor] : llvm::zip(text.files, result.outputs))
    if (llvm::Error error = writeNpy(file, tensor))
      return error;
  for (StringRef word : text.argFiles) {
    auto [name, file] = word.split('=');
    const HostTensor *tensor = argumentNamed(kernel, arguments, name);
    if (!tensor)
      return llvm::createStringError("`--out-arg " + word + "`: kernel `" + kernel.getSymName() +
                                     "` has no tensor argument `" + name + "`");
    if (llvm::Error error = writeNpy(file, *tensor))
      return error;
  }
  for (auto [i, tensor] : llvm::enumerate(result.outputs))
    if (text.print)
      printTensor(("out" + Twine(i)).str(), tensor);
  return llvm::Error::success();
}

SecondRun helion::run::secondRunOf(llvm::ArrayRef<Argument> arguments, const RunOptions &options) {
  SecondRun second{copyOf(arguments), options, std::nullopt};
  second.options.bindingVariant = 1;
  second.options.reversePrograms = true;
  return second;
}

static std::string blocksText(const BlockMap &blocks) {
  std::string text;
  for (auto &[name, extent] : blocks)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

/// Results and written arguments, by name.
static std::vector<std::pair<std::string, HostTensor>> writtenTensors(KernelOp kernel, const RunResult &result,
                                                                      llvm::ArrayRef<Argument> arguments) {
  std::vector<std::pair<std::string, HostTensor>> tensors;
  for (auto [i, tensor] : llvm::enumerate(result.outputs))
    tensors.push_back({("out" + Twine(i)).str(), tensor});
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (const auto *tensor = std::get_if<HostTensor>(&argument); tensor && kernel.getArgAttr(i, kWritesAttr))
      tensors.push_back({kernel.getArgumentName(i).str(), *tensor});
  return tensors;
}

/// What two runs may differ by. Atomic float sums round every part to the memory's type, so their error grows with the
/// number of parts; 64 units of the largest element allow for that.
static Tolerance toleranceFor(KernelOp kernel, ElementType type, const SecondRun &second) {
  if (second.tolerance)
    return {*second.tolerance, *second.tolerance};
  Tolerance tolerance = reassociationTolerance(type);
  bool addsAtomically = kernel
                            .walk([](AtomicOp op) {
                              return op.getKind() == ReductionKind::AddF || op.getKind() == ReductionKind::MulF
                                         ? mlir::WalkResult::interrupt()
                                         : mlir::WalkResult::advance();
                            })
                            .wasInterrupted();
  if (addsAtomically)
    tolerance.absolute = std::max(tolerance.absolute, 32 * tolerance.relative);
  return tolerance;
}

llvm::Error helion::run::compareSecondRun(KernelOp kernel, llvm::ArrayRef<Argument> arguments, const RunResult &first,
                                          const SecondRun &second) {
  llvm::Expected<RunResult> result = Interpreter::run(kernel, second.arguments, second.options);
  if (!result)
    return result.takeError();
  std::string bindings = "`" + blocksText(first.blocks) + "` and `" + blocksText(result->blocks) + "`";
  auto left = writtenTensors(kernel, first, arguments), right = writtenTensors(kernel, *result, second.arguments);
  for (auto [a, b] : llvm::zip(left, right)) {
    const auto &[name, tensor] = a;
    if (tensor.sizes != b.second.sizes)
      return llvm::createStringError("`" + name + "` has sizes " + listText(tensor.sizes) + " and " +
                                     listText(b.second.sizes) + " with the blocks " + bindings);
    Tolerance tolerance = toleranceFor(kernel, tensor.type, second);
    if (std::optional<Mismatch> mismatch = firstMismatch(tensor, b.second, tolerance))
      return llvm::createStringError("`" + name + "` depends on the block sizes: element " + listText(mismatch->index) +
                                     " is `" + mismatch->first + "` and `" + mismatch->second + "` with the blocks " +
                                     bindings + " (" + Twine(mismatch->count) + " of " + Twine(tensor.numElements()) +
                                     " elements differ)");
    llvm::outs() << name << ": equal with the blocks " << bindings
                 << llvm::format(" (relative %.2g, absolute %.2g of the largest)\n", tolerance.relative,
                                 tolerance.absolute);
  }
  return llvm::Error::success();
}
