// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-aot: tunes a kernel over a corpus and writes a C++ package. Flags become options (Flags.h), the phases are in
// aot-runner/Phases; `helion-aot journal` is in JournalCommand.h. Exit codes: 0 goal met, 1 bad input, 2 usage, 3
// missed or undecided, 4 budget ended, 5 no worker, 6 a limit broken, 130 interrupted.
#include "Flags.h"
#include "JournalCommand.h"
#include "aot-runner/Phases/RunPhases.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include <csignal>
#include <unistd.h>

using namespace helion::aot;

static std::atomic<bool> stop = false;

/// The run did not end in order: it is in a long piece of work that does not look. What it has learnt is in the
/// journal, children die with it, and workers when they next read.
static void outOfPatience(int) {
  static constexpr char kMessage[] = "helion-aot: interrupted\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(static_cast<int>(ExitCode::Interrupted));
}

/// The first Ctrl-C ends the run in order, within some seconds, the second at once.
static void interrupted(int) {
  constexpr unsigned kSeconds = 15;
  stop = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  alarm(kSeconds);
}

/// What could not be printed is an error.
static int finish(ExitCode exit) {
  llvm::outs().flush();
  if (std::error_code code = llvm::outs().error()) {
    llvm::errs() << "helion-aot: cannot print the report: " << code.message() << "\n";
    llvm::outs().clear_error();
    exit = ExitCode::BadInput;
  }
  llvm::errs().clear_error(); // Nobody is left to tell.
  return static_cast<int>(exit);
}

int main(int argc, char **argv) {
  // A file that got the number of a closed standard stream would be written by the next message.
  if (std::error_code code = llvm::sys::Process::FixupStandardFileDescriptors())
    return static_cast<int>(ExitCode::BadInput);
  llvm::InitLLVM init(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // A file that may not grow is an error of the write.
  if (argc > 1 && llvm::StringRef(argv[1]) == "journal") {
    std::vector<llvm::StringRef> words(argv + 2, argv + argc);
    return finish(runJournalCommand(words, llvm::outs(), llvm::errs()));
  }
  std::signal(SIGINT, interrupted);
  std::signal(SIGTERM, interrupted);
  std::signal(SIGALRM, outOfPatience);
  llvm::Expected<Options> options = parseFlags(argc, argv);
  if (!options) {
    llvm::errs() << "helion-aot: " << llvm::toString(options.takeError()) << "\n";
    return static_cast<int>(ExitCode::Usage);
  }
  return finish(runPhases(*options, stop, llvm::outs(), llvm::errs()));
}
