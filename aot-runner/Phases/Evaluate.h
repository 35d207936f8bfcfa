// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built package, judged: each row is called through the emitted dispatcher's C ABI in a worker, on fresh inputs,
// compared with the reference, and timed in turn with the pool's best artifact and the universal one.
#ifndef HELION_AOT_RUNNER_PHASES_EVALUATE_H
#define HELION_AOT_RUNNER_PHASES_EVALUATE_H

#include "aot-runner/Phases/Pool.h"

namespace helion::aot {

/// The linked package gives a wrong result, dies, or refuses a call that it serves.
class WrongPackage : public llvm::ErrorInfo<WrongPackage> {
public:
  static char ID;
  explicit WrongPackage(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  const std::string message;
};

/// One call of the package.
struct EvaluatedRow {
  const Row *row = nullptr;
  bool heldOut = false;
  std::string configId, reason, explanation;
  bool inCorpus = false, inRange = false;
  CheckResult check;
  Interval time, universal;     // Of a call of the package; of its universal variant's artifact.
  std::optional<Interval> bare; // Of the chosen variant's artifact, run without the package.
  /// Of the pool's best artifact; or as it was recorded, times what the session's anchor takes now over what it took
  /// then.
  std::optional<Interval> best;
  std::string bestArtifact; // Empty: recorded.
  double anchorRatio = 1;   // Of a recorded best.
  bool lacksAnchor = false; // There is a recorded best, and nothing to scale it by.
  Interval slowdown;        // Of what runs behind the call; NaN without a best.
  Outcome outcome = Outcome::Undecided;
};

struct EvaluatedSignature {
  const TunedSignature *signature = nullptr;
  std::vector<EvaluatedRow> rows; // The corpus, then the held-out ones.
};

struct Evaluation {
  /// What a call through the C ABI costs beside the kernel, from the shortest row: no config changes it, so it is not
  /// counted in slowdowns.
  double callNs = 0;
  std::vector<EvaluatedSignature> signatures;
  Interval figure, worst, mean; // Over the corpus; NaN where no row has a best.
  Outcome outcome = Outcome::Undecided;
  std::optional<Interval> heldOutWorst, heldOutMean;
};

/// One signature with the pools of its corpus rows and of its held-out ones.
struct EvaluationPools {
  const TunedSignature *signature = nullptr;
  Pool *corpus = nullptr, *heldOut = nullptr; // None without held-out rows.
};

/// `module` is a call module (Package/CallModule.h) of the package that `tuned` describes. The error of a
/// wrong one names the row and the config.
llvm::Expected<Evaluation> evaluate(Workbench &bench, const Tuned &tuned, llvm::ArrayRef<EvaluationPools> pools,
                                    const std::string &module);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_EVALUATE_H
