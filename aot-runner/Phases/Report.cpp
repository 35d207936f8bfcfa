// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports.
#include "aot-runner/Phases/Report.h"

#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;

/// `x=37x53 y=53x29 n=4`
static std::string shapeText(const Row &row) {
  std::vector<std::string> words;
  for (auto &[name, arg] : row.args) {
    std::string text = "none";
    if (arg.kind == RowArg::Kind::Number)
      text = canonicalJson(arg.number.json());
    if (arg.kind == RowArg::Kind::Tensor)
      text = llvm::join(llvm::map_range(arg.shape, [](int64_t size) { return std::to_string(size); }), "x");
    words.push_back(name + "=" + text);
  }
  return llvm::join(words, " ");
}

static std::string configId(const TunedVariant &variant) { return contentHash(variant.config).substr(0, 8); }

static std::string figureText(const Interval &figure) {
  if (std::isnan(figure.median))
    return "unknown";
  return llvm::formatv("{0:F3} [{1:F3}, {2:F3}]", figure.median, figure.low, figure.high);
}

static std::string slowdownText(const EvaluatedRow &row) { return row.best ? figureText(row.slowdown) : "-"; }

/// How the recorded best was brought to now, where it is what the row is compared with.
static std::string recordedText(const EvaluatedRow &row) {
  if (row.lacksAnchor)
    return ", nothing here tells how fast the recorded best is now";
  if (!row.best || !row.bestArtifact.empty())
    return "";
  return llvm::formatv(", against the recorded best, scaled by {0:F2} as its anchor", row.anchorRatio);
}

static void printEvaluation(llvm::raw_ostream &os, const Evaluation &evaluation, const Tuned &tuned) {
  os << llvm::formatv("evaluated (measured): the linked package, {0} {1} <= {2}: {3}\n", tuned.goal,
                      figureText(evaluation.figure), tuned.threshold, name(evaluation.outcome));
  os << llvm::formatv("  {0,-40} {1,-9} {2,-8} {3,12} {4,-24} {5,-10} {6}\n", "row", "config", "reason", "time",
                      "slowdown", "max error", "verdict");
  for (const EvaluatedSignature &signature : evaluation.signatures)
    for (const EvaluatedRow &row : signature.rows)
      os << llvm::formatv("  {0,-40} {1,-9} {2,-8} {3,9:F2} us {4,-24} {5,-10} {6}{7}{8}\n", shapeText(*row.row),
                          row.configId, row.reason, row.time.median / 1000, slowdownText(row),
                          llvm::formatv("{0:E2}", row.check.maxAbs).str(), row.best ? name(row.outcome) : "-",
                          row.heldOut ? ", held out" : "", recordedText(row));
  os << llvm::formatv("a call costs {0:F0} ns beside its kernel, which slowdowns do not count\n", evaluation.callNs);
  if (evaluation.heldOutWorst)
    os << llvm::formatv("held-out rows: worst {0:F3}, mean {1:F3}\n", evaluation.heldOutWorst->median,
                        evaluation.heldOutMean->median);
}

void helion::aot::printReport(llvm::raw_ostream &os, const Outcomes &outcomes) {
  for (const std::string &remark : outcomes.remarks)
    os << remark << "\n";
  if (!outcomes.tuned)
    return;
  const Tuned &tuned = *outcomes.tuned;
  const Replay &replayed = *outcomes.replayed;
  os << llvm::formatv("{0} on {1}, pool of {2} artifacts, {3} {4} <= {5}: {6}{7}\n", tuned.kernel, tuned.target,
                      tuned.poolSize, tuned.goal, figureText(replayed.figure), tuned.threshold, name(replayed.outcome),
                      outcomes.evaluation ? "" : " (replayed)");
  for (const ReplayedSignature &signature : replayed.signatures) {
    os << "signature " << signature.signature->name << ", " << signature.signature->variants.size() << " configs\n";
    for (const TunedVariant &variant : signature.signature->variants)
      os << "  " << configId(variant) << (variant.beyond ? " (beyond)" : "")
         << (variant.universal ? " (universal) " : " ") << variant.config << "\n";
    os << llvm::formatv("  {0,-40} {1,-9} {2,12} {3,-24} {4}\n", "row", "config", "time", "slowdown", "verdict");
    for (const ReplayedRow &row : signature.rows)
      os << llvm::formatv("  {0,-40} {1,-9} {2,9:F2} us {3,-24} {4}\n", shapeText(row.row->row), configId(*row.variant),
                          row.time.median / 1000, figureText(row.slowdown), name(row.outcome));
  }
  os << llvm::formatv("recorded: worst {0:F3}, mean {1:F3}", replayed.worst.median, replayed.mean.median);
  if (outcomes.notes.heldOut)
    os << llvm::formatv(", worst on left-out groups {0:F3}", *outcomes.notes.heldOut);
  if (outcomes.notes.setMinimum)
    os << llvm::formatv("; smallest set {0}{1}", *outcomes.notes.setMinimum,
                        outcomes.notes.minimumProved ? "" : " (not proved)");
  if (outcomes.notes.treeMinimum)
    os << llvm::formatv(", smallest with a tree {0}", *outcomes.notes.treeMinimum);
  os << "\n";
  if (outcomes.evaluation)
    printEvaluation(os, *outcomes.evaluation, tuned);
  else if (!outcomes.replayedBecause.empty())
    os << "evaluated (replayed): " << outcomes.replayedBecause << "\n";
  if (!outcomes.output.empty())
    os << "package: " << outcomes.output << "\n";
}

static json::Object intervalJson(const Interval &interval) {
  return json::Object{
      {"median", realToJson(interval.median)}, {"low", realToJson(interval.low)}, {"high", realToJson(interval.high)}};
}

static json::Array rowsJson(const ReplayedSignature &signature) {
  json::Array rows;
  for (const ReplayedRow &row : signature.rows)
    rows.push_back(json::Object{{"args", row.row->row.argsJson()},
                                {"config", row.variant->config},
                                {"config_id", configId(*row.variant)},
                                {"time_ns", intervalJson(row.time)},
                                {"best_ns", intervalJson(row.row->best)},
                                {"slowdown", intervalJson(row.slowdown)},
                                {"verdict", name(row.outcome)}});
  return rows;
}

static json::Object evaluatedRowJson(const EvaluatedRow &row) {
  json::Object result{{"args", row.row->argsJson()},
                      {"held_out", row.heldOut},
                      {"config_id", row.configId},
                      {"reason", row.reason},
                      {"in_corpus", row.inCorpus},
                      {"in_range", row.inRange},
                      {"explanation", row.explanation},
                      {"time_ns", intervalJson(row.time)},
                      {"universal_ns", intervalJson(row.universal)},
                      {"max_abs_error", realToJson(row.check.maxAbs)},
                      {"max_rel_error", realToJson(row.check.maxRel)},
                      {"tolerance", realToJson(row.check.tolerance)},
                      {"check", name(row.check.verdict)}};
  if (row.lacksAnchor)
    result["lacks_anchor"] = true;
  if (!row.best)
    return result;
  if (row.bestArtifact.empty())
    result["anchor_ratio"] = realToJson(row.anchorRatio);
  if (row.bare)
    result["bare_ns"] = intervalJson(*row.bare);
  result["best_ns"] = intervalJson(*row.best);
  result["best_is_recorded"] = row.bestArtifact.empty();
  result["slowdown"] = intervalJson(row.slowdown);
  result["verdict"] = name(row.outcome);
  return result;
}

static json::Object evaluationJson(const Outcomes &outcomes) {
  if (!outcomes.evaluation)
    return json::Object{{"how", "replayed"}, {"why", outcomes.replayedBecause}};
  const Evaluation &evaluation = *outcomes.evaluation;
  json::Array signatures;
  for (const EvaluatedSignature &signature : evaluation.signatures) {
    json::Array rows;
    for (const EvaluatedRow &row : signature.rows)
      rows.push_back(evaluatedRowJson(row));
    signatures.push_back(json::Object{{"name", signature.signature->name}, {"rows", std::move(rows)}});
  }
  json::Object result{{"how", "measured"},
                      {"verdict", name(evaluation.outcome)},
                      {"figure", intervalJson(evaluation.figure)},
                      {"worst", intervalJson(evaluation.worst)},
                      {"mean", intervalJson(evaluation.mean)},
                      {"call_ns", realToJson(evaluation.callNs)},
                      {"signatures", std::move(signatures)}};
  if (evaluation.heldOutWorst) {
    result["held_out_worst"] = intervalJson(*evaluation.heldOutWorst);
    result["held_out_mean"] = intervalJson(*evaluation.heldOutMean);
  }
  return result;
}

json::Value helion::aot::reportJson(const Outcomes &outcomes, ExitCode exit) {
  json::Object result{{"exit", static_cast<int>(exit)}, {"remarks", json::Array(outcomes.remarks)}};
  if (!outcomes.tuned)
    return result;
  const Tuned &tuned = *outcomes.tuned;
  const Replay &replayed = *outcomes.replayed;
  json::Array signatures;
  for (const ReplayedSignature &signature : replayed.signatures)
    signatures.push_back(json::Object{{"name", signature.signature->name},
                                      {"configs", static_cast<int64_t>(signature.signature->variants.size())},
                                      {"rows", rowsJson(signature)}});
  result["kernel"] = tuned.kernel;
  result["target"] = tuned.target;
  result["goal"] = tuned.goal;
  result["threshold"] = tuned.threshold;
  result["pool"] = static_cast<int64_t>(tuned.poolSize);
  result["verdict"] = name(outcomes.outcome);
  result["recorded_verdict"] = name(replayed.outcome);
  result["figure"] = intervalJson(replayed.figure);
  result["worst"] = intervalJson(replayed.worst);
  result["mean"] = intervalJson(replayed.mean);
  result["replayed"] = !outcomes.evaluation;
  if (outcomes.evaluation || !outcomes.replayedBecause.empty())
    result["evaluation"] = evaluationJson(outcomes);
  result["output"] = outcomes.output;
  result["signatures"] = std::move(signatures);
  if (outcomes.notes.heldOut)
    result["held_out"] = realToJson(*outcomes.notes.heldOut);
  if (outcomes.notes.setMinimum)
    result["set_minimum"] = *outcomes.notes.setMinimum;
  if (outcomes.notes.treeMinimum)
    result["tree_minimum"] = *outcomes.notes.treeMinimum;
  return result;
}
