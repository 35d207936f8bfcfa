// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of one input row: made once, used by every candidate. Each buffer lies between two red zones; outputs and
// workspace are poisoned before a checked run, inputs are compared with their checksum after it, and tensors that the
// kernel changes in place get their first contents back before every run.
#ifndef HELION_TOOLS_WORKER_CASE_H
#define HELION_TOOLS_WORKER_CASE_H

#include "Protocol.h"

#include "aot-runner/runtime/InitialValues.h"

#include <map>
#include <memory>

namespace helion::worker {

enum class Role { Input, Output, Workspace, InOut };

class Buffer {
public:
  /// `align` is exact: the origin's address is a multiple of it and of no larger power of two up to 128. `originOffset`
  /// lies in the bytes, behind their start only with negative strides. False without memory.
  bool allocate(std::string name, Role role, int64_t bytes, int64_t align, int64_t originOffset);

  /// Where the bytes begin, and where the plan's pointers count from.
  char *begin() { return start; }
  char *origin() { return start + originOffset; }
  int64_t size() const { return bytes; }
  const std::string &name() const { return label; }
  Role role() const { return kind; }

  void poison(uint8_t pattern);
  /// Remembers the contents, and for an InOut which of the bytes are elements of `view`.
  void seal(const HELION_RUNTIME::TensorView &view);
  /// Puts back what an InOut held when it was sealed.
  void restore();
  /// Says what was damaged: a red zone, the contents of an input, or an InOut between its elements.
  void check(Failure &failure) const;
  /// What a run gave: an InOut's elements in row-major order, the bytes of others.
  std::string contents() const;

private:
  void checkBetweenElements(Failure &failure) const;

  struct Release {
    void operator()(char *memory) const;
  };
  std::unique_ptr<char, Release> memory;
  std::string label;
  Role kind = Role::Input;
  char *start = nullptr;
  int64_t bytes = 0;
  int64_t originOffset = 0;
  uint64_t checksum = 0;
  // InOut: what it held, and the tensor in it.
  std::vector<char> sealed;
  std::vector<int64_t> sizes, strides;
  int64_t elementBytes = 0;
};

/// Equal contents have equal hashes.
std::string hashOf(const std::string &contents);

class Case {
public:
  /// `buffers` is the list of a `case` request.
  void build(const Json &buffers, Failure &failure);

  Buffer *find(const std::string &name);
  std::vector<Buffer> &all() { return buffers; }
  void poison(uint8_t pattern);
  void restore();
  /// Whether a run changes what the next one reads.
  bool changesInputs() const;
  void check(Failure &failure) const;
  /// Removes the contents of all buffers from every cache. Says how in `evictionMethod`.
  void evict();
  static const char *evictionMethod();

private:
  void addTensor(Fields &fields, const std::string &name, Role role, Failure &failure);
  void addRaw(Fields &fields, const std::string &name, Role role, Failure &failure);

  std::vector<Buffer> buffers;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_CASE_H
