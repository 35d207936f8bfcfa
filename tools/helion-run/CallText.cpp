// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the words of a call; every mistake in them is named here.

#include "tools/helion-run/CallText.h"
#include "dialect/Interp/Npy.h"
#include "llvm/ADT/StringExtras.h"

using namespace helion;
using namespace helion::interp;
using namespace helion::run;
using llvm::StringRef;
using llvm::Twine;

using Words = std::map<std::string, std::string>;

static std::string nameList(KernelOp kernel) {
  std::string names;
  for (unsigned i = 0, e = kernel.getBody().getNumArguments(); i != e; ++i)
    names += (names.empty() ? "`" : ", `") + kernel.getArgumentName(i).str() + "`";
  return names.empty() ? "none" : names;
}

/// `NAME=TEXT` words as a map whose names are arguments of the kernel.
static llvm::Expected<Words> readWords(KernelOp kernel, StringRef option, const std::vector<std::string> &given) {
  Words words;
  for (StringRef word : given) {
    auto [name, text] = word.split('=');
    if (name.size() == word.size() || name.empty() || text.empty())
      return llvm::createStringError("`--" + option + " " + word + "`: `NAME=VALUE` is needed");
    bool isKnown = false;
    for (unsigned i = 0, e = kernel.getBody().getNumArguments(); i != e; ++i)
      isKnown |= kernel.getArgumentName(i) == name;
    if (!isKnown)
      return llvm::createStringError("`--" + option + " " + word + "`: kernel `" + kernel.getSymName() +
                                     "` has no argument `" + name + "`; its arguments are " + nameList(kernel));
    if (!words.insert({name.str(), text.str()}).second)
      return llvm::createStringError("`--" + option + " " + word + "`: `" + name + "` is given twice");
  }
  return words;
}

static llvm::Expected<Shape> readIntegers(StringRef option, StringRef text) {
  Shape values;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (part.trim().getAsInteger(10, values.emplace_back()))
      return llvm::createStringError("`--" + option + "`: `" + part + "` is no integer");
  return values;
}

llvm::Expected<BlockMap> helion::run::readNumbers(StringRef option, StringRef text) {
  BlockMap numbers;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number) || number < 1)
      return llvm::createStringError("`--" + option + "`: `" + part + "` is not `NAME=N` with N above 0");
    if (!numbers.insert({name.str(), number}).second)
      return llvm::createStringError("`--" + option + "`: `" + name + "` is given twice");
  }
  return numbers;
}

namespace {
struct ParsedCall {
  Words args, dtypes, sizes, strides, offsets;
};
} // namespace

static llvm::Error applyView(HostTensor &tensor, const std::string &name, const ParsedCall &call) {
  struct Part {
    StringRef option;
    const Words &words;
    Shape &target;
  };
  Shape offset = {tensor.offset};
  for (Part part : {Part{"sizes", call.sizes, tensor.sizes}, Part{"strides", call.strides, tensor.strides},
                    Part{"offset", call.offsets, offset}}) {
    auto word = part.words.find(name);
    if (word == part.words.end())
      continue;
    llvm::Expected<Shape> values = readIntegers(part.option, word->second);
    if (!values)
      return values.takeError();
    part.target = std::move(*values);
  }
  if (offset.size() != 1)
    return llvm::createStringError("`--offset`: one integer is needed for `" + name + "`");
  tensor.offset = offset[0];
  return llvm::Error::success();
}

static llvm::Expected<Argument> readTensor(KernelOp kernel, unsigned index, const ParsedCall &call) {
  std::string name = kernel.getArgumentName(index).str();
  std::optional<ElementType> hint;
  if (auto word = call.dtypes.find(name); word != call.dtypes.end()) {
    hint = elementTypeNamed(word->second);
    if (!hint)
      return llvm::createStringError("`--dtype " + name + "=" + word->second + "`: the types are " +
                                     elementTypeNames());
  }
  llvm::Expected<HostTensor> tensor = readNpy(call.args.at(name), hint);
  if (!tensor)
    return llvm::createStringError("argument `" + name + "`: " + llvm::toString(tensor.takeError()));
  if (llvm::Error error = applyView(*tensor, name, call))
    return std::move(error);
  return Argument(std::move(*tensor));
}

static llvm::Expected<Argument> readScalar(StringRef name, mlir::Type type, StringRef text) {
  auto error = [&](const Twine &what) {
    return llvm::createStringError("argument `" + name + "`: `" + text + "` is " + what);
  };
  if (mlir::isa<mlir::FloatType>(type)) {
    double number;
    if (text.getAsDouble(number))
      return error("no number");
    return Argument(number);
  }
  if (type.isInteger(1) && (text == "true" || text == "false"))
    return Argument(int64_t(text == "true"));
  int64_t number;
  if (text.getAsInteger(0, number))
    return error("no integer");
  // An i1 holds 0 and 1 for the caller, whatever its sign bit says.
  bool fits = type.isInteger(1) ? number == 0 || number == 1 : wrapInteger(number, type) == number;
  if (!fits)
    return error("outside the type");
  return Argument(number);
}

llvm::Expected<std::vector<Argument>> helion::run::readCall(KernelOp kernel, const CallText &text) {
  ParsedCall call;
  struct Part {
    StringRef option;
    const std::vector<std::string> &given;
    Words &words;
  };
  for (Part part : {Part{"arg", text.args, call.args}, Part{"dtype", text.dtypes, call.dtypes},
                    Part{"sizes", text.sizes, call.sizes}, Part{"strides", text.strides, call.strides},
                    Part{"offset", text.offsets, call.offsets}}) {
    llvm::Expected<Words> words = readWords(kernel, part.option, part.given);
    if (!words)
      return words.takeError();
    part.words = std::move(*words);
  }
  std::vector<Argument> arguments;
  for (unsigned i = 0, e = kernel.getBody().getNumArguments(); i != e; ++i) {
    StringRef name = kernel.getArgumentName(i);
    auto word = call.args.find(name.str());
    if (word == call.args.end())
      return llvm::createStringError("argument `" + name + "` is missing; kernel `" + kernel.getSymName() + "` takes " +
                                     nameList(kernel));
    mlir::Type type = kernel.getBody().getArgument(i).getType();
    llvm::Expected<Argument> argument =
        mlir::isa<mlir::MemRefType>(type) ? readTensor(kernel, i, call) : readScalar(name, type, word->second);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}
