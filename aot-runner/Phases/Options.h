// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user asks of helion-aot, and how it ends. The tool fills the options from flags; everything below reads them.
#ifndef HELION_AOT_RUNNER_PHASES_OPTIONS_H
#define HELION_AOT_RUNNER_PHASES_OPTIONS_H

#include "aot-runner/Package/CallModule.h"
#include "aot-runner/Select/Matrix.h"
#include "dialect/Target/Device.h"
#include <string>
#include <vector>

namespace helion::aot {

enum class ExitCode : int {
  Met = 0,
  BadInput = 1,
  Usage = 2,
  Missed = 3, // Or undecided; the package is written unless `--strict`.
  BudgetEnded = 4,
  NoWorker = 5,
  LimitBroken = 6,
  Interrupted = 130
};

struct Options {
  enum class Phase { Collect, Measure, Build, Evaluate, All };
  Phase phase = Phase::All;
  std::string kernelFile; // .py or .mlir
  std::string kernelName; // Not needed where the file has one.
  std::vector<std::string> corpus;
  std::vector<std::string> heldOut;    // Corpora that evaluation adds.
  std::vector<std::string> specialize; // Sizes that a signature fixes: `x.size(1)`.
  const Device *device = nullptr;
  std::vector<const Device *> also; // GPUs that the package serves too, by one config that nobody measures.
  Goal goal = Goal::MaxSlowdown;
  double threshold = 1.1;
  unsigned maxConfigs = 8;
  std::string output, runDir;
  std::string from;                // A .tuned.jsonl file: build from it alone.
  std::vector<std::string> worker; // Command.
  std::string mode = "cold";
  unsigned threads = 0; // Of the kernels; 0: all cores.
  unsigned jobs = 1;    // Of the compiler.
  unsigned pool = 64;   // Distinct artifacts.
  uint64_t seed = 0;
  double budgetSeconds = 0, gpuSeconds = 0; // 0: no limit.
  double compileSeconds = 120;              // Of one config; longer ones are given up.
  unsigned compileMebibytes = 4096;         // Of memory for it, beyond this program's own.
  double answerSeconds = 0;                 // A worker's, for one request; 0: a minute, 20 s for a first run.
  uint64_t maxBytes = 0;                    // Of a package's code; 0: no limit.
  BuildTools tools;                         // For evaluation; incomplete: recorded times are replayed.
  bool json = false, dryRun = false, strict = false;
  std::string buildId; // Of this program: half of what names a compilation.
  std::string toolVersion;

  bool does(Phase wanted) const { return phase == wanted || phase == Phase::All; }
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_OPTIONS_H
