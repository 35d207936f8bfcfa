// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run tells its user: a table for people, one JSON object for programs.
#ifndef HELION_AOT_RUNNER_PHASES_REPORT_H
#define HELION_AOT_RUNNER_PHASES_REPORT_H

#include "aot-runner/Phases/Build.h"
#include "aot-runner/Phases/Evaluate.h"

namespace helion::aot {

struct Outcomes {
  const Tuned *tuned = nullptr; // None where nothing was built.
  const Replay *replayed = nullptr;
  Outcome outcome = Outcome::Undecided; // What the exit code says.
  SelectionNotes notes;
  const Evaluation *evaluation = nullptr; // Of the package that was run,
  std::string replayedBecause;            // or why it was not, where it should have been.
  std::string output;                     // Where the package is; empty where none was written.
  std::vector<std::string> remarks;
};

void printReport(llvm::raw_ostream &os, const Outcomes &outcomes);
llvm::json::Value reportJson(const Outcomes &outcomes, ExitCode exit);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_REPORT_H
