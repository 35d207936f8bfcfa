// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plan.h"

#include "aot-runner/runtime/Fill.h"

#include <cstring>

namespace runtime = HELION_RUNTIME;

namespace helion::worker {

/// The address `byte_offset` behind the buffer's element 0; `bytes` from there must lie in the buffer.
static Address addressIn(Case &buffers, const std::string &name, int64_t byteOffset, int64_t bytes, Failure &failure) {
  Buffer *buffer = buffers.find(name);
  if (!buffer) {
    failure.set("protocol", "the plan uses a buffer `" + name + "` that the case lacks");
    return 0;
  }
  int64_t from = int64_t(buffer->origin() - buffer->begin()) + byteOffset;
  if (from < 0 || from > buffer->size() || bytes > buffer->size() - from) {
    failure.set("protocol", "the plan uses bytes " + std::to_string(from) + " to " + std::to_string(from + bytes) +
                                " of `" + name + "`, which has " + std::to_string(buffer->size()));
    return 0;
  }
  return buffer->begin() + Address(from);
}

static constexpr int64_t maxBytes = int64_t(1) << 40;

static int hexDigit(char digit) {
  return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/// The bytes of one element in hexadecimal, first byte first.
static uint64_t patternOf(const std::string &text, Failure &failure) {
  size_t bytes = text.size() / 2;
  bool fits = text.size() % 2 == 0 && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
  char element[8] = {};
  for (size_t i = 0; fits && i < bytes; ++i) {
    int high = hexDigit(text[2 * i]), low = hexDigit(text[2 * i + 1]);
    fits = high >= 0 && low >= 0;
    element[i] = char(high * 16 + low);
  }
  if (fits)
    return runtime::fillPattern(element, int64_t(bytes));
  failure.set("protocol", "the pattern `" + text + "` is not 1, 2, 4 or 8 bytes in hexadecimal");
  return 0;
}

void Plan::bindFill(Fields &fields, Case &buffers, Step &step, Failure &failure) {
  std::string name = fields.text("buffer");
  int64_t offset = fields.integer("byte_offset", -maxBytes, maxBytes, 0);
  step.kind = Step::Kind::Fill;
  step.fill.bytes = fields.integer("bytes", 0, maxBytes);
  step.fill.pattern = patternOf(fields.text("pattern"), failure);
  step.fill.data = addressIn(buffers, name, offset, step.fill.bytes, failure);
}

static int64_t scalarWord(Fields &fields, Failure &failure) {
  std::string dtype = fields.text("dtype");
  double value = fields.number("scalar");
  runtime::DType type = runtime::DType::F64;
  if (!runtime::parseDType(dtype.c_str(), type) || !runtime::info(type).isFloat())
    failure.set("protocol", "a scalar argument has the dtype `" + dtype + "`; it must be a float type");
  int64_t word = 0;
  runtime::encode(type, value, &word);
  return word;
}

static int64_t argumentWord(const Json &argument, Case &buffers, Failure &failure) {
  Fields fields(argument, "an argument", failure);
  int64_t word = 0;
  if (fields.has("pointer")) {
    std::string name = fields.text("pointer");
    int64_t offset = fields.integer("byte_offset", -maxBytes, maxBytes, 0);
    word = int64_t(addressIn(buffers, name, offset, 0, failure));
  } else if (fields.has("index")) {
    word = fields.integer("index", INT64_MIN, INT64_MAX);
  } else if (fields.has("scalar")) {
    word = scalarWord(fields, failure);
  } else {
    failure.set("protocol", "an argument has none of `pointer`, `index`, `scalar` and `map`");
  }
  fields.finish();
  return word;
}

/// Of a tensor from the address of its first element on: the bytes that it has. False where they cannot be counted.
static bool findSpan(const runtime::MapBox &box, const runtime::MapTensor &tensor, int64_t &begin, int64_t &end) {
  begin = 0;
  end = runtime::info(box.dtype).bytes;
  for (int dim = 0; dim < box.rank; ++dim) {
    int64_t stride = dim == 0 ? runtime::info(box.dtype).bytes : tensor.byteStrides[dim - 1], reach = 0;
    int64_t &side = stride < 0 ? begin : end;
    if (__builtin_mul_overflow(tensor.sizes[dim] - 1, stride, &reach) || __builtin_add_overflow(side, reach, &side))
      return false;
  }
  return true;
}

/// The address of a tensor that lies in the buffer.
static Address mapAddress(const LaunchMap &map, int64_t offset, Case &buffers, Failure &failure) {
  int64_t begin = 0, end = 0;
  if (!findSpan(map.box, map.tensor, begin, end) || begin < -maxBytes || end > maxBytes) {
    failure.set("protocol", "the map of `" + map.buffer + "` has more bytes than a buffer can");
    return 0;
  }
  return addressIn(buffers, map.buffer, offset + begin, end - begin, failure) - Address(begin);
}

/// Reads the lists of a map, which must have the same length; whether a driver takes their numbers is for it to say.
static void readMapDims(Fields &fields, LaunchMap &map, Failure &failure) {
  std::vector<int64_t> sizes = fields.integers("sizes"), strides = fields.integers("strides");
  std::vector<int64_t> box = fields.integers("box");
  bool fits = !sizes.empty() && sizes.size() <= runtime::maxMapRank && strides.size() + 1 == sizes.size() &&
              box.size() == sizes.size();
  if (!fits)
    return failure.set("protocol", "the map of `" + map.buffer + "` has " + std::to_string(sizes.size()) + " sizes, " +
                                       std::to_string(strides.size()) + " strides and a box of " +
                                       std::to_string(box.size()) + " dims; 1 to 5, one fewer and as many are needed");
  map.box.rank = int(sizes.size());
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] < 1 || box[dim] < 1 || box[dim] > UINT32_MAX)
      failure.set("protocol", "the map of `" + map.buffer + "` has a size of " + std::to_string(sizes[dim]) +
                                  " and a box of " + std::to_string(box[dim]) + " in one dim; at least 1 is needed");
    map.tensor.sizes[dim] = sizes[dim];
    map.box.extents[dim] = uint32_t(box[dim]);
    if (dim > 0)
      map.tensor.byteStrides[dim - 1] = strides[dim - 1];
  }
}

static LaunchMap bindMap(const Json &argument, size_t place, Case &buffers, Failure &failure) {
  Fields fields(argument, "an argument", failure);
  LaunchMap map;
  map.argument = place;
  map.buffer = fields.text("map");
  std::string dtype = fields.text("dtype");
  int64_t offset = fields.integer("byte_offset", -maxBytes, maxBytes);
  map.box.swizzle = int(fields.integer("swizzle", 0, 128));
  if (!runtime::parseDType(dtype.c_str(), map.box.dtype))
    failure.set("protocol", "the map of `" + map.buffer + "` has the unknown dtype `" + dtype + "`");
  if (map.box.swizzle != 0 && map.box.swizzle != 32 && map.box.swizzle != 64 && map.box.swizzle != 128)
    failure.set("protocol", "the map of `" + map.buffer + "` has the swizzle " + std::to_string(map.box.swizzle) +
                                "; 0, 32, 64 and 128 are allowed");
  readMapDims(fields, map, failure);
  fields.finish();
  Address data = failure ? 0 : mapAddress(map, offset, buffers, failure);
  map.tensor.data = reinterpret_cast<const char *>(data);
  return map;
}

static void bindArgument(const Json &argument, Case &buffers, Launch &launch, Failure &failure) {
  bool isMap = argument.is_object() && argument.contains("map");
  if (isMap)
    launch.maps.push_back(bindMap(argument, launch.arguments.size(), buffers, failure));
  launch.arguments.push_back(isMap ? 0 : argumentWord(argument, buffers, failure));
}

void Plan::bindLaunch(Fields &fields, const Artifact &artifact, Case &buffers, Step &step, Failure &failure) {
  Launch &launch = step.launch;
  launch.symbol = fields.text("symbol");
  std::vector<int64_t> grid = fields.integers("grid");
  if (grid.size() > 3)
    failure.set("protocol",
                "the grid of `" + launch.symbol + "` has " + std::to_string(grid.size()) + " extents, at most 3 work");
  for (size_t d = 0; d < 3; ++d)
    launch.grid[d] = d < grid.size() ? grid[d] : 1;
  for (const Json &argument : fields.list("arguments"))
    bindArgument(argument, buffers, launch, failure);
  device.readLaunch(fields, launch, failure);
  if (!failure)
    launch.kernel = artifact.find(launch.symbol, failure);
  if (!failure)
    device.prepare(launch, failure);
}

/// A tensor of the case as the package gets it.
static int64_t tensorWord(Fields &fields, Case &buffers, DLDevice device, PackageCall &call, Failure &failure) {
  std::string name = fields.text("tensor"), dtype = fields.text("dtype");
  auto bound = std::make_unique<PackageCall::Tensor>();
  bound->sizes = fields.integers("sizes");
  bound->strides = fields.integers("strides");
  runtime::DType type = runtime::DType::F32;
  if (!runtime::parseDType(dtype.c_str(), type))
    failure.set("protocol", "`" + name + "` has the unknown dtype `" + dtype + "`");
  if (bound->strides.size() != bound->sizes.size())
    failure.set("protocol", "`" + name + "` has " + std::to_string(bound->sizes.size()) + " sizes and " +
                                std::to_string(bound->strides.size()) + " strides");
  Address data = addressIn(buffers, name, 0, 0, failure);
  const runtime::DTypeInfo &info = runtime::info(type);
  bound->tensor = {reinterpret_cast<void *>(data),
                   device,
                   int32_t(bound->sizes.size()),
                   {info.dlpackCode, info.dlpackBits, 1},
                   bound->sizes.data(),
                   bound->strides.data(),
                   0};
  call.tensors.push_back(std::move(bound));
  return reinterpret_cast<int64_t>(&call.tensors.back()->tensor);
}

void PackageCall::bind(Fields &fields, Case &buffers, const Backend &device, Failure &failure) {
  symbol = fields.text("symbol");
  for (const Json &argument : fields.list("arguments")) {
    bool isTensor = argument.is_object() && argument.contains("tensor");
    bool isStream = argument.is_object() && argument.contains("stream");
    if (isStream) {
      Fields stream(argument, "an argument", failure);
      words.push_back(stream.boolean("stream", false) ? device.streamWord() : 0);
      stream.finish();
      continue;
    }
    if (!isTensor) {
      words.push_back(argumentWord(argument, buffers, failure));
      continue;
    }
    Fields tensor(argument, "an argument", failure);
    words.push_back(tensorWord(tensor, buffers, device.dlpackDevice(), *this, failure));
    tensor.finish();
  }
}

void Plan::bindCall(Fields &fields, const Artifact &artifact, Case &buffers, int threads, Step &step,
                    Failure &failure) {
  step.kind = Step::Kind::Call;
  step.call.bind(fields, buffers, device, failure);
  std::string setThreads = fields.text("set_threads");
  if (failure)
    return;
  step.callee = findFunction<PackageCall::Function>(artifact, step.call.symbol, failure);
  if (auto function = findFunction<int (*)(int)>(artifact, setThreads, failure))
    function(threads);
}

void Plan::bind(const Json &plan, const Artifact &artifact, Case &buffers, int threads, Failure &failure) {
  device.setThreads(threads);
  Fields fields(plan, "the plan", failure);
  for (const Json &row : fields.list("steps")) {
    Fields stepFields(row, "a step", failure);
    Step step;
    std::string kind = stepFields.text("step");
    if (kind == "fill")
      bindFill(stepFields, buffers, step, failure);
    else if (kind == "launch")
      bindLaunch(stepFields, artifact, buffers, step, failure);
    else if (kind == "call")
      bindCall(stepFields, artifact, buffers, threads, step, failure);
    else
      failure.set("protocol", "a step is `" + kind + "`, not `call`, `fill` or `launch`");
    stepFields.finish();
    if (failure)
      return;
    steps.push_back(std::move(step));
  }
  fields.finish();
}

void Plan::run(Failure &failure) const {
  for (const Step &step : steps) {
    if (step.kind == Step::Kind::Fill)
      device.run(step.fill, failure);
    else if (step.kind == Step::Kind::Launch)
      device.run(step.launch, failure);
    else if (int status = step.callee(step.call.words.data()))
      failure.set("status", "the package's function returned the status " + std::to_string(status));
    if (failure)
      return;
  }
}

} // namespace helion::worker
