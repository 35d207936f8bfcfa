// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of one input row: made once, used by every candidate. Each buffer lies between two red zones; outputs and
// workspace are poisoned before a checked run, inputs are compared with their checksum after it.
#ifndef HELION_TOOLS_WORKER_CASE_H
#define HELION_TOOLS_WORKER_CASE_H

#include "Protocol.h"

#include "aot-runner/runtime/DType.h"

#include <map>
#include <memory>

namespace helion::worker {

enum class Role { Input, Output, Workspace };

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
  void seal();
  /// Says what was damaged: a red zone, or the contents of an input.
  void check(Failure &failure) const;
  std::string hash() const;

private:
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
};

class Case {
public:
  /// `buffers` is the list of a `case` request.
  void build(const Json &buffers, Failure &failure);

  Buffer *find(const std::string &name);
  std::vector<Buffer> &all() { return buffers; }
  void poison(uint8_t pattern);
  void check(Failure &failure) const;
  /// Removes the contents of all buffers from every cache. Says how in `evictionMethod`.
  void evict();
  static const char *evictionMethod();

private:
  void addInput(Fields &fields, const std::string &name, Failure &failure);
  void addRaw(Fields &fields, const std::string &name, Failure &failure);

  std::vector<Buffer> buffers;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_CASE_H
