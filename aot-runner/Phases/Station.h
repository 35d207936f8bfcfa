// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run works with once it has a run directory: the locked directory, its journal, a worker where something is
// measured, the samples of one device class. Made once per run; everything in it refers to the rest.
#ifndef HELION_AOT_RUNNER_PHASES_STATION_H
#define HELION_AOT_RUNNER_PHASES_STATION_H

#include "aot-runner/Phases/Pool.h"

namespace helion::aot {

/// The device that a worker must have; empty for a CPU, of which any is taken.
std::string workerTarget(const Options &options);

class Station {
public:
  /// Without a `client` nothing can be measured, and the samples are those of the latest session.
  static llvm::Expected<std::unique_ptr<Station>> open(const Options &options, Budget &budget, Progress &progress,
                                                       WorkerClient *client);

  Workbench &workbench() { return bench; }
  const std::string &deviceClass() const { return device; }
  std::string protocol() const { return worker.protocol(); }

private:
  Station(const Options &options, Budget &budget, Progress &progress, WorkerClient *client, RunDir runDir,
          Journal journal);
  llvm::Error load(WorkerClient *client);
  llvm::Expected<std::string> lastDevice();

  const Options &options;
  RunDir runDir;
  Journal journal;
  WorkerClient none;
  Bench worker;
  std::string device;
  SampleStore samples;
  Timing timing;
  Workbench bench;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_STATION_H
