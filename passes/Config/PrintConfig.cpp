// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-print-config: the door between config texts and Helion's JSON.
#include "passes/Config/HelionJson.h"
#include "passes/Config/Passes.h"
#include "passes/Config/TargetKnobs.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_PRINTCONFIGPASS
#include "passes/Config/Passes.h.inc"
} // namespace helion

static llvm::Expected<std::string> readFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot read `" + path + "`: " + buffer.getError().message());
  return (*buffer)->getBuffer().trim().str();
}

namespace {
struct PrintConfig : public helion::impl::PrintConfigPassBase<PrintConfig> {
  using PrintConfigPassBase::PrintConfigPassBase;

  void runOnOperation() override {
    if (llvm::Error error = print()) {
      getOperation().emitError() << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }

  llvm::Error print() {
    auto kernels = llvm::to_vector(getOperation().getOps<KernelOp>());
    if (kernels.size() != 1)
      return llvm::createStringError("the module has `" + llvm::Twine(kernels.size()) + "` kernels; one is needed");
    if (as != "text" && as != "helion-json")
      return llvm::createStringError("`as=" + as + "` is not known; `text` and `helion-json` are");
    llvm::Expected<KnobTable> table = knobsOf(&getContext(), target);
    if (!table)
      return table.takeError();
    llvm::Expected<std::string> given = readFile(file);
    if (!given)
      return given.takeError();
    HelionJson helion(kernels.front(), *table);
    llvm::Expected<Config> config = read(*given, helion);
    if (!config)
      return config.takeError();
    write(*config, helion);
    ++printed;
    return llvm::Error::success();
  }

  llvm::Expected<Config> read(StringRef given, const HelionJson &helion) {
    if (!given.starts_with("{"))
      return parseConfig(given, helion.space());
    std::vector<std::string> ignored;
    llvm::Expected<Config> config = helion.read(given, ignored);
    remark("ignored", ignored);
    return config;
  }

  void write(const Config &config, const HelionJson &helion) {
    if (as == "text") {
      llvm::outs() << config.print() << "\n";
      return;
    }
    std::vector<std::string> lost;
    llvm::outs() << helion.write(config, lost) << "\n";
    remark("lost", lost);
  }

  void remark(StringRef what, ArrayRef<std::string> texts) {
    for (const std::string &text : texts)
      getOperation().emitRemark() << what << " " << text;
  }
};
} // namespace
