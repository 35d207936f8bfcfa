// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing tuned files. Records of one signature stand together, so the reader fills the last signature.
#include "aot-runner/Journal/Tuned.h"
#include "aot-runner/Journal/DurableFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace helion::aot {

// Nested ifs deeper than this are no dispatcher that anyone reads.
static constexpr unsigned maxTreeDepth = 64;

//===-- Tree -----------------------------------------------------------------------------------------------------===//

unsigned DispatchTree::addLeaf(unsigned variant) {
  nodes.emplace_back().variant = variant;
  return nodes.size() - 1;
}

unsigned DispatchTree::addSplit(SizeExpr feature, int64_t limit) {
  Node &node = nodes.emplace_back();
  node.feature = std::move(feature);
  node.limit = limit;
  return nodes.size() - 1;
}

Expected<unsigned> DispatchTree::leafFor(const Binding &binding) const {
  unsigned at = 0;
  while (!nodes[at].variant) {
    Expected<int64_t> value = nodes[at].feature.evaluate([&](const Leaf &leaf) { return binding.value(leaf); });
    if (!value)
      return value.takeError();
    at = *value <= nodes[at].limit ? nodes[at].thenNode : nodes[at].elseNode;
  }
  return at;
}

Expected<unsigned> DispatchTree::choose(const Binding &binding) const {
  Expected<unsigned> leaf = leafFor(binding);
  return leaf ? Expected<unsigned>(*nodes[*leaf].variant) : std::move(leaf);
}

static json::Value treeToJson(const DispatchTree &tree, unsigned at) {
  const DispatchTree::Node &node = tree.nodes[at];
  if (node.variant)
    return json::Object{{"variant", *node.variant}};
  return json::Object{{"feature", node.feature.str()},
                      {"le", node.limit},
                      {"then", treeToJson(tree, node.thenNode)},
                      {"else", treeToJson(tree, node.elseNode)}};
}

namespace {
/// Reads a tree; leaves may name variants below `variants`.
class TreeReader {
public:
  TreeReader(const TunedSignature &signature, DispatchTree &tree) : signature(signature), tree(tree) {}

  Error read(const JsonCursor &at, unsigned depth, unsigned &index) {
    if (depth > maxTreeDepth)
      return at.error("tree is deeper than `" + Twine(maxTreeDepth) + "`");
    JsonFields fields(at);
    if (fields.has("variant"))
      return readLeaf(at, fields, index);
    SizeExpr feature;
    int64_t limit = 0;
    unsigned thenNode = 0, elseNode = 0;
    fields.required("feature", feature).required("le", limit);
    index = tree.addSplit(feature, limit);
    for (StringRef branch : {"then", "else"})
      if (!fields.has(branch))
        return at.error("tree node has no `" + branch + "`; a leaf is `{\"variant\":id}`");
    fields.with("then", [&](JsonCursor branch) { return read(branch, depth + 1, thenNode); })
        .with("else", [&](JsonCursor branch) { return read(branch, depth + 1, elseNode); });
    tree.nodes[index].thenNode = thenNode;
    tree.nodes[index].elseNode = elseNode;
    return fields.finish();
  }

private:
  Error readLeaf(const JsonCursor &at, JsonFields &fields, unsigned &index) {
    unsigned variant = 0;
    if (Error error = fields.required("variant", variant).finish())
      return error;
    if (variant >= signature.variants.size())
      return at.member("variant").error("signature `" + signature.name + "` has no variant `" + Twine(variant) + "`");
    index = tree.addLeaf(variant);
    return Error::success();
  }

  const TunedSignature &signature;
  DispatchTree &tree;
};
} // namespace

//===-- Reading --------------------------------------------------------------------------------------------------===//

static Error readJson(const JsonCursor &at, Interval &out) {
  if (Error error =
          JsonFields(at).required("median", out.median).required("low", out.low).required("high", out.high).finish())
    return error;
  bool ordered = 0 <= out.low && out.low <= out.median && out.median <= out.high;
  return ordered ? Error::success() : at.expected("`low` <= `median` <= `high`, none negative");
}

namespace {
class TunedReader {
public:
  explicit TunedReader(StringRef file) : file(file) {}

  Error readText(StringRef text) {
    unsigned number = 0;
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      text = rest;
      ++number;
      if (line.trim().empty())
        continue;
      Expected<JsonText> json = JsonText::parse(line, file, number);
      if (!json)
        return json.takeError();
      if (Error error = readLine(json->root()))
        return error;
    }
    if (!sawHeader)
      return createStringError(file + ":1:1: tuned file has no header");
    for (const TunedSignature &signature : result.signatures)
      if (signature.tree.nodes.empty())
        return createStringError(file + ":" + Twine(number) + ":1: signature `" + signature.name + "` has no tree");
    return Error::success();
  }

  Tuned result;

private:
  using Reader = Error (TunedReader::*)(const JsonCursor &, JsonFields &);
  struct Record {
    StringRef name;
    Reader read;
  };

  Error readLine(const JsonCursor &at) {
    static constexpr Record records[] = {{"header", &TunedReader::readHeader},
                                         {"signature", &TunedReader::readSignature},
                                         {"variant", &TunedReader::readVariant},
                                         {"row", &TunedReader::readRow},
                                         {"tree", &TunedReader::readTree}};
    JsonFields fields(at);
    std::string name;
    fields.required("record", name);
    const Record *record = find_if(records, [&](const Record &record) { return record.name == name; });
    if (record == std::end(records)) {
      if (!fields.has("record"))
        return fields.finish();
      return at.member("record").expected("`header`, `signature`, `variant`, `row` or `tree`");
    }
    bool isHeader = record->name == "header";
    if (isHeader == sawHeader)
      return at.error(isHeader ? "second header" : "the first record must be the header");
    sawHeader = true;
    if (!isHeader && record->name != "signature")
      if (Error error = checkSignature(at, fields))
        return error;
    return (this->*record->read)(at, fields);
  }

  /// Records name their signature, which is the last one.
  Error checkSignature(const JsonCursor &at, JsonFields &fields) {
    std::string name;
    fields.required("signature", name);
    if (!fields.has("signature"))
      return fields.finish();
    if (result.signatures.empty() || result.signatures.back().name != name)
      return at.member("signature").error("record of signature `" + name + "` does not follow it");
    return Error::success();
  }

  Error readHeader(const JsonCursor &at, JsonFields &fields) {
    unsigned version = 0;
    fields.required("version", version);
    if (fields.has("version") && (version < 1 || version > Tuned::version))
      return at.member("version").error("tuned file has version `" + Twine(version) + "`, this tool reads `1` to `" +
                                        Twine(Tuned::version) + "`");
    return fields.required("kernel", result.kernel)
        .required("kernel_hash", result.kernelHash)
        .required("target", result.target)
        .required("goal", result.goal)
        .required("threshold", result.threshold)
        .required("pool", result.poolSize)
        .optional("pool_random", result.poolRandom)
        .optional("pool_whole", result.poolWhole)
        .optional("unmeasured", result.unmeasured)
        .required("device_class", result.deviceClass)
        .required("protocol", result.protocol)
        .finish();
  }

  Error readSignature(const JsonCursor &at, JsonFields &fields) {
    TunedSignature signature;
    if (Error error = fields.required("name", signature.name)
                          .required("kernel_hash", signature.kernelHash)
                          .required("arguments", signature.arguments)
                          .optional("anchor", signature.anchor)
                          .finish())
      return error;
    for (const TunedSignature &other : result.signatures)
      if (other.name == signature.name)
        return at.member("name").error("signature `" + signature.name + "` appears twice");
    result.signatures.push_back(std::move(signature));
    return Error::success();
  }

  Error readVariant(const JsonCursor &at, JsonFields &fields) {
    TunedVariant variant;
    std::vector<TunedVariant> &variants = result.signatures.back().variants;
    if (Error error = fields.required("variant", variant.id)
                          .required("config", variant.config)
                          .required("artifact", variant.artifact)
                          .required("resources", variant.resources)
                          .optional("universal", variant.universal)
                          .optional("reaches", variant.reaches)
                          .optional("beyond", variant.beyond)
                          .finish())
      return error;
    if (variant.beyond && !variant.reaches)
      return at.member("beyond").error("a variant for calls beyond the rows has `reaches` too");
    if (variant.id != variants.size())
      return at.member("variant").expected(std::to_string(variants.size()) + ", the next variant");
    variants.push_back(std::move(variant));
    return Error::success();
  }

  Error readRow(const JsonCursor &at, JsonFields &fields) {
    TunedRow row;
    TunedSignature &signature = result.signatures.back();
    row.row.weight = 1;
    fields.with("anchor", [&](JsonCursor member) { return readJson(member, row.anchor.emplace()); });
    fields.required("best", row.best).optional("weight", row.row.weight).optional("group", row.row.group);
    fields.with("variants", [&](JsonCursor member) { return readVariants(member, signature, row); });
    fields.with("row", [&](JsonCursor member) -> Error {
      Expected<Row> read = Row::parse(canonicalJson(member.value()), "row");
      if (!read)
        return member.error("row does not read: " + toString(read.takeError()));
      row.row.kernel = read->kernel;
      row.row.args = std::move(read->args);
      return Error::success();
    });
    for (StringRef key : {"row", "variants"})
      if (!fields.has(key))
        return at.error("key `" + key + "` is missing");
    if (Error error = fields.finish())
      return error;
    if (!(row.row.weight > 0))
      return at.member("weight").expected("a weight above 0");
    signature.rows.push_back(std::move(row));
    return Error::success();
  }

  static Error readVariants(const JsonCursor &at, const TunedSignature &signature, TunedRow &row) {
    return at.forEachMember([&](StringRef name, JsonCursor member) -> Error {
      unsigned id = 0;
      if (name.getAsInteger(10, id) || id >= signature.variants.size())
        return at.errorAtKey(name, "signature `" + signature.name + "` has no variant `" + name + "`");
      return readJson(member, row.variants[id]);
    });
  }

  Error readTree(const JsonCursor &at, JsonFields &fields) {
    TunedSignature &signature = result.signatures.back();
    if (!fields.has("tree"))
      return at.error("key `tree` is missing");
    if (!signature.tree.nodes.empty())
      return at.error("signature `" + signature.name + "` has two trees");
    unsigned root = 0;
    return fields
        .with("tree", [&](JsonCursor tree) { return TreeReader(signature, signature.tree).read(tree, 0, root); })
        .finish();
  }

  StringRef file;
  bool sawHeader = false;
};
} // namespace

Expected<Tuned> Tuned::parse(StringRef text, StringRef file) {
  TunedReader reader(file);
  if (Error error = reader.readText(text))
    return error;
  return std::move(reader.result);
}

Expected<Tuned> Tuned::load(const std::string &file) {
  Expected<std::string> text = readWholeFile(file);
  if (!text)
    return text.takeError();
  return parse(*text, file);
}

//===-- Writing --------------------------------------------------------------------------------------------------===//

static json::Value toJson(const Interval &interval) {
  return json::Object{{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

static json::Value toJson(const TunedVariant &variant, StringRef signature) {
  json::Object object{{"record", "variant"},          {"signature", signature},
                      {"variant", variant.id},        {"config", variant.config},
                      {"artifact", variant.artifact}, {"resources", helion::toJson(variant.resources)}};
  for (auto [key, isSet] :
       {std::pair("universal", variant.universal), {"reaches", variant.reaches}, {"beyond", variant.beyond}})
    if (isSet)
      object[key] = true;
  return object;
}

static json::Value toJson(const TunedRow &row, StringRef signature) {
  json::Object variants;
  for (const auto &[id, interval] : row.variants)
    variants[std::to_string(id)] = toJson(interval);
  json::Object object{{"record", "row"},
                      {"signature", signature},
                      {"row", json::Object{{"kernel", row.row.kernel}, {"args", row.row.argsJson()}}},
                      {"best", toJson(row.best)},
                      {"variants", std::move(variants)}};
  if (row.anchor)
    object["anchor"] = toJson(*row.anchor);
  if (row.row.weight != 1)
    object["weight"] = row.row.weight;
  if (!row.row.group.empty())
    object["group"] = row.row.group;
  return object;
}

static json::Value headerOf(const Tuned &tuned) {
  json::Object header{{"record", "header"},
                      {"version", Tuned::version},
                      {"kernel", tuned.kernel},
                      {"kernel_hash", tuned.kernelHash},
                      {"target", tuned.target},
                      {"goal", tuned.goal},
                      {"threshold", tuned.threshold},
                      {"pool", tuned.poolSize},
                      {"device_class", tuned.deviceClass},
                      {"protocol", tuned.protocol}};
  if (tuned.poolRandom)
    header["pool_random"] = tuned.poolRandom;
  if (tuned.poolWhole)
    header["pool_whole"] = true;
  if (tuned.unmeasured)
    header["unmeasured"] = tuned.unmeasured;
  return header;
}

std::string Tuned::text() const {
  std::vector<json::Value> lines = {headerOf(*this)};
  std::vector<TunedSignature> sorted = signatures;
  llvm::sort(sorted, [](const auto &a, const auto &b) { return a.name < b.name; });
  for (TunedSignature &signature : sorted) {
    llvm::sort(signature.variants, [](const auto &a, const auto &b) { return a.id < b.id; });
    llvm::sort(signature.rows, [](const auto &a, const auto &b) { return a.row < b.row; });
    json::Array arguments;
    for (const Argument &argument : signature.arguments)
      arguments.push_back(helion::toJson(argument));
    json::Object record{{"record", "signature"},
                        {"name", signature.name},
                        {"kernel_hash", signature.kernelHash},
                        {"arguments", std::move(arguments)}};
    if (!signature.anchor.empty())
      record["anchor"] = signature.anchor;
    lines.push_back(std::move(record));
    for (const TunedVariant &variant : signature.variants)
      lines.push_back(toJson(variant, signature.name));
    for (const TunedRow &row : signature.rows)
      lines.push_back(toJson(row, signature.name));
    lines.push_back(
        json::Object{{"record", "tree"}, {"signature", signature.name}, {"tree", treeToJson(signature.tree, 0)}});
  }
  std::string text;
  for (const json::Value &line : lines)
    text += canonicalJson(line) + "\n";
  return text;
}

} // namespace helion::aot
