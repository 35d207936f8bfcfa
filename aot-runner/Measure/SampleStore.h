// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All samples of one device class, protocol and mode, as selection wants them: scaled by their session's anchors, split
// into two halves. Read from the journal once; every sample goes to the journal first and then here.
#ifndef HELION_AOT_RUNNER_MEASURE_SAMPLESTORE_H
#define HELION_AOT_RUNNER_MEASURE_SAMPLESTORE_H

#include "aot-runner/Journal/Journal.h"
#include <map>

namespace helion::aot {

struct SampleHalves {
  std::vector<double> pick, judge; // Nanoseconds of single calls.
};

class SampleStore {
public:
  static llvm::Expected<SampleStore> load(Journal &journal, llvm::StringRef deviceClass, llvm::StringRef protocol,
                                          llvm::StringRef mode);
  /// Commits, then remembers.
  llvm::Error add(Journal &journal, const Sample &sample);

  /// How often the artifact was asked on the row, anchors not counted.
  unsigned rounds(llvm::StringRef row, llvm::StringRef artifact) const;
  /// Samples in turn: the first is for picking, the second for judging, and so on; a single one is dealt out itself.
  SampleHalves halves(llvm::StringRef row, llvm::StringRef artifact) const;
  std::vector<double> all(llvm::StringRef row, llvm::StringRef artifact) const;

private:
  void remember(const Sample &sample);
  /// Times of a session are multiplied by it, to compare with those of the latest.
  double scale(const std::string &row, const std::string &session) const;
  std::vector<std::vector<double>> scaled(llvm::StringRef row, llvm::StringRef artifact) const;

  std::vector<std::string> order;                                             // Sessions, the latest last.
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> samples; // By row and artifact.
  std::map<std::pair<std::string, std::string>, std::vector<double>> anchors; // Medians, by row and session.
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_SAMPLESTORE_H
