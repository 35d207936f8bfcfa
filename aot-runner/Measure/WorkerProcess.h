// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child process that speaks lines: the operating system's side of a worker. Its stderr goes to a log file; it is in a
// process group of its own, so that a Ctrl-C at the terminal reaches us first and we end it.
#ifndef HELION_AOT_RUNNER_MEASURE_WORKERPROCESS_H
#define HELION_AOT_RUNNER_MEASURE_WORKERPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>
#include <string>

namespace helion::aot {

class WorkerProcess {
public:
  /// Fails where the program cannot be started at all.
  static llvm::Expected<std::unique_ptr<WorkerProcess>> start(llvm::ArrayRef<std::string> command, llvm::StringRef log);
  /// Ends the process group.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;

  /// False when the process no longer reads, does not read within the time, or `stop` became true.
  bool writeLine(llvm::StringRef line, int64_t timeoutMs, const std::atomic<bool> &stop);
  enum class Read { Line, Closed, TimedOut, Stopped };
  /// Waits for one line, without its newline. Stopped: `stop` became true.
  Read readLine(std::string &line, int64_t timeoutMs, const std::atomic<bool> &stop);
  /// Ends the process group, waits for it, and says how it went: "exit status 3", "signal 11 (Segmentation fault)".
  std::string end();
  /// Waits a little for the process to end by itself first, so that its own status is seen.
  std::string endAfterClose();

private:
  WorkerProcess(int pid, int socket) : pid(pid), socket(socket) {}
  int pid;
  int socket;          // Both directions.
  std::string pending; // Read, but not yet a whole line.
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_MEASURE_WORKERPROCESS_H
