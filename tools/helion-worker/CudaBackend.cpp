// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An NVIDIA GPU through the driver that this machine has: one primary context, one stream, modules from cubins, PTX or
// fatbins, events as the clock. The stream waits for copies of the host and they for it, so steps need no other order.
#include "Backend.h"

#include "Nvml.h"

#include "aot-runner/runtime/Cuda.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

/// Targets of which a device may run several, the best first; as the table of targets has them.
static constexpr const char *chips[] = {"sm_90a", "sm_80"};

/// What a driver's event says of time, by its manual; finer differences are only seen in means.
static constexpr int64_t eventResolution = 500;

namespace {

/// Turns what the driver answers into failures.
class Driver {
public:
  explicit Driver(const runtime::CudaDriver &table) : table(table) {}

  const runtime::CudaDriver *operator->() const { return &table; }
  const runtime::CudaDriver &functions() const { return table; }

  /// Whether the call went well. `kind` is that of a failure after which the context is still good.
  bool did(runtime::CUresult result, const char *what, const char *kind, Failure &failure) const {
    if (result == runtime::CUDA_SUCCESS)
      return true;
    bool noMemory = result == runtime::CUDA_ERROR_OUT_OF_MEMORY;
    failure.set(runtime::isSticky(result) ? "device" : noMemory ? "memory" : kind, said(result, what));
    return false;
  }
  std::string said(runtime::CUresult result, const char *what) const {
    const char *words = nullptr;
    std::string text = std::string(what) + " failed with " + runtime::cudaErrorName(table, result);
    if (table.cuGetErrorString(result, &words) == runtime::CUDA_SUCCESS && words)
      text += std::string(": ") + words;
    return text;
  }

private:
  const runtime::CudaDriver &table;
};

class CudaModule : public Artifact {
public:
  CudaModule(const Driver &driver, std::string image) : driver(driver), image(std::move(image)) {}
  CudaModule(const CudaModule &) = delete;
  ~CudaModule() override {
    if (module)
      driver->cuModuleUnload(module);
  }

  void load(Failure &failure) {
    // What the assembler inside of the driver says of PTX.
    char log[1024] = "";
    runtime::CUjit_option options[] = {runtime::CU_JIT_ERROR_LOG_BUFFER, runtime::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
    runtime::CUresult result = driver->cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
    if (driver.did(result, "loading the artifact", "load", failure))
      return;
    module = nullptr;
    if (log[0])
      failure.message += "; " + std::string(log);
  }

  void *find(const std::string &symbol, Failure &failure) const override {
    runtime::CUfunction function = nullptr;
    runtime::CUresult result = driver->cuModuleGetFunction(&function, module, symbol.c_str());
    return driver.did(result, ("finding `" + symbol + "` in the artifact").c_str(), "load", failure) ? function
                                                                                                     : nullptr;
  }

private:
  const Driver &driver;
  std::string image; // The driver may load a kernel when it is first used.
  runtime::CUmodule module = nullptr;
};

class CudaBackend : public Backend {
public:
  CudaBackend(const runtime::CudaDriver &table, const runtime::CudaFacts &facts)
      : driver(table), facts(facts), nvml(facts.busId) {}
  void start(Failure &failure);

  void describe(Json &device) const override;
  DLDevice dlpackDevice() const override { return {kDLCUDA, 0}; }
  int64_t streamWord() const override { return reinterpret_cast<int64_t>(stream); }

  Address allocate(int64_t bytes, Failure &failure) override;
  void release(Address block) override { driver->cuMemFree_v2(block); }
  void set(Address to, uint8_t value, int64_t bytes, Failure &failure) override {
    if (bytes > 0)
      driver.did(driver->cuMemsetD8Async(to, value, size_t(bytes), stream), "setting memory", "device", failure);
  }
  void copy(Address to, Address from, int64_t bytes, Failure &failure) override {
    if (bytes > 0)
      driver.did(driver->cuMemcpyDtoDAsync_v2(to, from, size_t(bytes), stream), "copying memory", "device", failure);
  }
  void upload(Address to, const char *from, int64_t bytes, Failure &failure) override {
    if (bytes > 0)
      driver.did(driver->cuMemcpyHtoD_v2(to, from, size_t(bytes)), "copying to the device", "device", failure);
  }
  const char *fetch(Address from, int64_t bytes, Shelf shelf, Failure &failure) override;
  char *hostAddress(Address) override { return nullptr; }

  std::unique_ptr<Artifact> load(const std::string &path, Failure &failure) override;
  void setThreads(int) override {}
  void readLaunch(Fields &fields, Launch &launch, Failure &failure) override;
  void prepare(Launch &launch, Failure &failure) override;
  void run(const Fill &fill, Failure &failure) override;
  void run(const Launch &launch, Failure &failure) override;
  void finish(Failure &failure) override {
    driver.did(driver->cuStreamSynchronize(stream), "the run", "device", failure);
  }

  void evict(const std::vector<Span> &buffers, Failure &failure) override;
  const char *evictionMethod() const override { return "write"; }
  void startClock(Failure &failure) override {
    driver.did(driver->cuEventRecord(events[0], stream), "recording an event", "device", failure);
  }
  double stopClock(Failure &failure) override;
  int64_t shortestSample() const override { return 200 * eventResolution; }
  bool runsBehind() const override { return true; }
  void startGraph(Failure &failure) override;
  void endGraph(Failure &failure) override;
  void runGraph(Failure &failure) override {
    driver.did(driver->cuGraphLaunch(graph, stream), "launching the graph", "device", failure);
  }
  void describeSample(Json &answer, bool after) const override;

private:
  runtime::CUresult launchWithMaps(const Launch &launch, const runtime::CudaLaunch &words) const;

  Driver driver;
  runtime::CudaFacts facts;
  Nvml nvml;
  runtime::CUstream stream = nullptr;
  runtime::CUevent events[2] = {nullptr, nullptr};
  runtime::CUgraphExec graph = nullptr;
  Address foreign = 0; // What is written to evict all else.
  struct HostMemory {
    void *data;
    int64_t bytes;
  };
  HostMemory shelves[2] = {{nullptr, 0}, {nullptr, 0}}; // As Shelf.
};

} // namespace

void CudaBackend::start(Failure &failure) {
  runtime::CUcontext context = nullptr;
  bool started =
      driver.did(driver->cuDevicePrimaryCtxRetain(&context, facts.device), "making a context", "no_device", failure) &&
      driver.did(driver->cuCtxSetCurrent(context), "making a context current", "no_device", failure) &&
      driver.did(driver->cuStreamCreate(&stream, 0), "making a stream", "no_device", failure);
  for (runtime::CUevent &event : events)
    started = started && driver.did(driver->cuEventCreate(&event, 0), "making an event", "no_device", failure);
}

void CudaBackend::describe(Json &device) const {
  Json targets = Json::array();
  for (const char *chip : chips)
    if (runtime::cudaFit(facts, chip) != runtime::CudaFit::None)
      targets.push_back("nvidia:" + std::string(chip));
  device = {{"target", targets.empty() ? Json("nvidia:none") : targets.front()},
            {"targets", targets},
            {"name", facts.name},
            {"cores", facts.multiprocessors},
            {"compute_capability", std::to_string(facts.major) + "." + std::to_string(facts.minor)},
            {"l2_bytes", facts.level2Bytes},
            {"shared_bytes", facts.sharedBytes},
            {"memory_bytes", facts.memoryBytes},
            {"clock_khz", facts.clockKilohertz},
            {"memory_clock_khz", facts.memoryClockKilohertz},
            {"power_limit_mw", nvml.powerLimit()},
            {"driver_cuda", facts.driverVersion}};
}

//===-- Memory ----------------------------------------------------------------------------------------------------===//

Address CudaBackend::allocate(int64_t bytes, Failure &failure) {
  runtime::CUdeviceptr block = 0;
  runtime::CUresult result = driver->cuMemAlloc_v2(&block, size_t(bytes));
  if (result == runtime::CUDA_ERROR_OUT_OF_MEMORY)
    return 0;
  return driver.did(result, "allocating memory", "device", failure) ? block : 0;
}

/// Shelves are of memory that the device writes by itself, which is several times as fast, and never shrink.
const char *CudaBackend::fetch(Address from, int64_t bytes, Shelf shelf, Failure &failure) {
  HostMemory &memory = shelves[int(shelf)];
  if (bytes > memory.bytes || !memory.data) {
    if (memory.data)
      driver->cuMemFreeHost(memory.data);
    memory = {nullptr, std::max({bytes, 2 * memory.bytes, int64_t(1) << 20})};
    if (!driver.did(driver->cuMemAllocHost_v2(&memory.data, size_t(memory.bytes)), "allocating memory of the host",
                    "memory", failure))
      memory = {nullptr, 0};
  }
  if (bytes > 0 && memory.data)
    driver.did(driver->cuMemcpyDtoH_v2(memory.data, from, size_t(bytes)), "copying from the device", "device", failure);
  return failure ? nullptr : static_cast<const char *>(memory.data);
}

//===-- Artifacts and steps ---------------------------------------------------------------------------------------===//

std::unique_ptr<Artifact> CudaBackend::load(const std::string &path, Failure &failure) {
  std::ifstream file(path, std::ios::binary);
  std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || image.empty()) {
    failure.set("load", "cannot read `" + path + "`");
    return nullptr;
  }
  auto module = std::make_unique<CudaModule>(driver, std::move(image));
  module->load(failure);
  return failure ? nullptr : std::move(module);
}

void CudaBackend::readLaunch(Fields &fields, Launch &launch, Failure &failure) {
  constexpr int64_t most = int64_t(1) << 40;
  launch.threads = fields.integer("threads", 1, most);
  launch.sharedBytes = fields.integer("shared", 0, most);
  auto limit = [&](const char *what, int64_t value, int64_t largest) {
    if (value > largest)
      failure.set("launch", "`" + launch.symbol + "` has " + std::to_string(value) + " " + what +
                                ", the device allows " + std::to_string(largest));
  };
  limit("threads in a block", launch.threads, facts.maxThreads);
  limit("bytes of shared memory in a block", launch.sharedBytes, facts.sharedBytes);
  static constexpr const char *axes[] = {"blocks along x", "blocks along y", "blocks along z"};
  for (int axis = 0; axis < 3; ++axis)
    limit(axes[axis], launch.grid[axis], facts.maxGrid[axis]);
  limit("arguments", int64_t(launch.arguments.size()), runtime::maxCudaArguments);
}

void CudaBackend::prepare(Launch &launch, Failure &failure) {
  auto function = static_cast<runtime::CUfunction>(launch.kernel);
  if (!launch.maps.empty() && !driver->cuTensorMapEncodeTiled)
    return failure.set("launch", "`" + launch.symbol + "` takes a map of `" + launch.maps.front().buffer +
                                     "`, and the NVIDIA driver lacks the function `cuTensorMapEncodeTiled`; install a "
                                     "newer driver");
  for (LaunchMap &map : launch.maps)
    driver.did(runtime::cudaEncodeMap(driver.functions(), map.box, map.tensor, map.bytes),
               ("making the map of `" + map.buffer + "` for `" + launch.symbol + "`").c_str(), "launch", failure);
  driver.did(runtime::cudaAllowShared(driver.functions(), function, launch.sharedBytes),
             ("allowing `" + launch.symbol + "` its shared memory").c_str(), "launch", failure);
}

void CudaBackend::run(const Fill &fill, Failure &failure) {
  driver.did(runtime::cudaFill(driver.functions(), fill.data, fill.bytes, fill.pattern, stream), "a fill", "device",
             failure);
}

/// The driver copies the maps, as it does words, so a graph keeps them.
runtime::CUresult CudaBackend::launchWithMaps(const Launch &launch, const runtime::CudaLaunch &words) const {
  std::vector<void *> parameters;
  for (const int64_t &word : launch.arguments)
    parameters.push_back(const_cast<int64_t *>(&word));
  for (const LaunchMap &map : launch.maps)
    parameters[map.argument] = const_cast<unsigned char *>(map.bytes.bytes);
  parameters.push_back(nullptr);
  return runtime::cudaLaunchAt(driver.functions(), words, parameters.data(), stream);
}

void CudaBackend::run(const Launch &launch, Failure &failure) {
  runtime::CudaLaunch words;
  words.function = static_cast<runtime::CUfunction>(launch.kernel);
  words.arguments = launch.arguments.data();
  words.argumentCount = int(launch.arguments.size());
  words.grid = launch.grid;
  words.threads = launch.threads;
  words.sharedBytes = launch.sharedBytes;
  runtime::CUresult result =
      launch.maps.empty() ? runtime::cudaLaunch(driver.functions(), words, stream) : launchWithMaps(launch, words);
  if (result != runtime::CUDA_SUCCESS)
    driver.did(result, ("launching `" + launch.symbol + "`").c_str(), "launch", failure);
}

//===-- Time ------------------------------------------------------------------------------------------------------===//

/// Writing takes long enough for the host to put the plan's steps behind it, so no gap of the host is timed.
void CudaBackend::evict(const std::vector<Span> &, Failure &failure) {
  const int64_t bytes = std::max(4 * facts.level2Bytes, int64_t(256) << 20);
  if (!foreign)
    foreign = allocate(bytes, failure);
  if (!foreign)
    return failure.set("memory", "no memory for the " + std::to_string(bytes) + " bytes that evict the caches");
  set(foreign, 0, bytes, failure);
}

double CudaBackend::stopClock(Failure &failure) {
  float milliseconds = 0;
  if (driver.did(driver->cuEventRecord(events[1], stream), "recording an event", "device", failure) &&
      driver.did(driver->cuEventSynchronize(events[1]), "the run", "device", failure))
    driver.did(driver->cuEventElapsedTime(&milliseconds, events[0], events[1]), "reading events", "device", failure);
  return double(milliseconds) * 1e6;
}

void CudaBackend::startGraph(Failure &failure) {
  driver.did(driver->cuStreamBeginCapture_v2(stream, runtime::CU_STREAM_CAPTURE_MODE_RELAXED), "starting a graph",
             "device", failure);
}

void CudaBackend::endGraph(Failure &failure) {
  runtime::CUgraph captured = nullptr;
  if (graph)
    driver->cuGraphExecDestroy(graph);
  graph = nullptr;
  if (driver.did(driver->cuStreamEndCapture(stream, &captured), "ending a graph", "device", failure))
    driver.did(driver->cuGraphInstantiateWithFlags(&graph, captured, 0), "making a graph", "device", failure);
  if (captured)
    driver->cuGraphDestroy(captured);
}

void CudaBackend::describeSample(Json &answer, bool after) const {
  answer["resolution_ns"] = eventResolution;
  if (nvml.knowsDevice())
    answer["clocks"][after ? "after" : "before"] = {{"sm_mhz", nvml.multiprocessorClock()},
                                                    {"memory_mhz", nvml.memoryClock()}};
}

//===-- Finding the device ----------------------------------------------------------------------------------------===//

std::unique_ptr<Backend> makeCudaBackend(const std::string &target, Failure &failure) {
  runtime::CudaProblem problem;
  runtime::CudaFacts facts;
  const runtime::CudaDriver *driver = runtime::cudaDriver(problem);
  if (!driver || !runtime::cudaFacts(*driver, 0, facts, problem)) {
    failure.set("no_device", problem.text);
    return nullptr;
  }
  std::string chip = target.substr(target.find(':') + 1);
  if (runtime::cudaFit(facts, chip.c_str()) == runtime::CudaFit::None) {
    failure.set("no_device", "the device `" + std::string(facts.name) + "` has compute capability " +
                                 std::to_string(facts.major) + "." + std::to_string(facts.minor) +
                                 ", which cannot run code for `" + target + "`");
    return nullptr;
  }
  auto backend = std::make_unique<CudaBackend>(*driver, facts);
  backend->start(failure);
  return failure ? nullptr : std::move(backend);
}

} // namespace helion::worker
