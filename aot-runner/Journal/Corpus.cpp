// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads corpora. A line is read once for each point of its sweep, with the symbols bound, so that an error of one point
// (a product that overflows) still names the place of the value.
#include "aot-runner/Journal/Corpus.h"
#include "dialect/Target/ContentHash.h"
#include "dialect/Target/Manifest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <set>

using namespace llvm;

namespace helion::aot {

// A sweep of more points is a mistake rather than a corpus.
static constexpr size_t maxRowsOfLine = 1000000;

//===-- Init -----------------------------------------------------------------------------------------------------===//

std::string Init::text() const {
  switch (kind) {
  case Kind::Normal:
    return "normal";
  case Kind::Uniform:
    return "uniform(" + shortestReal(low) + "," + shortestReal(high) + ")";
  case Kind::RandInt:
    return "randint(" + std::to_string(first) + "," + std::to_string(last) + ")";
  case Kind::Permutation:
    return "permutation";
  case Kind::Offsets:
    return "offsets(" + std::to_string(last) + ")";
  case Kind::File:
    return file;
  }
  llvm_unreachable("covered above");
}

//===-- Reading one point of a line ------------------------------------------------------------------------------===//

namespace {

/// The values of the sweep's symbols, and which of them were used.
struct Symbols {
  std::map<std::string, int64_t> values;
  std::set<std::string> used;

  std::optional<int64_t> value(const Leaf &leaf) {
    auto found = leaf.kind == Leaf::Kind::Scalar ? values.find(leaf.name) : values.end();
    if (found == values.end())
      return std::nullopt;
    used.insert(leaf.name);
    return found->second;
  }
};

/// Reads `kernel` and `args` of a line with the symbols bound.
class RowReader {
public:
  explicit RowReader(Symbols &symbols) : symbols(symbols) {}

  Error readArgs(const JsonCursor &at, Row &row) {
    if (Error error = at.forEachMember(
            [&](StringRef name, JsonCursor member) { return readArg(member, name, row.args[name.str()]); }))
      return error;
    return row.args.empty() ? at.error("`args` names no argument") : Error::success();
  }

private:
  Error readArg(const JsonCursor &at, StringRef name, RowArg &arg) {
    const json::Value &value = at.value();
    if (value.getAsNull())
      return Error::success();
    if (value.getAsObject())
      return readTensor(at, name, arg);
    arg.kind = RowArg::Kind::Number;
    if (std::optional<bool> flag = value.getAsBoolean())
      arg.number = Scalar::ofInteger(*flag, Dtype::Bool);
    else if (std::optional<int64_t> integer = value.getAsInteger())
      arg.number = Scalar::ofInteger(*integer);
    else if (std::optional<double> real = value.getAsNumber())
      arg.number = Scalar::ofReal(*real);
    else
      return at.expected("a tensor `{\"shape\":..,\"dtype\":..}`, a number, `true`, `false` or `null`");
    return Error::success();
  }

  Error readTensor(const JsonCursor &at, StringRef name, RowArg &arg) {
    arg.kind = RowArg::Kind::Tensor;
    JsonFields fields(at);
    fields.required("dtype", arg.dtype);
    if (!fields.has("shape"))
      return at.error("key `shape` is missing");
    fields.with("shape", [&](JsonCursor member) { return readShape(member, arg); })
        .with("strides", [&](JsonCursor member) { return readStrides(member, arg); })
        .with("align", [&](JsonCursor member) { return readAlign(member, arg); })
        .with("init", [&](JsonCursor member) { return readInit(member, arg); });
    if (Error error = fields.finish())
      return error;
    if (!fields.has("init") && !isFloat(arg.dtype))
      return at.error("integer tensor `" + name +
                      "` needs `init`: `randint(a,b)`, `permutation`, `offsets(total)` or a .npy file");
    return Error::success();
  }

  /// An integer, or an expression over symbols of the sweep.
  Expected<int64_t> readInteger(const JsonCursor &at) {
    SizeExpr expr;
    if (Error error = readJson(at, expr))
      return error;
    return evaluate(at, expr);
  }

  Expected<int64_t> evaluate(const JsonCursor &at, const SizeExpr &expr) {
    std::string unknown;
    expr.walkLeaves([&](const Leaf &leaf) {
      if (!symbols.value(leaf) && unknown.empty())
        unknown = leaf.str();
    });
    if (!unknown.empty())
      return at.error("`" + unknown + "` has no values; name it in `sweep`");
    Expected<int64_t> value = expr.evaluate([&](const Leaf &leaf) { return symbols.value(leaf); });
    return value ? std::move(value) : Expected<int64_t>(at.error(toString(value.takeError())));
  }

  Error readShape(const JsonCursor &at, RowArg &arg) {
    int64_t elements = dtypeBytes(arg.dtype);
    bool fits = true;
    Error error = at.forEachElement([&](JsonCursor element) -> Error {
      Expected<int64_t> size = readInteger(element);
      if (!size)
        return size.takeError();
      if (*size < 0)
        return element.error("size `" + Twine(*size) + "` is negative");
      fits &= !MulOverflow(elements, std::max<int64_t>(*size, 1), elements);
      arg.shape.push_back(*size);
      return Error::success();
    });
    if (error)
      return error;
    if (!fits)
      return at.error("tensor has more bytes than 64 bits can count");
    int64_t stride = 1;
    for (int64_t size : reverse(arg.shape)) {
      arg.strides.insert(arg.strides.begin(), stride);
      stride *= std::max<int64_t>(size, 1);
    }
    return Error::success();
  }

  Error readStrides(const JsonCursor &at, RowArg &arg) {
    arg.strides.clear();
    Error error = at.forEachElement([&](JsonCursor element) -> Error {
      Expected<int64_t> stride = readInteger(element);
      if (!stride)
        return stride.takeError();
      arg.strides.push_back(*stride);
      return Error::success();
    });
    if (error)
      return error;
    if (arg.strides.size() != arg.shape.size())
      return at.error("saw `" + Twine(arg.strides.size()) + "` strides for `" + Twine(arg.shape.size()) + "` sizes");
    return Error::success();
  }

  Error readAlign(const JsonCursor &at, RowArg &arg) {
    Expected<int64_t> align = readInteger(at);
    if (!align)
      return align.takeError();
    if (*align < int64_t(dtypeBytes(arg.dtype)) || !isPowerOf2_64(*align))
      return at.error("saw align `" + Twine(*align) + "`, expected a power of two from `" +
                      Twine(dtypeBytes(arg.dtype)) + "` on");
    arg.align = *align;
    return Error::success();
  }

  Error readInit(const JsonCursor &at, RowArg &arg);
  Error readCall(const JsonCursor &at, StringRef text, Init &init);

  Symbols &symbols;
};

struct InitRow {
  StringRef name;
  Init::Kind kind;
  unsigned operands;
  bool ofFloats;
};
} // namespace

static constexpr InitRow inits[] = {
    {"normal", Init::Kind::Normal, 0, true},    {"uniform", Init::Kind::Uniform, 2, true},
    {"randint", Init::Kind::RandInt, 2, false}, {"permutation", Init::Kind::Permutation, 0, false},
    {"offsets", Init::Kind::Offsets, 1, false},
};

Error RowReader::readInit(const JsonCursor &at, RowArg &arg) {
  std::string text;
  if (Error error = readJson(at, text))
    return error;
  if (StringRef(text).ends_with(".npy")) {
    arg.init.kind = Init::Kind::File;
    arg.init.file = text;
    return Error::success();
  }
  auto [name, rest] = StringRef(text).split('(');
  const InitRow *row = find_if(inits, [&, name = name.trim()](const InitRow &row) { return row.name == name; });
  if (row == std::end(inits))
    return at.expected("`normal`, `uniform(a,b)`, `randint(a,b)`, `permutation`, `offsets(total)` or the path of a "
                       ".npy file");
  if (row->ofFloats != isFloat(arg.dtype))
    return at.error("init `" + row->name + "` gives " + (row->ofFloats ? "reals" : "integers") + ", the tensor is `" +
                    dtypeName(arg.dtype) + "`");
  arg.init.kind = row->kind;
  bool hasParentheses = text.find('(') != std::string::npos;
  if (row->operands == 0)
    return hasParentheses ? at.error("init `" + row->name + "` takes no values") : Error::success();
  return readCall(at, text, arg.init);
}

/// `uniform(a,b)`, `randint(a,b)` and `offsets(total)`.
Error RowReader::readCall(const JsonCursor &at, StringRef text, Init &init) {
  const InitRow *row = find_if(inits, [&](const InitRow &row) { return row.kind == init.kind; });
  StringRef inside = text.split('(').second.rtrim();
  SmallVector<StringRef> operands;
  if (inside.consume_back(")"))
    inside.split(operands, ',');
  if (operands.size() != row->operands)
    return at.error("init `" + row->name + "` takes `" + Twine(row->operands) + "` values in parentheses");
  if (init.kind == Init::Kind::Uniform) {
    if (operands[0].trim().getAsDouble(init.low) || operands[1].trim().getAsDouble(init.high) ||
        !std::isfinite(init.low) || !std::isfinite(init.high) || init.low >= init.high)
      return at.expected("`uniform(a,b)` of two numbers, the first smaller");
    return Error::success();
  }
  SmallVector<int64_t> values;
  for (StringRef operand : operands) {
    Expected<SizeExpr> expr = SizeExpr::parse(operand.trim());
    if (!expr)
      return at.error("in `" + operand.trim() + "`, " + toString(expr.takeError()));
    Expected<int64_t> value = evaluate(at, *expr);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  init.first = values.size() == 2 ? values[0] : 0;
  init.last = values.back();
  if (init.kind == Init::Kind::RandInt && init.first >= init.last)
    return at.expected("`randint(a,b)` with a smaller than b");
  if (init.kind == Init::Kind::Offsets && init.last < 0)
    return at.error("total `" + Twine(init.last) + "` of the offsets is negative");
  return Error::success();
}

//===-- Lines ----------------------------------------------------------------------------------------------------===//

namespace {
/// All lines of a corpus.
class CorpusReader {
public:
  explicit CorpusReader(StringRef file) : file(file) {}

  Error readText(StringRef text) {
    unsigned number = 0;
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      text = rest;
      ++number;
      if (line.trim().empty())
        continue;
      if (Error error = readLine(line, number))
        return error;
    }
    return Error::success();
  }

  std::vector<Row> rows;

private:
  Error readLine(StringRef line, unsigned number) {
    Expected<JsonText> json = JsonText::parse(line, file, number);
    if (!json)
      return json.takeError();
    JsonCursor at = json->root();
    bool isFirst = std::exchange(sawLine, true) == false;
    const json::Object *object = at.value().getAsObject();
    if (object && object->get("version"))
      return isFirst ? readVersion(at) : at.errorAtKey("version", "only the first line may give the version");
    std::map<std::string, std::vector<int64_t>> sweep;
    Row row;
    JsonFields fields(at);
    fields.required("kernel", row.kernel).optional("group", row.group);
    fields.with("weight", [&](JsonCursor member) { return readWeight(member, row.weight); })
        .with("sweep", [&](JsonCursor member) { return readSweep(member, sweep); })
        .with("args", [](JsonCursor) { return Error::success(); });
    if (!fields.has("args") && fields.has("kernel"))
      return at.error("key `args` is missing");
    if (Error error = fields.finish())
      return error;
    if (row.kernel.empty())
      return at.member("kernel").error("the name of the kernel is empty");
    row.place = at.member("args").place();
    return expand(at, row, sweep);
  }

  Error readVersion(const JsonCursor &at) {
    unsigned version = 0;
    if (Error error = JsonFields(at).required("version", version).finish())
      return error;
    if (version != Corpus::version)
      return at.member("version").error("corpus version `" + Twine(version) + "`, this tool reads `" +
                                        Twine(Corpus::version) + "`");
    return Error::success();
  }

  static Error readWeight(const JsonCursor &at, double &weight) {
    std::optional<double> value = at.value().getAsNumber();
    if (!value || !std::isfinite(*value) || *value <= 0)
      return at.expected("a weight above 0");
    weight = *value;
    return Error::success();
  }

  static Error readSweep(const JsonCursor &at, std::map<std::string, std::vector<int64_t>> &sweep) {
    size_t points = 1;
    Error error = at.forEachMember([&](StringRef symbol, JsonCursor member) -> Error {
      Expected<SizeExpr> name = SizeExpr::parse(symbol);
      if (!name || *name != SizeExpr::scalar(symbol)) {
        consumeError(name.takeError());
        return at.errorAtKey(symbol, "saw symbol `" + symbol + "`, expected a name");
      }
      std::vector<int64_t> &values = sweep[symbol.str()];
      if (Error error = readJson(member, values))
        return error;
      points *= values.size();
      if (values.empty())
        return member.error("symbol `" + symbol + "` has no values");
      return points <= maxRowsOfLine ? Error::success()
                                     : at.error("sweep gives more than `" + Twine(maxRowsOfLine) + "` rows");
    });
    return error;
  }

  /// One row for each point of the sweep, the last symbol fastest.
  Error expand(const JsonCursor &at, const Row &prototype, const std::map<std::string, std::vector<int64_t>> &sweep) {
    size_t points = 1;
    for (const auto &[symbol, values] : sweep)
      points *= values.size();
    for (size_t point = 0; point < points; ++point) {
      Symbols symbols;
      size_t rest = point;
      for (const auto &[symbol, values] : reverse(sweep)) {
        symbols.values[symbol] = values[rest % values.size()];
        rest /= values.size();
      }
      Row row = prototype;
      if (Error error = RowReader(symbols).readArgs(at.member("args"), row))
        return error;
      for (const auto &[symbol, value] : symbols.values)
        if (!symbols.used.count(symbol))
          return at.member("sweep").errorAtKey(symbol, "symbol `" + Twine(symbol) + "` is not used");
      auto [seen, isNew] = places.try_emplace(row.key(), row.place);
      if (!isNew)
        return at.error("row repeats the one at " + Twine(seen->second) + ": " + seen->first());
      rows.push_back(std::move(row));
    }
    return Error::success();
  }

public:
  /// The next file; rows of the files before still count as seen.
  void setFile(StringRef next) {
    file = next;
    sawLine = false;
  }

private:
  StringRef file;
  bool sawLine = false;
  StringMap<std::string> places; // By the row's key.
};
} // namespace

//===-- Row ------------------------------------------------------------------------------------------------------===//

static json::Value toJson(const RowArg &arg) {
  if (arg.kind == RowArg::Kind::None)
    return nullptr;
  if (arg.kind == RowArg::Kind::Number)
    return arg.number.json();
  return json::Object{{"shape", json::Array(arg.shape)},
                      {"strides", json::Array(arg.strides)},
                      {"dtype", dtypeName(arg.dtype)},
                      {"align", arg.align},
                      {"init", arg.init.text()}};
}

json::Value Row::argsJson() const {
  json::Object object;
  for (const auto &[name, arg] : args)
    object[name] = toJson(arg);
  return object;
}

std::string Row::key() const { return canonicalJson(json::Object{{"kernel", kernel}, {"args", argsJson()}}); }

std::string Row::id() const { return contentHash(key()); }

Expected<Row> Row::parse(StringRef key, StringRef file) {
  CorpusReader reader(file);
  if (Error error = reader.readText(key))
    return error;
  if (reader.rows.size() != 1)
    return createStringError(file + ":1:1: saw `" + Twine(reader.rows.size()) + "` rows, expected one");
  return std::move(reader.rows.front());
}

Binding Row::binding() const {
  Binding binding;
  for (const auto &[name, arg] : args) {
    if (arg.kind == RowArg::Kind::Tensor)
      binding.tensors[name] = {arg.dtype, arg.shape, arg.strides, arg.align};
    if (arg.kind == RowArg::Kind::Number)
      binding.scalars[name] = arg.number;
  }
  return binding;
}

bool Row::operator<(const Row &other) const {
  if (kernel != other.kernel)
    return kernel < other.kernel;
  auto sizes = [](const Row &row) {
    std::vector<int64_t> list;
    for (const auto &[name, arg] : row.args)
      list.insert(list.end(), arg.shape.begin(), arg.shape.end());
    return list;
  };
  std::vector<int64_t> mine = sizes(*this), others = sizes(other);
  return mine != others ? mine < others : key() < other.key();
}

//===-- Corpus ---------------------------------------------------------------------------------------------------===//

static Expected<Corpus> finish(CorpusReader &reader, StringRef file) {
  if (reader.rows.empty())
    return createStringError(file + ":1:1: corpus has no rows");
  Corpus corpus;
  corpus.rows = std::move(reader.rows);
  llvm::sort(corpus.rows);
  return corpus;
}

Expected<Corpus> Corpus::parse(StringRef text, StringRef file) {
  CorpusReader reader(file);
  if (Error error = reader.readText(text))
    return error;
  return finish(reader, file);
}

Expected<Corpus> Corpus::load(ArrayRef<std::string> files, StringRef kernel) {
  CorpusReader reader("");
  for (const std::string &file : files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(file);
    if (!buffer)
      return createStringError("cannot read corpus `" + file + "`: " + buffer.getError().message());
    reader.setFile(file);
    if (Error error = reader.readText((*buffer)->getBuffer()))
      return error;
  }
  Expected<Corpus> corpus = finish(reader, files.empty() ? StringRef("corpus") : StringRef(files.front()));
  if (!corpus || kernel.empty())
    return corpus;
  std::set<std::string> kernels;
  for (const Row &row : corpus->rows)
    kernels.insert(row.kernel);
  llvm::erase_if(corpus->rows, [&](const Row &row) { return row.kernel != kernel; });
  if (corpus->rows.empty())
    return createStringError(files.front() + ":1:1: no row is for kernel `" + kernel + "`; the corpus has `" +
                             join(kernels, "`, `") + "`");
  return corpus;
}

} // namespace helion::aot
