// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection to tuned file, tuned file to package.
#include "aot-runner/Phases/Build.h"

#include "aot-runner/Phases/Tuning.h"
#include "aot-runner/Search/CandidateSource.h"
#include "aot-runner/Select/Ranking.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <set>

using namespace helion;
using namespace helion::aot;

//===-- Selection ------------------------------------------------------------------------------------------------===//

static TunedSignature tunedSignature(Pool &pool, const Matrix &matrix, llvm::ArrayRef<unsigned> kept,
                                     const Selection &selection) {
  const SignatureProblem &problem = pool.getProblem();
  TunedSignature tuned;
  tuned.name = problem.name;
  tuned.kernelHash = problem.kernel.getHash();
  tuned.arguments = problem.universalArtifact.manifest.arguments;
  tuned.tree = selection.tree;
  for (auto [index, member] : llvm::enumerate(selection.fit.members)) {
    const Candidate &candidate = pool.getCandidates().at(matrix.candidates()[member].artifact);
    tuned.variants.push_back({static_cast<unsigned>(index), candidate.config, candidate.artifact,
                              candidate.manifest.resources, index == selection.fit.fallback,
                              matrix.candidates()[member].reaches, index == selection.fit.beyond.first});
  }
  tuned.anchor = pool.universalArtifact();
  std::optional<unsigned> anchor;
  for (auto [column, candidate] : llvm::enumerate(matrix.candidates()))
    if (candidate.artifact == tuned.anchor)
      anchor = column;
  for (auto [at, row] : llvm::enumerate(kept)) {
    TunedRow out;
    out.row = problem.rows[row];
    out.best = matrix.at(at, *matrix.best(at)).judge;
    if (anchor && matrix.at(at, *anchor).measured())
      out.anchor = matrix.at(at, *anchor).judge;
    for (auto [index, member] : llvm::enumerate(selection.fit.members))
      if (matrix.at(at, member).measured())
        out.variants[index] = matrix.at(at, member).judge;
    tuned.rows.push_back(std::move(out));
  }
  return tuned;
}

/// A candidate that serves every call, the anchor where it does; compiled here where the budget did not get so far.
static llvm::Expected<SelectedSignature> universalOnly(Pool &pool) {
  const SignatureProblem &problem = pool.getProblem();
  CandidateSource source(problem.kernel, /*seed=*/0);
  if (llvm::Error error = pool.getCompiler().compileAll(source.general(), [] { return true; }, [] {}))
    return std::move(error);
  if (llvm::Error error = pool.refresh())
    return std::move(error);
  std::set<std::string> universals = pool.universals();
  if (universals.empty())
    return llvm::createStringError("no config of `" + problem.name + "` compiles");
  std::string artifact = universals.count(pool.universalArtifact()) ? pool.universalArtifact() : *universals.begin();
  const Candidate &candidate = pool.getCandidates().at(artifact);
  SelectedSignature result;
  result.tuned.name = problem.name;
  result.tuned.kernelHash = problem.kernel.getHash();
  result.tuned.arguments = problem.universalArtifact.manifest.arguments;
  result.tuned.variants = {{0, candidate.config, artifact, candidate.manifest.resources, true}};
  result.tuned.tree.addLeaf(0);
  result.notes.unmeasured = problem.rows.size();
  return result;
}

llvm::Expected<SelectedSignature> helion::aot::selectSignature(const Options &options, Pool &pool,
                                                               bool mayBeUnmeasured) {
  if (llvm::Error error = mayBeUnmeasured ? pool.refresh() : pool.refreshSome())
    return std::move(error);
  std::vector<unsigned> kept;
  llvm::Expected<Matrix> matrix = pool.matrix(kept);
  if (!matrix)
    return matrix.takeError();
  if (kept.empty() && mayBeUnmeasured)
    return universalOnly(pool);
  if (kept.empty())
    return llvm::createStringError("no row of `" + pool.getProblem().name +
                                   "` was measured; run `--phase measure`, or give more time");
  std::vector<Binding> rows;
  for (unsigned row : kept)
    rows.push_back(pool.getProblem().rows[row].binding());
  llvm::Expected<Selection> selection = select(*matrix, rows, setRequest(options));
  if (!selection)
    return selection.takeError();
  llvm::Expected<std::optional<Verdict>> out = heldOut(*matrix, rows, setRequest(options));
  if (!out)
    return out.takeError();
  SelectedSignature result{tunedSignature(pool, *matrix, kept, *selection), {}};
  if (*out)
    result.notes.heldOut = (*out)->worst.median;
  if (selection->setMinimum)
    result.notes.setMinimum = *selection->setMinimum;
  if (selection->treeMinimum)
    result.notes.treeMinimum = *selection->treeMinimum;
  result.notes.minimumProved = selection->minimumProved;
  result.notes.unmeasured = pool.getProblem().rows.size() - kept.size();
  return result;
}

//===-- Replay ---------------------------------------------------------------------------------------------------===//

Interval helion::aot::slowdownOf(const Interval &time, const Interval &best) {
  if (time == best)
    return {1, 1, 1};
  return {time.median / best.median, time.low / best.high, time.high / best.low};
}

static unsigned universalOf(const TunedSignature &signature) {
  auto found = llvm::find_if(signature.variants, [](const TunedVariant &variant) { return variant.universal; });
  return found == signature.variants.end() ? 0 : found->id;
}

static llvm::Expected<ReplayedRow> replayRow(const TunedSignature &signature, const TunedRow &row, double threshold) {
  llvm::Expected<unsigned> leaf = signature.tree.leafFor(row.row.binding());
  if (!leaf)
    return leaf.takeError();
  ReplayedRow result;
  result.row = &row;
  auto time = row.variants.end();
  for (unsigned id :
       rankingAt(signature.tree, *leaf, meanSlowdowns(signature), universalOf(signature), beyondVariants(signature))) {
    result.variant = &signature.variants[id];
    time = row.variants.find(id);
    if (time != row.variants.end())
      break;
  }
  constexpr double kNever = std::numeric_limits<double>::infinity();
  result.time = time == row.variants.end() ? Interval{kNever, kNever, kNever} : time->second;
  result.slowdown = slowdownOf(result.time, row.best);
  result.outcome = outcomeOf(result.slowdown, threshold);
  return result;
}

llvm::Expected<Replay> helion::aot::replay(const Tuned &tuned) {
  Replay result;
  std::vector<MatrixRow> weights;
  std::vector<double> medians, lows, highs;
  for (const TunedSignature &signature : tuned.signatures) {
    ReplayedSignature &out = result.signatures.emplace_back();
    out.signature = &signature;
    for (const TunedRow &row : signature.rows) {
      llvm::Expected<ReplayedRow> replayed = replayRow(signature, row, tuned.threshold);
      if (!replayed)
        return replayed.takeError();
      weights.push_back({row.row.weight, row.row.group});
      medians.push_back(replayed->slowdown.median);
      lows.push_back(replayed->slowdown.low);
      highs.push_back(replayed->slowdown.high);
      out.rows.push_back(std::move(*replayed));
    }
  }
  Matrix shape(weights, {});
  bool unmeasured = llvm::any_of(tuned.signatures, [](const TunedSignature &one) { return one.rows.empty(); });
  auto figure = [&](Goal goal) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    if (weights.empty())
      return Interval{kUnknown, kUnknown, kUnknown};
    return Interval{shape.value(goal, medians), shape.value(goal, lows), shape.value(goal, highs)};
  };
  std::optional<Goal> goal = parseGoal(tuned.goal);
  if (!goal)
    return llvm::createStringError("unknown goal `" + tuned.goal + "`; known are " + listOfGoals());
  result.figure = figure(*goal);
  result.worst = figure(Goal::MaxSlowdown);
  result.mean = figure(Goal::GeomeanSlowdown);
  result.outcome = outcomeOf(result.figure, tuned.threshold);
  if ((unmeasured || tuned.unmeasured) && result.outcome == Outcome::Met)
    result.outcome = Outcome::Undecided; // Of a signature or row that nobody measured nothing is known.
  return result;
}

//===-- Package --------------------------------------------------------------------------------------------------===//

static std::string featureName(const SizeExpr &expr) {
  std::string name;
  expr.walkLeaves([&](const Leaf &leaf) {
    name += name.empty() ? "" : "_times_";
    name += leaf.name;
    if (leaf.kind == Leaf::Kind::Size)
      name += "_size" + std::to_string(leaf.index);
  });
  return name;
}

/// What the tree asks, and every size of the call, so that the package knows which calls were measured.
static std::vector<Feature> packageFeatures(const TunedSignature &signature) {
  constexpr size_t kMost = 16; // The runtime's.
  std::vector<Feature> features;
  std::set<std::vector<int64_t>> columns;
  auto add = [&](const SizeExpr &expr, bool always) {
    Feature feature{expr, {}};
    for (const TunedRow &row : signature.rows) {
      Binding binding = row.row.binding();
      llvm::Expected<int64_t> value = expr.evaluate([&](const Leaf &leaf) { return binding.value(leaf); });
      feature.values.push_back(value ? *value : (llvm::consumeError(value.takeError()), 0));
    }
    bool known = llvm::any_of(features, [&](const Feature &other) { return other.expr == expr; });
    if (!known && features.size() < kMost && (columns.insert(feature.values).second || always))
      features.push_back(std::move(feature));
  };
  for (const DispatchTree::Node &node : signature.tree.nodes)
    if (!node.variant)
      add(node.feature, /*always=*/true);
  for (const Argument &argument : signature.arguments)
    for (unsigned dim = 0; argument.kind == Argument::Kind::Tensor && dim < argument.rank; ++dim)
      add(SizeExpr::size(argument.name, dim), /*always=*/false);
  return features;
}

static std::vector<PackageNode> packageTree(const TunedSignature &signature, llvm::ArrayRef<Feature> features) {
  std::vector<PackageNode> nodes;
  std::vector<double> means = meanSlowdowns(signature);
  BeyondVariants beyond = beyondVariants(signature);
  for (unsigned index = 0; index < signature.tree.nodes.size(); ++index) {
    const DispatchTree::Node &node = signature.tree.nodes[index];
    PackageNode out;
    if (node.variant) {
      out.variant = *node.variant;
      std::vector<unsigned> order = rankingAt(signature.tree, index, means, universalOf(signature), beyond);
      out.next.assign(order.begin() + 1, order.end());
    } else {
      out.feature =
          std::distance(features.begin(),
                        llvm::find_if(features, [&](const Feature &feature) { return feature.expr == node.feature; }));
      out.threshold = node.limit;
      out.atMost = node.thenNode;
      out.above = node.elseNode;
    }
    nodes.push_back(out);
  }
  return nodes;
}

constexpr size_t kIdDigits = 8;

static llvm::Expected<PackageSignature> packageSignature(const TunedSignature &signature, FindObject find) {
  PackageSignature out;
  for (const TunedVariant &variant : signature.variants) {
    llvm::Expected<helion::Artifact> artifact = find(signature, variant);
    if (!artifact)
      return artifact.takeError();
    // The text that was chosen; an artifact may have several.
    artifact->manifest.config = variant.config;
    if (variant.universal)
      out.universal = out.variants.size();
    std::string id = contentHash(variant.config).substr(0, kIdDigits);
    out.variants.push_back({std::move(artifact->manifest), std::move(id), std::move(artifact->object), ""});
  }
  std::vector<Feature> features = packageFeatures(signature);
  for (const Feature &feature : features)
    out.features.push_back({featureName(feature.expr), feature.expr});
  out.tree = packageTree(signature, features);
  for (size_t row = 0; row < signature.rows.size(); ++row) {
    std::vector<int64_t> &values = out.corpus.emplace_back();
    for (const Feature &feature : features)
      values.push_back(feature.values[row]);
  }
  return out;
}

llvm::Expected<std::vector<helion::Artifact>>
helion::aot::compileFurther(const Options &options, llvm::StringRef kernel, llvm::StringRef signature) {
  std::vector<helion::Artifact> artifacts;
  for (const Device *device : options.also) {
    Options other = options;
    other.device = device;
    llvm::Expected<SignatureProblem> loaded = loadSignature(other, kernel, signature);
    if (!loaded)
      return llvm::createStringError("`--also " + device->name() + "`: " + llvm::toString(loaded.takeError()));
    artifacts.push_back(std::move(loaded->universalArtifact));
  }
  return artifacts;
}

/// A config may be that of a measured variant, which is other code.
static void addFurther(llvm::ArrayRef<helion::Artifact> artifacts, PackageSignature &signature) {
  for (const helion::Artifact &artifact : artifacts) {
    std::string id = contentHash({artifact.manifest.config, artifact.manifest.target}).substr(0, kIdDigits);
    signature.variants.push_back({artifact.manifest, std::move(id), artifact.object, artifact.text});
  }
}

llvm::Expected<PackageSpec> helion::aot::packageSpec(const Options &options, const Tuned &tuned, const Replay &replayed,
                                                     const SelectionNotes &notes, FindObject find,
                                                     const FurtherArtifacts &further) {
  PackageSpec spec;
  spec.kernel = tuned.kernel;
  spec.kernelHash = tuned.kernelHash;
  spec.toolVersion = options.toolVersion;
  spec.tunedText = tuned.text();
  PackageFigures &figures = spec.figures;
  figures.goal = tuned.goal;
  figures.threshold = tuned.threshold;
  figures.outcome = replayed.outcome;
  figures.unmeasured = tuned.unmeasured;
  figures.pool = tuned.poolSize;
  figures.poolRandom = tuned.poolRandom;
  figures.poolWhole = tuned.poolWhole;
  figures.worst = replayed.worst.median;
  figures.mean = replayed.mean.median;
  figures.heldOut = notes.heldOut;
  figures.smallestSet = notes.setMinimum;
  figures.smallestRealisable = notes.treeMinimum;
  for (const TunedSignature &signature : tuned.signatures) {
    llvm::Expected<PackageSignature> packed = packageSignature(signature, find);
    if (!packed)
      return packed.takeError();
    if (auto found = further.find(signature.name); found != further.end())
      addFurther(found->second, *packed);
    spec.signatures.push_back(std::move(*packed));
  }
  return spec;
}
