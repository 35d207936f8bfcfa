// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resolved launch plan (docs/design/0002): numbers only, bound to one case and one loaded artifact, ready to run
// again and again. A plan may also be one call of a package through its C ABI.
#ifndef HELION_TOOLS_WORKER_PLAN_H
#define HELION_TOOLS_WORKER_PLAN_H

#include "Case.h"

#include "aot-runner/runtime/ThreadPool.h"
#include "aot-runner/runtime/dlpack.h"

#include <cstring>
#include <map>
#include <memory>
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
  /// `Function` is the type of the symbol.
  template <typename Function> Function find(const std::string &symbol, Failure &failure) const {
    void *address = addressOf(symbol, failure);
    Function function = nullptr;
    static_assert(sizeof function == sizeof address);
    std::memcpy(&function, &address, sizeof function);
    return function;
  }

private:
  void *addressOf(const std::string &symbol, Failure &failure) const;

  void *handle = nullptr;
};

/// A call of a package: `function(words)` passes them on to the C ABI and returns its status. A word is the address of
/// a DLTensor or 0, an integer, the bits of a double, or the address of a buffer.
struct PackageCall {
  using Function = int (*)(const int64_t *words);

  struct Tensor {
    DLTensor tensor{};
    std::vector<int64_t> sizes, strides;
  };
  std::string symbol;
  std::vector<int64_t> words;
  std::vector<std::unique_ptr<Tensor>> tensors; // That words point to.

  /// Reads `arguments`.
  void bind(Fields &fields, Case &buffers, Failure &failure);
};

class Plan {
public:
  /// `plan` is the object of a `run` or `time` request; `threads` are those of its kernels.
  void bind(const Json &plan, const Artifact &artifact, Case &buffers, int threads, Failure &failure);

  /// 0, or what `explain` turns into a failure.
  int run() const;
  static void explain(int status, Failure &failure);

private:
  struct Fill {
    void *data;
    int64_t bytes;
    uint64_t pattern;
  };
  struct Step {
    enum class Kind { Fill, Launch, Call };
    Kind kind = Kind::Launch;
    PackageCall call;
    PackageCall::Function callee = nullptr;
    Fill fill{};
    HELION_RUNTIME::ProgramFunction function = nullptr;
    std::vector<int64_t> arguments;
    int64_t grid[3] = {0, 0, 0};
    int64_t scratchBytes = 0;
  };

  void bindFill(Fields &fields, Case &buffers, Step &step, Failure &failure);
  void bindLaunch(Fields &fields, const Artifact &artifact, Case &buffers, Step &step, Failure &failure);
  void bindCall(Fields &fields, const Artifact &artifact, Case &buffers, int threads, Step &step, Failure &failure);

  std::vector<Step> steps;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_PLAN_H
