// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SharedObject.h"

#include <dlfcn.h>

namespace helion::worker {

namespace {

class SharedObject : public Artifact {
public:
  explicit SharedObject(void *handle) : handle(handle) {}
  SharedObject(const SharedObject &) = delete;
  ~SharedObject() override { dlclose(handle); }

  void *find(const std::string &symbol, Failure &failure) const override {
    void *address = dlsym(handle, symbol.c_str());
    if (!address)
      failure.set("load", "the artifact has no symbol `" + symbol + "`");
    return address;
  }

private:
  void *handle;
};

} // namespace

std::unique_ptr<Artifact> loadSharedObject(const std::string &path, Failure &failure) {
  // A bare name would be searched for in the system's library directories.
  std::string name = path.find('/') == std::string::npos ? "./" + path : path;
  if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
    return std::make_unique<SharedObject>(handle);
  failure.set("load", dlerror());
  return nullptr;
}

} // namespace helion::worker
