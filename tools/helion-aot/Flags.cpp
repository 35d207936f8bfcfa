// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags as LLVM's command line reads them; the checks beyond their types.
#include "Flags.h"

#include "dialect/Target/ContentHash.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include <cmath>

using namespace helion;
using namespace helion::aot;
namespace cl = llvm::cl;
using Phase = Options::Phase;

static cl::OptionCategory category("helion-aot options");
static cl::opt<std::string> kernelFile(cl::Positional, cl::desc("<kernel.py or kernel.mlir>"), cl::cat(category));
static cl::opt<Phase> phase("phase", cl::desc("What to do:"), cl::init(Phase::All), cl::cat(category),
                            cl::values(clEnumValN(Phase::Collect, "collect", "find candidates for each shape"),
                                       clEnumValN(Phase::Measure, "measure", "time candidates"),
                                       clEnumValN(Phase::Build, "build", "choose the set and write the package"),
                                       clEnumValN(Phase::Evaluate, "evaluate", "say how far from the best it is"),
                                       clEnumValN(Phase::All, "all", "all of these (default)")));
static cl::opt<std::string> goal("goal", cl::desc("max_slowdown (default), geomean_slowdown or avg_slowdown"),
                                 cl::init("max_slowdown"), cl::cat(category));
static cl::opt<double> threshold("threshold", cl::desc("What the goal may be at most (default 1.1)"), cl::init(1.1),
                                 cl::cat(category));
static cl::opt<unsigned> maxConfigs("max-configs", cl::desc("Configs per signature (default 8)"), cl::init(8),
                                    cl::cat(category));
static cl::list<std::string> corpus("corpus", cl::desc("Shapes, as JSON lines; may be repeated"), cl::cat(category));
static cl::opt<std::string> kernel("kernel", cl::desc("The kernel's name; not needed when the file has one"),
                                   cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("cpu:native (default), cpu:x86-64-v3, .."),
                                   cl::init("cpu:native"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("Folder of the package"), cl::cat(category));
static cl::opt<std::string> runDir("run-dir", cl::desc("Folder of what is learnt (default: `<-o>.run`)"),
                                   cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Compiles at a time (default: all cores)"), cl::init(0),
                              cl::cat(category));
static cl::opt<unsigned> threads("threads", cl::desc("Threads of the kernels (default: all cores)"), cl::init(0),
                                 cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("Of random choices (default 0)"), cl::init(0), cl::cat(category));
static cl::opt<unsigned> pool("pool", cl::desc("Distinct artifacts to compare (default 64)"), cl::init(64),
                              cl::cat(category));
static cl::opt<std::string> mode("mode", cl::desc("cold (default) or warm caches"), cl::init("cold"),
                                 cl::cat(category));
static cl::opt<double> budgetSeconds("budget-seconds", cl::desc("Time for the whole command"), cl::init(0),
                                     cl::cat(category));
static cl::opt<double> gpuSeconds("gpu-seconds", cl::desc("Time on the device"), cl::init(0), cl::cat(category));
static cl::opt<std::string> worker("worker", cl::desc("Command of a worker, such as `ssh box helion-worker`"),
                                   cl::cat(category));
static cl::opt<std::string> from("from", cl::desc("Build from this .tuned.jsonl alone"), cl::cat(category));
static cl::opt<bool> json("json", cl::desc("Print one JSON object"), cl::cat(category));
static cl::opt<bool> dryRun("dry-run", cl::desc("Print the space and the cost; do nothing"), cl::cat(category));
static cl::opt<bool> strict("strict", cl::desc("Write no package unless the goal is met"), cl::cat(category));

static llvm::Error usage(const llvm::Twine &message) { return llvm::createStringError(message); }

static std::string realText(double value) { return llvm::formatv("{0}", value); }

static llvm::Error checkNumbers() {
  if (!(threshold >= 1) || std::isinf(threshold))
    return usage("`--threshold` is `" + realText(threshold) + "`; a slowdown is at least 1");
  if (maxConfigs == 0)
    return usage("`--max-configs` is `0`; a package holds at least one");
  if (pool == 0)
    return usage("`--pool` is `0`; at least one candidate is needed");
  for (const cl::opt<double> *budget : {&budgetSeconds, &gpuSeconds})
    if (!(*budget >= 0) || std::isinf(*budget))
      return usage("`--" + budget->ArgStr + "` is `" + realText(*budget) +
                   "`; give seconds, or 0 for no limit");
  if (mode != "cold" && mode != "warm")
    return usage("`--mode` is `" + mode + "`; known are `cold`, `warm`");
  return llvm::Error::success();
}

static llvm::Error checkFiles() {
  if (kernelFile.empty())
    return usage("no kernel file; give a `.py` or `.mlir` file");
  llvm::StringRef extension = llvm::sys::path::extension(kernelFile);
  if (extension != ".py" && extension != ".mlir")
    return usage("`" + kernelFile + "` is neither a `.py` nor a `.mlir` file");
  if (from.empty() && corpus.empty())
    return usage("no corpus; give `--corpus shapes.jsonl`");
  if (output.empty() && !(dryRun && from.empty()))
    return usage("no output; give `-o folder`");
  if (!from.empty() && phase != Phase::Build)
    return usage("`--from` needs `--phase build`");
  return llvm::Error::success();
}

/// Names this program: its own bytes, and the LLVM that it is linked with.
static std::string buildIdOf(llvm::StringRef program) {
  auto bytes = llvm::MemoryBuffer::getFile(program, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  llvm::StringRef parts[] = {bytes ? (*bytes)->getBuffer() : llvm::StringRef(), LLVM_VERSION_STRING};
  return contentHash(parts);
}

static std::vector<std::string> workerCommand(llvm::StringRef program) {
  if (!worker.empty()) // As a shell reads it.
    return {"/bin/sh", "-c", "exec " + worker};
  llvm::SmallString<128> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "helion-worker");
  return {path.str().str()};
}

llvm::Expected<Options> helion::aot::parseFlags(int argc, char **argv) {
  static int anchor; // Its address is in this program.
  std::string program = llvm::sys::fs::getMainExecutable(argv[0], &anchor), message;
  llvm::raw_string_ostream errors(message);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Tunes a kernel over shapes and writes a C++ package.\n", &errors))
    return usage(llvm::StringRef(message).trim());
  if (llvm::Error error = checkNumbers())
    return std::move(error);
  if (llvm::Error error = checkFiles())
    return std::move(error);
  std::optional<Goal> parsedGoal = parseGoal(goal);
  if (!parsedGoal)
    return usage("`--goal` is `" + goal + "`; known are " + listOfGoals());
  llvm::Expected<const Device *> device = parseDevice(target);
  if (!device)
    return device.takeError();
  Options options;
  options.phase = phase;
  options.kernelFile = kernelFile;
  options.kernelName = kernel;
  options.corpus.assign(corpus.begin(), corpus.end());
  options.device = *device;
  options.goal = *parsedGoal;
  options.threshold = threshold;
  options.maxConfigs = maxConfigs;
  options.output = output;
  options.runDir = runDir.empty() ? output + ".run" : runDir;
  options.from = from;
  options.worker = workerCommand(program);
  options.mode = mode;
  options.threads = threads;
  options.jobs = jobs ? jobs : llvm::hardware_concurrency().compute_thread_count();
  options.pool = pool;
  options.seed = seed;
  options.budgetSeconds = budgetSeconds;
  options.gpuSeconds = gpuSeconds;
  options.json = json;
  options.dryRun = dryRun;
  options.strict = strict;
  options.buildId = buildIdOf(program);
  options.toolVersion = HELION_VERSION_STRING;
  return options;
}
