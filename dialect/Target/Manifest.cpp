// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manifest <-> JSON. Each struct has one reader and one writer side by side; the canonical order comes from the writer
// of JsonText, so the writers here may list keys as the record does.
#include "dialect/Target/Manifest.h"
#include "dialect/Target/ContentHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace helion {

template <typename T> static json::Value listToJson(const std::vector<T> &list) {
  json::Array array;
  for (const T &element : list)
    array.push_back(toJson(element));
  return array;
}

//===-- Expressions ----------------------------------------------------------------------------------------------===//

static json::Value toJson(const SizeExpr &expr) { return expr.str(); }
static json::Value toJson(const Pred &pred) { return pred.str(); }

/// Enough of a text to find it again.
static std::string excerpt(StringRef text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? text.str() : (text.take_front(kShown) + "...").str();
}

/// A plain integer may stand for an expression's text.
Error readJson(const JsonCursor &at, SizeExpr &out) {
  if (std::optional<int64_t> integer = at.value().getAsInteger()) {
    out = SizeExpr::constant(*integer);
    return Error::success();
  }
  std::string text;
  if (Error error = readJson(at, text))
    return error;
  Expected<SizeExpr> expr = SizeExpr::parse(text);
  if (!expr)
    return at.error("in `" + excerpt(text) + "`, " + toString(expr.takeError()));
  out = *expr;
  return Error::success();
}

Error readJson(const JsonCursor &at, Pred &out) {
  std::string text;
  if (Error error = readJson(at, text))
    return error;
  Expected<Pred> pred = Pred::parse(text);
  if (!pred)
    return at.error("in `" + excerpt(text) + "`, " + toString(pred.takeError()));
  out = *pred;
  return Error::success();
}

//===-- Arguments ------------------------------------------------------------------------------------------------===//

json::Value toJson(const Argument &argument) {
  json::Object object{{"name", argument.name}};
  switch (argument.kind) {
  case Argument::Kind::Tensor:
    object["dtype"] = dtypeName(argument.dtype);
    object["rank"] = argument.rank;
    if (argument.writes)
      object["writes"] = true;
    break;
  case Argument::Kind::Fixed:
    object["value"] = argument.value.json();
    [[fallthrough]];
  case Argument::Kind::Scalar:
    object["scalar"] = dtypeName(argument.dtype);
    break;
  case Argument::Kind::None:
    object["none"] = true;
    break;
  }
  return object;
}

Error readJson(const JsonCursor &at, Argument &out) {
  JsonFields fields(at);
  fields.required("name", out.name);
  if (fields.has("none")) {
    bool none = true;
    out.kind = Argument::Kind::None;
    fields.required("none", none);
    if (Error error = fields.finish())
      return error;
    return none ? Error::success() : at.member("none").expected("`true`");
  }
  if (!fields.has("scalar"))
    return fields.required("dtype", out.dtype).required("rank", out.rank).optional("writes", out.writes).finish();
  out.kind = fields.has("value") ? Argument::Kind::Fixed : Argument::Kind::Scalar;
  fields.required("scalar", out.dtype);
  out.value.dtype = out.dtype;
  return fields.with("value", [&](JsonCursor value) { return out.value.read(value); }).finish();
}

//===-- Plan -----------------------------------------------------------------------------------------------------===//

static json::Value toJson(const PlanCheck &check) {
  return json::Object{{"pred", toJson(check.pred)}, {"message", check.message}};
}

Error readJson(const JsonCursor &at, PlanCheck &out) {
  return JsonFields(at).required("pred", out.pred).required("message", out.message).finish();
}

static json::Value toJson(const PlanOutput &output) {
  return json::Object{{"name", output.name}, {"dtype", dtypeName(output.dtype)}, {"sizes", listToJson(output.sizes)}};
}

Error readJson(const JsonCursor &at, PlanOutput &out) {
  return JsonFields(at).required("name", out.name).required("dtype", out.dtype).required("sizes", out.sizes).finish();
}

static json::Value toJson(const PlanWorkspace &buffer) {
  return json::Object{{"name", buffer.name}, {"dtype", dtypeName(buffer.dtype)}, {"elements", toJson(buffer.elements)}};
}

Error readJson(const JsonCursor &at, PlanWorkspace &out) {
  return JsonFields(at)
      .required("name", out.name)
      .required("dtype", out.dtype)
      .required("elements", out.elements)
      .finish();
}

static json::Value mapToJson(const PlanArgument &argument) {
  const PlanMap &map = argument.map;
  return json::Object{
      {"map", argument.name},           {"offset", toJson(argument.value)},   {"dtype", dtypeName(argument.dtype)},
      {"sizes", listToJson(map.sizes)}, {"strides", listToJson(map.strides)}, {"box", json::Array(map.box)},
      {"swizzle", map.swizzle}};
}

/// What no driver takes of a map, whatever the call; empty where all is well.
static std::string problemOfMap(const PlanArgument &argument) {
  const PlanMap &map = argument.map;
  auto about = [&](const Twine &what) { return ("map of `" + argument.name + "` has " + what).str(); };
  if (map.sizes.empty() || map.sizes.size() > PlanMap::mostDims)
    return about("`" + Twine(map.sizes.size()) + "` sizes; 1 to 5 are allowed");
  if (map.strides.size() + 1 != map.sizes.size())
    return about("`" + Twine(map.strides.size()) + "` strides for `" + Twine(map.sizes.size()) +
                 "` sizes; all dims but the first have one");
  if (map.box.size() != map.sizes.size())
    return about("a box of `" + Twine(map.box.size()) + "` dims for `" + Twine(map.sizes.size()) + "` sizes");
  for (int64_t extent : map.box)
    if (extent < 1 || extent > PlanMap::mostInBox)
      return about("a box with a dim of `" + Twine(extent) + "`; 1 to 256 are allowed");
  if (!is_contained({0, 32, 64, 128}, map.swizzle))
    return about("the swizzle `" + Twine(map.swizzle) + "`; 0, 32, 64 and 128 are allowed");
  int64_t bytes = map.box.front() * dtypeBytes(argument.dtype);
  if (bytes % PlanMap::boxBytesUnit != 0)
    return about("a box with a first dim of `" + Twine(bytes) + "` bytes; a multiple of 16 is needed");
  if (map.swizzle != 0 && bytes > map.swizzle)
    return about("a box with a first dim of `" + Twine(bytes) + "` bytes, more than its swizzle `" +
                 Twine(map.swizzle) + "`");
  return "";
}

static Error readMap(const JsonCursor &at, JsonFields fields, PlanArgument &out) {
  out.kind = PlanArgument::Kind::Map;
  Error error = fields.required("map", out.name)
                    .required("offset", out.value)
                    .required("dtype", out.dtype)
                    .required("sizes", out.map.sizes)
                    .required("strides", out.map.strides)
                    .required("box", out.map.box)
                    .required("swizzle", out.map.swizzle)
                    .finish();
  if (error)
    return error;
  std::string problem = problemOfMap(out);
  return problem.empty() ? Error::success() : at.error(problem);
}

static json::Value toJson(const PlanArgument &argument) {
  switch (argument.kind) {
  case PlanArgument::Kind::Pointer:
    return json::Object{{"pointer", argument.name}, {"offset", toJson(argument.value)}};
  case PlanArgument::Kind::Index:
    return json::Object{{"index", toJson(argument.value)}};
  case PlanArgument::Kind::Scalar:
    return json::Object{{"scalar", argument.name}, {"dtype", dtypeName(argument.dtype)}};
  case PlanArgument::Kind::Map:
    return mapToJson(argument);
  }
  llvm_unreachable("covered above");
}

Error readJson(const JsonCursor &at, PlanArgument &out) {
  JsonFields fields(at);
  if (fields.has("pointer")) {
    out.kind = PlanArgument::Kind::Pointer;
    return fields.required("pointer", out.name).required("offset", out.value).finish();
  }
  if (fields.has("scalar")) {
    out.kind = PlanArgument::Kind::Scalar;
    return fields.required("scalar", out.name).required("dtype", out.dtype).finish();
  }
  if (fields.has("map"))
    return readMap(at, std::move(fields), out);
  out.kind = PlanArgument::Kind::Index;
  return fields.required("index", out.value).finish();
}

static json::Value toJson(const PlanStep &step) {
  if (const PlanFill *fill = std::get_if<PlanFill>(&step))
    return json::Object{{"step", "fill"},
                        {"buffer", fill->buffer},
                        {"elements", toJson(fill->elements)},
                        {"dtype", dtypeName(fill->value.dtype)},
                        {"value", fill->value.json()}};
  const PlanLaunch &launch = std::get<PlanLaunch>(step);
  json::Object object{{"step", "launch"},
                      {"symbol", launch.symbol},
                      {"grid", listToJson(launch.grid)},
                      {"arguments", listToJson(launch.arguments)}};
  if (launch.block) {
    object["threads"] = launch.block->threads;
    object["shared"] = launch.block->sharedBytes;
  }
  return object;
}

static void readBlock(JsonFields &fields, std::optional<ThreadBlock> &out) {
  if (!fields.has("threads") && !fields.has("shared"))
    return;
  out.emplace();
  fields.required("threads", out->threads).required("shared", out->sharedBytes);
}

Error readJson(const JsonCursor &at, PlanStep &out) {
  JsonFields fields(at);
  std::string kind;
  fields.required("step", kind);
  if (kind == "fill") {
    PlanFill fill;
    fields.required("buffer", fill.buffer)
        .required("elements", fill.elements)
        .required("dtype", fill.value.dtype)
        .with("value", [&](JsonCursor value) { return fill.value.read(value); });
    if (!fields.has("value"))
      return at.error("key `value` is missing");
    out = std::move(fill);
    return fields.finish();
  }
  PlanLaunch launch;
  if (kind != "launch" && !kind.empty())
    return at.member("step").expected("`fill` or `launch`");
  if (kind == "launch")
    fields.required("symbol", launch.symbol).required("grid", launch.grid).required("arguments", launch.arguments);
  readBlock(fields, launch.block);
  out = std::move(launch);
  return fields.finish();
}

static json::Value toJson(const LaunchPlan &plan) {
  return json::Object{{"checks", listToJson(plan.checks)},
                      {"outputs", listToJson(plan.outputs)},
                      {"workspace", listToJson(plan.workspace)},
                      {"steps", listToJson(plan.steps)}};
}

Error readJson(const JsonCursor &at, LaunchPlan &out) {
  return JsonFields(at)
      .required("checks", out.checks)
      .required("outputs", out.outputs)
      .required("workspace", out.workspace)
      .required("steps", out.steps)
      .finish();
}

//===-- Manifest -------------------------------------------------------------------------------------------------===//

json::Value toJson(const Resources &resources) {
  json::Object object{{"code_bytes", resources.codeBytes}, {"scratch_bytes", resources.scratchBytes}};
  if (const std::optional<ThreadResources> &threads = resources.threads) {
    object["registers"] = threads->registers;
    object["spill_bytes"] = threads->spillBytes;
    object["shared_bytes"] = threads->sharedBytes;
  }
  return object;
}

Error readJson(const JsonCursor &at, Resources &out) {
  JsonFields fields(at);
  fields.required("code_bytes", out.codeBytes).required("scratch_bytes", out.scratchBytes);
  if (fields.has("registers") || fields.has("spill_bytes") || fields.has("shared_bytes")) {
    ThreadResources &threads = out.threads.emplace();
    fields.required("registers", threads.registers)
        .required("spill_bytes", threads.spillBytes)
        .required("shared_bytes", threads.sharedBytes);
  }
  return fields.finish();
}

static json::Value toJson(const Toolchain &toolchain) {
  json::Object object{{"helion", toolchain.helion}, {"llvm", toolchain.llvm}};
  if (!toolchain.assembler.empty())
    object["assembler"] = toolchain.assembler;
  return object;
}

Error readJson(const JsonCursor &at, Toolchain &out) {
  return JsonFields(at)
      .required("helion", out.helion)
      .required("llvm", out.llvm)
      .optional("assembler", out.assembler)
      .finish();
}

json::Value Manifest::json() const {
  return json::Object{{"version", version},
                      {"kernel", kernel},
                      {"kernel_hash", kernelHash},
                      {"target", target},
                      {"config", config},
                      {"arguments", listToJson(arguments)},
                      {"facts", listToJson(facts)},
                      {"plan", toJson(plan)},
                      {"resources", toJson(resources)},
                      {"toolchain", toJson(toolchain)},
                      {"object_hash", objectHash}};
}

std::string Manifest::text() const { return canonicalJson(json()); }

std::string Manifest::artifactHash() const {
  json::Value value = json();
  value.getAsObject()->erase("config");
  value.getAsObject()->erase("toolchain");
  return contentHash(canonicalJson(value));
}

Expected<Manifest> Manifest::parse(StringRef text, StringRef file) {
  Expected<JsonText> json = JsonText::parse(text, file);
  if (!json)
    return json.takeError();
  Manifest out;
  unsigned seen = 0;
  JsonFields fields(json->root());
  fields.required("version", seen);
  if (seen != version && fields.has("version"))
    return json->root().member("version").expected(std::to_string(version));
  fields.required("kernel", out.kernel)
      .required("kernel_hash", out.kernelHash)
      .required("target", out.target)
      .required("config", out.config)
      .required("arguments", out.arguments)
      .required("facts", out.facts)
      .required("plan", out.plan)
      .required("resources", out.resources)
      .required("toolchain", out.toolchain)
      .required("object_hash", out.objectHash);
  if (Error error = fields.finish())
    return error;
  if (Error error = out.verify())
    return json->root().error(toString(std::move(error)));
  return out;
}

const Argument *Manifest::findArgument(StringRef name) const {
  auto found = find_if(arguments, [&](const Argument &argument) { return argument.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

//===-- Verifying ------------------------------------------------------------------------------------------------===//

namespace {
/// Looks up every name that a manifest uses and keeps the first error.
class NameCheck {
public:
  explicit NameCheck(const Manifest &manifest) : manifest(manifest) {
    for (const Argument &argument : manifest.arguments)
      declare(argument.name, argument.kind == Argument::Kind::Tensor);
    for (const PlanOutput &output : manifest.plan.outputs)
      declare(output.name, true);
    for (const PlanWorkspace &buffer : manifest.plan.workspace)
      declare(buffer.name, true);
  }

  template <typename Text> void expr(const Text &text) {
    text.walkLeaves([&](const Leaf &leaf) {
      if (leaf.kind == Leaf::Kind::Device)
        return;
      const Argument *argument = manifest.findArgument(leaf.name);
      auto isLeaf = [&](const PlanOutput &output) { return output.name == leaf.name; };
      if (leaf.kind == Leaf::Kind::Align && llvm::any_of(manifest.plan.outputs, isLeaf))
        return;
      bool wantsTensor = leaf.kind != Leaf::Kind::Scalar;
      bool isTensor = argument && argument->kind == Argument::Kind::Tensor;
      if (!argument || argument->kind == Argument::Kind::None || wantsTensor != isTensor)
        fail("`" + leaf.str() + "` names no " + (wantsTensor ? "tensor" : "scalar") + " argument");
      else if (isTensor && leaf.kind != Leaf::Kind::Align && leaf.index >= argument->rank)
        fail("`" + leaf.str() + "` is beyond the rank `" + Twine(argument->rank) + "` of `" + leaf.name + "`");
    });
  }

  void pred(const Pred &pred) {
    expr(pred);
    for (StringRef name : {pred.first(), pred.second()})
      if (pred.isOverlap() && !manifest.findArgument(name))
        fail("`" + pred.str() + "` names no argument `" + name + "`");
  }

  void buffer(StringRef name) {
    if (!names.lookup(name))
      fail("`" + name + "` names no buffer");
  }

  void launch(const PlanLaunch &launch) {
    if (launch.grid.size() != 3)
      fail("the grid of `" + launch.symbol + "` has `" + Twine(launch.grid.size()) + "` sizes, not 3");
    if (launch.block && (launch.block->threads < 1 || launch.block->sharedBytes < 0))
      fail("`" + launch.symbol + "` has blocks of `" + Twine(launch.block->threads) + "` threads and `" +
           Twine(launch.block->sharedBytes) + "` shared bytes; at least 1 and 0 are allowed");
    for (const SizeExpr &size : launch.grid)
      expr(size);
    for (const PlanArgument &argument : launch.arguments) {
      expr(argument.value);
      if (argument.kind == PlanArgument::Kind::Pointer)
        buffer(argument.name);
      if (argument.kind == PlanArgument::Kind::Scalar)
        scalar(argument);
      if (argument.kind == PlanArgument::Kind::Map)
        map(launch, argument);
    }
  }

  void map(const PlanLaunch &launch, const PlanArgument &argument) {
    buffer(argument.name);
    for (const std::vector<SizeExpr> &list : {argument.map.sizes, argument.map.strides})
      for (const SizeExpr &value : list)
        expr(value);
    std::string problem = problemOfMap(argument);
    if (!problem.empty())
      fail(problem);
    if (StringRef(manifest.target).starts_with("cpu:"))
      fail("`" + launch.symbol + "` takes a map of `" + argument.name + "`; only launches on a GPU can");
  }

  void scalar(const PlanArgument &word) {
    expr(SizeExpr::scalar(word.name));
    const Argument *argument = manifest.findArgument(word.name);
    if (argument && isFloat(argument->dtype) != isFloat(word.dtype))
      fail("scalar `" + word.name + "` is `" + dtypeName(argument->dtype) + "`, a launch wants `" +
           dtypeName(word.dtype) + "`");
  }

  Error take() { return message.empty() ? Error::success() : createStringError(message); }

private:
  void declare(StringRef name, bool isBuffer) {
    if (!names.try_emplace(name, isBuffer).second)
      fail("`" + name + "` is declared twice");
  }

  void fail(const Twine &what) {
    if (message.empty())
      message = what.str();
  }

  const Manifest &manifest;
  StringMap<bool> names; // Whether it is a buffer.
  std::string message;
};
} // namespace

Error Manifest::verify() const {
  NameCheck check(*this);
  for (const Pred &fact : facts)
    check.pred(fact);
  for (const PlanCheck &planCheck : plan.checks)
    check.pred(planCheck.pred);
  for (const PlanOutput &output : plan.outputs)
    for (const SizeExpr &size : output.sizes)
      check.expr(size);
  for (const PlanWorkspace &buffer : plan.workspace)
    check.expr(buffer.elements);
  for (const PlanStep &step : plan.steps) {
    if (const PlanFill *fill = std::get_if<PlanFill>(&step)) {
      check.buffer(fill->buffer);
      check.expr(fill->elements);
    } else {
      check.launch(std::get<PlanLaunch>(step));
    }
  }
  return check.take();
}

} // namespace helion
