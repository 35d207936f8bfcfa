// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol's JSON.
#include "aot-runner/Measure/WireForm.h"

#include "aot-runner/Measure/InputData.h"
#include "aot-runner/runtime/Base64.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/StringExtras.h"

using namespace helion;
using namespace helion::aot;
namespace json = llvm::json;
using Role = ResolvedBuffer::Role;

static llvm::Expected<json::Object> wireArgument(const Row &row, const ResolvedBuffer &buffer, unsigned draw) {
  constexpr int64_t kMaxAlign = 64; // The protocol's.
  const RowArg &arg = row.args.at(buffer.name);
  json::Object result{{"name", buffer.name},
                      {"dtype", dtypeName(arg.dtype)},
                      {"sizes", json::Array(arg.shape)},
                      {"strides", json::Array(arg.strides)},
                      {"align", std::min(arg.align, kMaxAlign)}};
  if (buffer.writes)
    result["role"] = "inout";
  if (arg.init.kind != Init::Kind::File) {
    result["init"] = arg.init.text();
    result["seed"] = inputSeed(row, buffer.name, draw);
    return result;
  }
  llvm::Expected<interp::HostTensor> tensor = inputTensor(row, buffer.name);
  if (!tensor)
    return tensor.takeError();
  interp::HostTensor dense = tensor->copy();
  result["data"] = HELION_RUNTIME::encodeBase64(dense.storage->data(), dense.storage->size());
  return result;
}

llvm::Expected<json::Array> helion::aot::wireBuffers(const Row &row, const ResolvedPlan &plan, unsigned draw) {
  json::Array buffers;
  for (const ResolvedBuffer &buffer : plan.buffers) {
    if (buffer.role != Role::Argument) {
      buffers.push_back(json::Object{{"name", buffer.name},
                                     {"role", buffer.role == Role::Output ? "output" : "workspace"},
                                     {"bytes", buffer.endByte}});
      continue;
    }
    llvm::Expected<json::Object> argument = wireArgument(row, buffer, draw);
    if (!argument)
      return argument.takeError();
    buffers.push_back(std::move(*argument));
  }
  return buffers;
}

static json::Object wireMap(const ResolvedPlan &plan, const ResolvedWord &word) {
  const ResolvedMap &map = *word.map;
  return json::Object{{"map", plan.buffers[*word.buffer].name},
                      {"byte_offset", word.byteOffset},
                      {"dtype", dtypeName(map.dtype)},
                      {"sizes", json::Array(map.sizes)},
                      {"strides", json::Array(map.byteStrides)},
                      {"box", json::Array(map.box)},
                      {"swizzle", map.swizzle}};
}

static json::Object wireWord(const ResolvedPlan &plan, const ResolvedWord &word) {
  if (word.map)
    return wireMap(plan, word);
  if (word.buffer)
    return json::Object{{"pointer", plan.buffers[*word.buffer].name}, {"byte_offset", word.byteOffset}};
  return json::Object{{"index", static_cast<int64_t>(word.bits)}};
}

static json::Object wireStep(const ResolvedPlan &plan, const std::variant<ResolvedFill, ResolvedLaunch> &step) {
  if (const auto *fill = std::get_if<ResolvedFill>(&step))
    return json::Object{{"step", "fill"},
                        {"buffer", plan.buffers[fill->buffer].name},
                        {"bytes", fill->bytes},
                        {"pattern", llvm::toHex(fill->pattern, /*LowerCase=*/true)}};
  const auto &launch = std::get<ResolvedLaunch>(step);
  json::Array arguments;
  for (const ResolvedWord &word : launch.words)
    arguments.push_back(wireWord(plan, word));
  json::Object wire{{"step", "launch"},
                    {"symbol", launch.symbol},
                    {"grid", json::Array({launch.grid[0], launch.grid[1], launch.grid[2]})},
                    {"arguments", std::move(arguments)}};
  if (!launch.block) {
    wire["scratch_bytes"] = plan.scratchBytes;
    return wire;
  }
  wire["threads"] = launch.block->threads;
  wire["shared"] = launch.block->sharedBytes;
  return wire;
}

json::Object helion::aot::wirePlan(const ResolvedPlan &plan) {
  json::Array steps;
  for (const auto &step : plan.steps)
    steps.push_back(wireStep(plan, step));
  return json::Object{{"steps", std::move(steps)}};
}

static json::Object wireTensor(const ResolvedBuffer &buffer) {
  return json::Object{{"tensor", buffer.name},
                      {"dtype", dtypeName(buffer.dtype)},
                      {"sizes", json::Array(buffer.sizes)},
                      {"strides", json::Array(buffer.strides)}};
}

static json::Object wireNumber(const Argument &argument, const Row &row) {
  auto given = row.args.find(argument.name);
  bool isGiven = given != row.args.end() && given->second.kind == RowArg::Kind::Number;
  const Scalar &number = isGiven ? given->second.number : argument.value;
  if (!isFloat(argument.dtype))
    return json::Object{{"index", number.integer}};
  double real = isFloat(number.dtype) ? number.real : static_cast<double>(number.integer);
  return json::Object{{"scalar", realToJson(real)}, {"dtype", "f64"}};
}

json::Object helion::aot::wireCall(llvm::StringRef symbol, llvm::StringRef setThreads, const Manifest &manifest,
                                   const Row &row, const ResolvedPlan &plan) {
  json::Array words;
  auto buffer = plan.buffers.begin();
  for (const Argument &argument : manifest.arguments) {
    if (argument.kind == Argument::Kind::Tensor)
      words.push_back(wireTensor(*buffer++));
    else if (argument.kind == Argument::Kind::None)
      words.push_back(json::Object{{"index", 0}});
    else
      words.push_back(wireNumber(argument, row));
  }
  for (; buffer != plan.buffers.end() && buffer->role == Role::Output; ++buffer)
    words.push_back(wireTensor(*buffer));
  bool hasWorkspace = buffer != plan.buffers.end();
  words.push_back(hasWorkspace ? json::Object{{"pointer", buffer->name}} : json::Object{{"index", 0}});
  words.push_back(json::Object{{"stream", true}});
  return json::Object{
      {"step", "call"}, {"symbol", symbol.str()}, {"set_threads", setThreads.str()}, {"arguments", std::move(words)}};
}

std::string helion::aot::caseName(const Row &row, const ResolvedPlan &plan, unsigned draw) {
  std::string sizes;
  for (const ResolvedBuffer &buffer : plan.buffers)
    if (buffer.role != Role::Argument)
      sizes += buffer.name + "=" + std::to_string(buffer.endByte) + ";";
  return contentHash({row.id(), sizes, std::to_string(draw)});
}
