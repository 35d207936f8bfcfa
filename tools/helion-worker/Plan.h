// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A resolved launch plan (docs/design/0002): numbers only, bound to one case and one loaded artifact, ready to run
// again and again. A plan may also be one call of a package through its C ABI.
#ifndef HELION_TOOLS_WORKER_PLAN_H
#define HELION_TOOLS_WORKER_PLAN_H

#include "Case.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace helion::worker {

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
  void bind(Fields &fields, Case &buffers, const Backend &device, Failure &failure);
};

/// The function that an artifact has under this name; `Function` is its type.
template <typename Function>
Function findFunction(const Artifact &artifact, const std::string &symbol, Failure &failure) {
  void *address = artifact.find(symbol, failure);
  Function function = nullptr;
  static_assert(sizeof function == sizeof address);
  std::memcpy(&function, &address, sizeof function);
  return function;
}

class Plan {
public:
  explicit Plan(Backend &device) : device(device) {}

  /// `plan` is the object of a `run` or `time` request; `threads` are those of its kernels.
  void bind(const Json &plan, const Artifact &artifact, Case &buffers, int threads, Failure &failure);

  /// Puts all steps on the device, which may run them later.
  void run(Failure &failure) const;

private:
  struct Step {
    enum class Kind { Fill, Launch, Call };
    Kind kind = Kind::Launch;
    Fill fill;
    Launch launch;
    PackageCall call;
    PackageCall::Function callee = nullptr;
  };

  void bindFill(Fields &fields, Case &buffers, Step &step, Failure &failure);
  void bindLaunch(Fields &fields, const Artifact &artifact, Case &buffers, Step &step, Failure &failure);
  void bindCall(Fields &fields, const Artifact &artifact, Case &buffers, int threads, Step &step, Failure &failure);

  Backend &device;
  std::vector<Step> steps;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_PLAN_H
