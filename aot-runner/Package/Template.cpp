// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Package/Template.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace helion {

namespace {
/// How a kind of file writes its marks.
struct Marks {
  StringRef open, close;
};

struct EmbeddedText {
  StringRef name, text;
};

/// The first mark of a text: what stands before it, what it names ("}" ends a part), and what follows.
struct Mark {
  StringRef before, name, after;
};

class Filler {
public:
  explicit Filler(StringRef text) : rest(text) {}

  /// Writes up to the mark that ends this part, or to the end of the text for the outermost part.
  Error fill(const TemplateValues &values, bool isOutermost, std::string &out);

private:
  bool nextMark(Mark &mark) const;
  Error fillPlace(StringRef name, const TemplateValues &values, std::string &out);
  Error fillEach(StringRef name, const TemplateValues &values, std::string &out);

  StringRef rest;
};
} // namespace

static constexpr Marks kindsOfMarks[] = {{"/*{", "*/"}, {"/*}", "*/"}, {"#[[{", "]]"}, {"#[[}", "]]"}};

static const EmbeddedText embeddedTexts[] = {
#include "aot-runner/Package/Texts.inc"
};

bool Filler::nextMark(Mark &mark) const {
  size_t first = StringRef::npos;
  for (const Marks &marks : kindsOfMarks) {
    size_t at = rest.find(marks.open);
    if (at >= first)
      continue;
    StringRef inside = rest.substr(at + marks.open.size());
    auto [name, after] = inside.split(marks.close);
    bool isEnd = marks.open.back() == '}';
    mark = {rest.substr(0, at), isEnd ? "}" : name, after};
    first = at;
  }
  return first != StringRef::npos;
}

Error Filler::fillPlace(StringRef name, const TemplateValues &values, std::string &out) {
  auto value = values.texts.find(name.str());
  if (value == values.texts.end())
    return createStringError("the template's place `" + name + "` has no value");
  Mark end;
  if (!nextMark(end) || end.name != "}")
    return createStringError("the template's place `" + name + "` has no end");
  out += value->second;
  rest = end.after;
  // A value of whole lines brought its own line end.
  if (value->second.empty() || value->second.back() == '\n')
    rest.consume_front("\n");
  return Error::success();
}

Error Filler::fillEach(StringRef name, const TemplateValues &values, std::string &out) {
  auto list = values.lists.find(name.str());
  if (list == values.lists.end())
    return createStringError("the template's part `" + name + "` has no list");
  rest.consume_front("\n");
  StringRef body = rest;
  for (const TemplateValues &element : list->second) {
    rest = body;
    if (Error error = fill(element, /*isOutermost=*/false, out))
      return error;
    rest.consume_front("\n");
  }
  if (!list->second.empty())
    return Error::success();
  // Nothing to repeat: skip to the end of the part.
  int depth = 1;
  for (Mark mark; depth > 0; rest = mark.after) {
    if (!nextMark(mark))
      return createStringError("the template's part `" + name + "` has no end");
    depth += mark.name == "}" ? -1 : 1;
  }
  return Error::success();
}

Error Filler::fill(const TemplateValues &values, bool isOutermost, std::string &out) {
  for (Mark mark; nextMark(mark);) {
    out += mark.before;
    rest = mark.after;
    if (mark.name == "}")
      return isOutermost ? createStringError("the template ends a part that it did not begin") : Error::success();
    bool isEach = mark.name.consume_front("each ");
    if (Error error = isEach ? fillEach(mark.name, values, out) : fillPlace(mark.name, values, out))
      return error;
  }
  if (!isOutermost)
    return createStringError("a repeated part of the template has no end");
  out += rest;
  return Error::success();
}

/// Without the comment about the template itself.
static StringRef withoutHead(StringRef text) {
  if (!text.starts_with("//") && !text.starts_with("# "))
    return text;
  size_t end = text.find("\n\n");
  return end == StringRef::npos ? text : text.substr(end + 2);
}

static std::string replaceAll(StringRef text, StringRef from, StringRef to) {
  std::string result;
  while (true) {
    size_t at = text.find(from);
    result += text.substr(0, at);
    if (at == StringRef::npos)
      return result;
    result += to;
    text = text.substr(at + from.size());
  }
}

Expected<std::string> fillTemplate(StringRef text, const TemplateValues &values, StringRef kernel) {
  // The name is replaced first: values hold no sample names, and may hold texts that look like one.
  std::string named = replaceAll(withoutHead(text), "the_kernel", kernel);
  named = replaceAll(named, "THE_KERNEL", kernel.upper());
  std::string out;
  if (Error error = Filler(named).fill(values, /*isOutermost=*/true, out))
    return error;
  return out;
}

StringRef embeddedText(StringRef name) {
  const EmbeddedText *found = find_if(embeddedTexts, [&](const EmbeddedText &text) { return text.name == name; });
  if (found == std::end(embeddedTexts))
    llvm_unreachable("a name that CMakeLists.txt does not embed");
  return found->text;
}

std::vector<StringRef> embeddedRuntimeFiles() {
  std::vector<StringRef> names;
  for (const EmbeddedText &text : embeddedTexts)
    if (text.name.starts_with("runtime/"))
      names.push_back(text.name);
  return names;
}

} // namespace helion
