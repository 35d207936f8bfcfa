// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-aot: tunes a kernel over a corpus and writes a C++ package. Flags become options (Flags.h), the phases are in
// aot-runner/Phases. Exit codes: 0 goal met, 1 bad input, 2 usage, 3 missed or undecided, 4 budget ended, 5 no worker,
// 6 a limit broken, 130 interrupted.
#include "Flags.h"
#include "aot-runner/Phases/RunPhases.h"
#include "llvm/Support/InitLLVM.h"
#include <csignal>

using namespace helion::aot;

static std::atomic<bool> stop = false;

/// The first Ctrl-C ends the run in order, the second at once.
static void interrupted(int) {
  stop = true;
  std::signal(SIGINT, SIG_DFL);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::signal(SIGINT, interrupted);
  std::signal(SIGTERM, interrupted);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // A file that may not grow is an error of the write.
  llvm::Expected<Options> options = parseFlags(argc, argv);
  if (!options) {
    llvm::errs() << "helion-aot: " << llvm::toString(options.takeError()) << "\n";
    return static_cast<int>(ExitCode::Usage);
  }
  return static_cast<int>(runPhases(*options, stop, llvm::outs(), llvm::errs()));
}
