// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From measurements to a tuned file, and from a tuned file to a package. The second needs objects only, so it also runs
// from the user's git; what is said of the package is said by replaying the tuned file's own tree over its rows.
#ifndef HELION_AOT_RUNNER_PHASES_BUILD_H
#define HELION_AOT_RUNNER_PHASES_BUILD_H

#include "aot-runner/Package/PackageSpec.h"
#include "aot-runner/Phases/Pool.h"

namespace helion::aot {

/// What is known of the quotient of two times.
Interval slowdownOf(const Interval &time, const Interval &best);

/// A row as the shipped dispatcher serves it.
struct ReplayedRow {
  const TunedRow *row = nullptr;
  const TunedVariant *variant = nullptr;
  Interval time, slowdown;
  Outcome outcome = Outcome::Undecided;
};

struct ReplayedSignature {
  const TunedSignature *signature = nullptr;
  std::vector<ReplayedRow> rows;
};

/// Recorded times through the tree of a tuned file, which outlives it.
struct Replay {
  std::vector<ReplayedSignature> signatures;
  Interval figure, worst, mean; // Over all signatures: the goal's, the largest, the weighted geometric mean.
  Outcome outcome = Outcome::Undecided;
};
llvm::Expected<Replay> replay(const Tuned &tuned);

/// What only the selection knows.
struct SelectionNotes {
  std::optional<double> heldOut; // Worst slowdown on left-out groups.
  std::optional<int64_t> setMinimum, treeMinimum;
  bool minimumProved = true;
  unsigned unmeasured = 0; // Rows.
};

struct SelectedSignature {
  TunedSignature tuned;
  SelectionNotes notes;
};
/// Where nothing was measured and that may be: the universal candidate alone.
llvm::Expected<SelectedSignature> selectSignature(const Options &options, Pool &pool, bool mayBeUnmeasured);

/// The object of an artifact.
using FindObject = llvm::function_ref<llvm::Expected<helion::Artifact>(const TunedSignature &, const TunedVariant &)>;

/// By signature, what `options.also` asks for: the universal config's artifact for each of the targets.
using FurtherArtifacts = std::map<std::string, std::vector<helion::Artifact>>;
llvm::Expected<std::vector<helion::Artifact>> compileFurther(const Options &options, llvm::StringRef kernel,
                                                             llvm::StringRef signature);

llvm::Expected<PackageSpec> packageSpec(const Options &options, const Tuned &tuned, const Replay &replayed,
                                        const SelectionNotes &notes, FindObject find, const FurtherArtifacts &further);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_BUILD_H
