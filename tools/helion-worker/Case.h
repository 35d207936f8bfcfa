// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of one input row: made once, used by every candidate. Each buffer lies between two red zones; outputs and
// workspace are poisoned before a checked run, inputs are compared with their checksum after it, and tensors that the
// kernel changes in place get their first contents back before every run.
#ifndef HELION_TOOLS_WORKER_CASE_H
#define HELION_TOOLS_WORKER_CASE_H

#include "Backend.h"

#include "aot-runner/runtime/InitialValues.h"

#include <functional>
#include <utility>

namespace helion::worker {

enum class Role { Input, Output, Workspace, InOut };

/// A block of a device's memory; 0 when there is none.
class DeviceBlock {
public:
  DeviceBlock() = default;
  DeviceBlock(Backend &device, int64_t bytes, Failure &failure)
      : device(&device), block(device.allocate(bytes, failure)) {}
  DeviceBlock(DeviceBlock &&other) noexcept { swap(other); }
  DeviceBlock &operator=(DeviceBlock &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBlock() {
    if (block)
      device->release(block);
  }

  Address address() const { return block; }

private:
  void swap(DeviceBlock &other) {
    std::swap(device, other.device);
    std::swap(block, other.block);
  }

  Backend *device = nullptr;
  Address block = 0;
};

class Buffer {
public:
  Buffer(Backend &device, std::string name, Role role) : device(&device), label(std::move(name)), kind(role) {}

  /// `align` is exact: the origin's address is a multiple of it and of no larger power of two up to 128. `originOffset`
  /// lies in the bytes, behind their start only with negative strides.
  void allocate(int64_t bytes, int64_t align, int64_t originOffset, Failure &failure);

  /// Where the bytes begin, and where the plan's pointers count from.
  Address begin() const { return start; }
  Address origin() const { return start + Address(originOffset); }
  int64_t size() const { return bytes; }
  const std::string &name() const { return label; }
  Role role() const { return kind; }

  void poison(uint8_t pattern, Failure &failure);
  /// Sets the contents of a tensor of this shape: `make` writes the elements to where it is told.
  void setContents(const HELION_RUNTIME::TensorView &shape,
                   const std::function<void(const HELION_RUNTIME::TensorView &view)> &make, Failure &failure);
  /// Puts back what an InOut held at first.
  void restore(Failure &failure);
  /// Says what was damaged: a red zone, the contents of an input, or an InOut between its elements.
  void check(Failure &failure) const;
  /// Hands on what a run gave: an InOut's elements in row-major order, the bytes of others.
  void read(const std::function<void(const char *contents, int64_t size)> &take, Failure &failure) const;

private:
  /// Remembers the contents, which lie at `image` too, and for an InOut which of the bytes are elements of `view`.
  void seal(const HELION_RUNTIME::TensorView &view, const char *image, Failure &failure);
  void checkBetweenElements(Failure &failure) const;

  Backend *device;
  std::string label;
  Role kind;
  DeviceBlock block;
  Address start = 0;
  int64_t bytes = 0;
  int64_t originOffset = 0;
  uint64_t checksum = 0;
  // InOut: what it held, and the tensor in it.
  DeviceBlock sealed;
  std::vector<int64_t> sizes, strides;
  int64_t elementBytes = 0;
};

/// Equal contents have equal hashes.
std::string hashOf(const char *contents, int64_t size);

class Case {
public:
  explicit Case(Backend &device) : device(&device) {}

  /// `buffers` is the list of a `case` request.
  void build(const Json &buffers, Failure &failure);

  Buffer *find(const std::string &name);
  std::vector<Buffer> &all() { return buffers; }
  void poison(uint8_t pattern, Failure &failure);
  void restore(Failure &failure);
  /// Whether a run changes what the next one reads.
  bool changesInputs() const;
  void check(Failure &failure) const;
  /// Removes the contents of all buffers from every cache.
  void evict(Failure &failure) const;

private:
  void addTensor(Fields &fields, const std::string &name, Role role, Failure &failure);
  void addRaw(Fields &fields, const std::string &name, Role role, Failure &failure);

  Backend *device;
  std::vector<Buffer> buffers;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_CASE_H
