// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Backend.h"

namespace helion::worker {

namespace {
struct Vendor {
  const char *name;
  std::unique_ptr<Backend> (*make)(const std::string &target, Failure &failure);
};
} // namespace

static constexpr Vendor vendors[] = {{"cpu", makeCpuBackend}, {"nvidia", makeCudaBackend}};

std::unique_ptr<Backend> makeBackend(const std::string &target, Failure &failure) {
  std::string name = target.substr(0, target.find(':'));
  for (const Vendor &vendor : vendors)
    if (name == vendor.name)
      return vendor.make(target, failure);
  failure.set("protocol", "`target` of the request is `" + target + "`; known are `cpu` and `nvidia:..`");
  return nullptr;
}

} // namespace helion::worker
