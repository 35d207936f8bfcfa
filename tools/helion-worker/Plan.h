// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resolved launch plan (docs/design/0002): numbers only, bound to one case and one loaded artifact, ready to run
// again and again.
#ifndef HELION_TOOLS_WORKER_PLAN_H
#define HELION_TOOLS_WORKER_PLAN_H

#include "Case.h"

#include "aot-runner/runtime/ThreadPool.h"

#include <map>
#include <string>
#include <vector>

namespace helion::worker {

/// A shared object whose kernels were looked up.
class Artifact {
public:
  Artifact() = default;
  Artifact(Artifact &&other) noexcept : handle(other.handle) { other.handle = nullptr; }
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;
  ~Artifact();

  void load(const std::string &path, Failure &failure);
  HELION_RUNTIME::ProgramFunction find(const std::string &symbol, Failure &failure) const;

private:
  void *handle = nullptr;
};

class Plan {
public:
  /// `plan` is the object of a `run` or `time` request.
  void bind(const Json &plan, const Artifact &artifact, Case &buffers, Failure &failure);

  /// False when memory ran out.
  bool run() const;

private:
  struct Fill {
    void *data;
    int64_t bytes;
    uint64_t pattern;
  };
  struct Step {
    bool isFill = false;
    Fill fill{};
    HELION_RUNTIME::ProgramFunction function = nullptr;
    std::vector<int64_t> arguments;
    int64_t grid[3] = {0, 0, 0};
    int64_t scratchBytes = 0;
  };

  void bindFill(Fields &fields, Case &buffers, Step &step, Failure &failure);
  void bindLaunch(Fields &fields, const Artifact &artifact, Case &buffers, Step &step, Failure &failure);

  std::vector<Step> steps;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_PLAN_H
