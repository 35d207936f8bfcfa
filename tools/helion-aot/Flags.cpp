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
#include "llvm/Support/Program.h"
#include "llvm/Support/Threading.h"
#include <cmath>

using namespace helion;
using namespace helion::aot;
namespace cl = llvm::cl;
using Phase = Options::Phase;

namespace {
/// Made after LLVM's own flags are gone: its libraries register some of the same names.
struct Flags {
  /// Help prints categories, and LLVM's general one is gone with its flags.
  cl::OptionCategory category{"Flags of helion-aot"};
  cl::opt<std::string> kernelFile{cl::Positional, cl::desc("<kernel.py or kernel.mlir>")};
  cl::opt<Phase> phase{"phase", cl::desc("What to do:"), cl::init(Phase::All),
                       cl::values(clEnumValN(Phase::Collect, "collect", "find candidates for each shape"),
                                  clEnumValN(Phase::Measure, "measure", "time candidates"),
                                  clEnumValN(Phase::Build, "build", "choose the set and write the package"),
                                  clEnumValN(Phase::Evaluate, "evaluate", "say how far from the best it is"),
                                  clEnumValN(Phase::All, "all", "all of these (default)"))};
  cl::opt<std::string> goal{"goal", cl::desc("max_slowdown (default), geomean_slowdown or avg_slowdown"),
                            cl::init("max_slowdown")};
  cl::opt<double> threshold{"threshold", cl::desc("What the goal may be at most (default 1.1)"), cl::init(1.1)};
  cl::opt<unsigned> maxConfigs{"max-configs", cl::desc("Configs per signature (default 8)"), cl::init(8)};
  cl::list<std::string> corpus{"corpus", cl::desc("Shapes, as JSON lines; may be repeated")};
  cl::list<std::string> heldOut{"held-out", cl::desc("Shapes that only evaluation sees; may be repeated")};
  cl::opt<std::string> cxx{"cxx",
                           cl::desc("C++ compiler that evaluation builds the package with (default: c++ on PATH); "
                                    "none: replay recorded times")};
  cl::opt<std::string> kernel{"kernel", cl::desc("The kernel's name; not needed when the file has one")};
  cl::list<std::string> specialize{"specialize",
                                   cl::desc("A size that signatures fix, such as `x.size(1)`; may be repeated")};
  cl::list<std::string> also{"also", cl::desc("Another GPU target that the package serves, by one config that is not "
                                              "measured; may be repeated")};
  cl::opt<std::string> target{"target", cl::desc("cpu:native (default), cpu:x86-64-v3, nvidia:sm_90a, .."),
                              cl::init("cpu:native")};
  cl::opt<std::string> output{"o", cl::desc("Folder of the package")};
  cl::opt<std::string> runDir{"run-dir", cl::desc("Folder of what is learnt (default: `<-o>.run`)")};
  cl::opt<unsigned> jobs{"jobs", cl::desc("Compiles at a time (default: all cores)"), cl::init(0)};
  cl::opt<unsigned> threads{"threads", cl::desc("Threads of the kernels (default: all cores)"), cl::init(0)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Of random choices (default 0)"), cl::init(0)};
  cl::opt<unsigned> pool{"pool", cl::desc("Distinct artifacts to compare (default 64)"), cl::init(64)};
  cl::opt<std::string> mode{"mode", cl::desc("cold (default) or warm caches; of a GPU also graph"), cl::init("cold")};
  cl::opt<double> budgetSeconds{"budget-seconds", cl::desc("Time for the whole command"), cl::init(0)};
  cl::opt<double> gpuSeconds{"gpu-seconds", cl::desc("Time on the device"), cl::init(0)};
  cl::opt<double> compileSeconds{"compile-seconds", cl::desc("Time for the compile of one config (default 120)"),
                                 cl::init(120)};
  cl::opt<unsigned> compileMemory{"compile-memory", cl::desc("Memory for it, in MiB (default 4096)"), cl::init(4096)};
  cl::opt<double> answerSeconds{
      "answer-seconds", cl::desc("Time for an answer of the worker (default: 60 to start or be timed, 20 to run once)"),
      cl::init(0)};
  cl::opt<uint64_t> maxBytes{"max-bytes", cl::desc("What the package's code may take (default: no limit)"),
                             cl::init(0)};
  cl::opt<std::string> worker{"worker", cl::desc("Command of a worker, such as `ssh box helion-worker`")};
  cl::opt<std::string> from{"from", cl::desc("Build from this .tuned.jsonl alone")};
  cl::opt<bool> json{"json", cl::desc("Print one JSON object")};
  cl::opt<bool> dryRun{"dry-run", cl::desc("Print the space and the cost; do nothing")};
  cl::opt<bool> strict{"strict", cl::desc("Write no package unless the goal is met")};
};
} // namespace

static llvm::Error usage(const llvm::Twine &message) { return llvm::createStringError(message); }

static std::string realText(double value) { return llvm::formatv("{0}", value); }

static llvm::Error checkNumbers(const Flags &flags) {
  if (!(flags.threshold >= 1) || std::isinf(flags.threshold))
    return usage("`--threshold` is `" + realText(flags.threshold) + "`; a slowdown is at least 1");
  if (flags.maxConfigs == 0)
    return usage("`--max-configs` is `0`; a package holds at least one");
  if (flags.pool == 0)
    return usage("`--pool` is `0`; at least one candidate is needed");
  constexpr double kYear = 365 * 86400.0;
  for (const cl::opt<double> *seconds : {&flags.budgetSeconds, &flags.gpuSeconds, &flags.answerSeconds})
    if (!(*seconds >= 0 && *seconds <= kYear))
      return usage("`--" + seconds->ArgStr + "` is `" + realText(*seconds) +
                   "`; give seconds, at most a year's, or 0 for the default");
  if (!(flags.compileSeconds > 0 && flags.compileSeconds <= kYear))
    return usage("`--compile-seconds` is `" + realText(flags.compileSeconds) + "`; give seconds, more than 0");
  if (flags.compileMemory == 0)
    return usage("`--compile-memory` is `0`; a compile takes some MiB");
  if (flags.maxBytes.getNumOccurrences() && flags.maxBytes == 0)
    return usage("`--max-bytes` is `0`; a package holds code");
  constexpr unsigned kMostThreads = 256; // The worker's.
  if (flags.threads > kMostThreads)
    return usage("`--threads` is `" + llvm::Twine(flags.threads.getValue()) + "`; a worker has at most " +
                 llvm::Twine(kMostThreads));
  if (flags.mode != "cold" && flags.mode != "warm" && flags.mode != "graph")
    return usage("`--mode` is `" + flags.mode + "`; known are `cold`, `warm`, `graph`");
  return llvm::Error::success();
}

/// What only one kind of device has.
static llvm::Error checkDevice(const Flags &flags, const Device &device) {
  if (device.cpu() && flags.mode == "graph")
    return usage("`--mode graph` needs a GPU's `--target`, not `" + device.name() + "`");
  if (!device.cpu() && flags.threads)
    return usage("`--threads` is of a CPU; a config of `" + device.name() + "` says how many threads a block has");
  return llvm::Error::success();
}

/// The targets of `--also`, each another one.
static llvm::Expected<std::vector<const Device *>> furtherTargets(const Flags &flags, const Device &measured) {
  std::vector<const Device *> targets;
  for (const std::string &name : flags.also) {
    llvm::Expected<const Device *> device = parseDevice(name);
    if (!device)
      return device.takeError();
    if (measured.cpu() || (*device)->cpu())
      return usage("`--also " + name + "` goes with a GPU's `--target` and names another GPU's, not `" +
                   ((*device)->cpu() ? **device : measured).name() + "`");
    if (*device == &measured || llvm::is_contained(targets, *device))
      return usage("`--also " + name + "` names a target that the package has already");
    targets.push_back(*device);
  }
  return targets;
}

static llvm::Error setDevices(const Flags &flags, Options &options) {
  llvm::Expected<const Device *> device = parseDevice(flags.target);
  if (!device)
    return device.takeError();
  if (llvm::Error error = checkDevice(flags, **device))
    return error;
  llvm::Expected<std::vector<const Device *>> also = furtherTargets(flags, **device);
  if (!also)
    return also.takeError();
  options.device = *device;
  options.also = std::move(*also);
  return llvm::Error::success();
}

static llvm::Error checkFiles(const Flags &flags) {
  if (flags.kernelFile.empty())
    return usage("no kernel file; give a `.py` or `.mlir` file");
  llvm::StringRef extension = llvm::sys::path::extension(flags.kernelFile);
  if (extension != ".py" && extension != ".mlir")
    return usage("`" + flags.kernelFile + "` is neither a `.py` nor a `.mlir` file");
  if (flags.from.empty() && flags.corpus.empty())
    return usage("no corpus; give `--corpus shapes.jsonl`");
  if (flags.output.empty() && !(flags.dryRun && flags.from.empty()))
    return usage("no output; give `-o folder`");
  bool evaluates = flags.phase == Phase::Evaluate || flags.phase == Phase::All;
  if (!flags.heldOut.empty() && !evaluates)
    return usage("`--held-out` needs `--phase evaluate` or `--phase all`");
  if (!flags.cxx.empty() && flags.cxx != "none" && !llvm::sys::findProgramByName(flags.cxx))
    return usage("`--cxx` is `" + flags.cxx + "`; there is no such program");
  if (!flags.from.empty() && flags.phase != Phase::Build)
    return usage("`--from` needs `--phase build`");
  return llvm::Error::success();
}

/// Names this program: its own bytes, and the LLVM that it is linked with.
static std::string buildIdOf(llvm::StringRef program) {
  auto bytes = llvm::MemoryBuffer::getFile(program, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  llvm::StringRef parts[] = {bytes ? (*bytes)->getBuffer() : llvm::StringRef(), LLVM_VERSION_STRING};
  return contentHash(parts);
}

/// Beside the package, however its folder is written: `out/` has `out.run`, and `.` the folder's own name.
static std::string runDirBeside(llvm::StringRef output) {
  llvm::SmallString<128> folder(output);
  if (llvm::StringRef name = llvm::sys::path::filename(output); name == "." || name == "..")
    if (llvm::sys::fs::make_absolute(folder)) // No working directory: the folder is looked for, and not found, later.
      folder = output;
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return (folder + ".run").str();
}

static std::vector<std::string> workerCommand(const std::string &worker, llvm::StringRef program) {
  if (!worker.empty()) // As a shell reads it.
    return {"/bin/sh", "-c", "exec " + worker};
  llvm::SmallString<128> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "helion-worker");
  return {path.str().str()};
}

/// What of it is missing stays empty.
static BuildTools findTools(llvm::StringRef cxx) {
  BuildTools tools;
  auto find = [](std::initializer_list<llvm::StringRef> names) {
    for (llvm::StringRef name : names)
      if (auto path = llvm::sys::findProgramByName(name))
        return *path;
    return std::string();
  };
  if (cxx == "none")
    return tools;
  tools.cxx = cxx.empty() ? find({"c++", "g++", "clang++"}) : find({cxx});
  tools.cmake = find({"cmake"});
  tools.generator = find({"ninja"}).empty() ? "Unix Makefiles" : "Ninja";
  return tools;
}

/// Help prints our category, and LLVM's own flags that are left are of others.
static void showOnly(Flags &flags) {
  for (auto &entry : cl::getRegisteredOptions())
    if (entry.second->Categories.front() == &cl::getGeneralCategory())
      entry.second->addCategory(flags.category);
    else if (entry.first == "color")
      entry.second->setHiddenFlag(cl::Hidden);
}

llvm::Expected<Options> helion::aot::parseFlags(int argc, char **argv) {
  static int anchor; // Its address is in this program.
  std::string program = llvm::sys::fs::getMainExecutable(argv[0], &anchor), message;
  llvm::raw_string_ostream errors(message);
  cl::ResetCommandLineParser();
  static Flags flags;
  showOnly(flags);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Tunes a kernel over shapes and writes a C++ package. What it learns: `helion-aot journal --help`.\n",
          &errors))
    return usage(llvm::StringRef(message).trim());
  if (llvm::Error error = checkNumbers(flags))
    return std::move(error);
  if (llvm::Error error = checkFiles(flags))
    return std::move(error);
  std::optional<Goal> parsedGoal = parseGoal(flags.goal);
  if (!parsedGoal)
    return usage("`--goal` is `" + flags.goal + "`; known are " + listOfGoals());
  Options options;
  if (llvm::Error error = setDevices(flags, options))
    return std::move(error);
  options.phase = flags.phase;
  options.kernelFile = flags.kernelFile;
  options.kernelName = flags.kernel;
  options.corpus.assign(flags.corpus.begin(), flags.corpus.end());
  options.heldOut.assign(flags.heldOut.begin(), flags.heldOut.end());
  options.tools = findTools(flags.cxx);
  options.specialize.assign(flags.specialize.begin(), flags.specialize.end());
  options.goal = *parsedGoal;
  options.threshold = flags.threshold;
  options.maxConfigs = flags.maxConfigs;
  options.output = flags.output;
  options.runDir = flags.runDir.empty() ? runDirBeside(flags.output) : flags.runDir;
  options.from = flags.from;
  options.worker = workerCommand(flags.worker, program);
  options.mode = flags.mode;
  options.threads = flags.threads;
  options.jobs = flags.jobs ? flags.jobs : llvm::hardware_concurrency().compute_thread_count();
  options.pool = flags.pool;
  options.seed = flags.seed;
  options.budgetSeconds = flags.budgetSeconds;
  options.gpuSeconds = flags.gpuSeconds;
  options.compileSeconds = flags.compileSeconds;
  options.compileMebibytes = flags.compileMemory;
  options.answerSeconds = flags.answerSeconds;
  options.maxBytes = flags.maxBytes;
  options.json = flags.json;
  options.dryRun = flags.dryRun;
  options.strict = flags.strict;
  options.buildId = buildIdOf(program);
  options.toolVersion = HELION_VERSION_STRING;
  return options;
}
