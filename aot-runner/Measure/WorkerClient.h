// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a worker (docs/formats/worker-protocol.md) and what can become of them. Starts the process when it is
// needed and again after it died; who is to blame is the caller's question.
#ifndef HELION_AOT_RUNNER_MEASURE_WORKERCLIENT_H
#define HELION_AOT_RUNNER_MEASURE_WORKERCLIENT_H

#include "aot-runner/Measure/WorkerProcess.h"
#include "llvm/Support/JSON.h"

namespace helion::aot {

struct WorkerAnswer {
  enum class Kind {
    Ok,
    Refused,  // The worker says why; `reason` is its kind, such as `memory`.
    Died,     // No answer; the process is gone.
    TimedOut, // No answer in time; the process was ended.
    Garbled,  // Something that is no answer; the process was ended.
    Stopped   // We were asked to stop.
  };
  Kind kind = Kind::Ok;
  llvm::json::Object body;
  std::string reason, message;
};

/// What `hello` says of the machine.
struct WorkerDevice {
  std::string target; // The best target that it runs.
  std::string name;
  int64_t cores = 0, memoryBytes = 0; // Of a GPU, its multiprocessors.
  int64_t powerLimitMilliwatts = 0;   // Of a GPU; 0: unknown.
  /// Machines of one class may share samples: name, cores, memory in GiB, and a GPU's power limit.
  std::string deviceClass() const;
};

class WorkerClient {
public:
  static constexpr int64_t protocol = 1;

  static constexpr int64_t kHelloMs = 60000; // A batch system may take its time.

  /// `stop` outlives the client. `target` is what the worker must run code for; empty: its CPU's best.
  WorkerClient(std::vector<std::string> command, std::string log, const std::atomic<bool> &stop,
               int64_t helloMs = kHelloMs, std::string target = "")
      : command(std::move(command)), log(std::move(log)), stop(stop), helloMs(helloMs), target(std::move(target)) {}
  /// The program at `path`.
  static std::vector<std::string> program(llvm::StringRef path) { return {path.str()}; }
  /// What a user wrote, as a shell reads it.
  static std::vector<std::string> shellCommand(llvm::StringRef text) { return {"/bin/sh", "-c", "exec " + text.str()}; }

  /// Starts a fresh process, whatever there was, and greets it. An error says that there is no worker to talk to.
  llvm::Error restart();
  bool isRunning() const { return process != nullptr; }
  const WorkerDevice &device() const { return greeted; }
  /// Counts processes: what was loaded into another one is gone.
  unsigned generation() const { return started; }

  /// One request, without its id. The worker is told the deadline, and gets a little longer.
  WorkerAnswer ask(llvm::json::Object request, int64_t deadlineMs);
  void end() { process.reset(); }

private:
  WorkerAnswer failure(WorkerAnswer::Kind kind, llvm::StringRef what);
  WorkerAnswer read(llvm::StringRef line, int64_t id);
  llvm::Error readDevice(const llvm::json::Object &answer);

  std::vector<std::string> command;
  std::string log;
  const std::atomic<bool> &stop;
  int64_t helloMs;
  std::string target;
  std::unique_ptr<WorkerProcess> process;
  WorkerDevice greeted;
  unsigned started = 0;
  int64_t nextId = 0;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_WORKERCLIENT_H
