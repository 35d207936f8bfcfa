// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of size expressions and predicates: recursive descent over two levels of precedence, which folds as it
// builds.
#include "dialect/IR/SizeExprText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace helion::text;

namespace helion {

using Kind = SizeExpr::Kind;

// A text has at most this many operators and open parentheses, which bounds every recursion below.
static constexpr unsigned maxOperators = 2000;

namespace {
class Parser {
public:
  explicit Parser(StringRef text) : text(text) { advance(); }

  Expected<SizeExpr> parseWholeExpr() {
    Expected<SizeExpr> expr = parseSum();
    if (expr && !token.empty())
      return unexpected("an operator or the end");
    return expr;
  }

  Expected<Pred> parseWholePred() {
    Expected<Pred> pred = token == "overlap" ? parseOverlap() : parseComparison();
    if (pred && !token.empty())
      return unexpected("the end");
    return pred;
  }

private:
  static bool startsName(char c) { return isAlpha(c) || c == '_'; }
  static bool continuesName(char c) { return isAlnum(c) || c == '_'; }

  void advance() {
    position += token.size();
    position += text.drop_front(position).take_while([](char c) { return c == ' ' || c == '\t'; }).size();
    StringRef rest = text.drop_front(position);
    if (rest.empty())
      token = rest;
    else if (startsName(rest.front()))
      token = rest.take_while(continuesName);
    else if (isDigit(rest.front()))
      token = rest.take_while(continuesName);
    else if (is_contained({"==", "!=", "<=", ">="}, rest.take_front(2)))
      token = rest.take_front(2);
    else
      token = rest.take_front(1);
  }

  bool consume(StringRef wanted) {
    if (token != wanted)
      return false;
    advance();
    return true;
  }

  Error failAt(const Twine &message) const {
    return createStringError("column " + Twine(position + 1) + ": " + message);
  }

  Error unexpected(const Twine &wanted) const {
    return failAt("saw " + (token.empty() ? Twine("the end") : "`" + token + "`") + ", expected " + wanted);
  }

  Error expect(StringRef wanted) { return consume(wanted) ? Error::success() : unexpected("`" + wanted + "`"); }

  Error countOperator() {
    if (++count > maxOperators)
      return failAt("more than `" + Twine(maxOperators) + "` operators and parentheses");
    return Error::success();
  }

  Expected<SizeExpr> parseLevel(unsigned precedence) {
    return precedence == 3 ? parsePrimary() : parseChain(precedence);
  }

  Expected<SizeExpr> parseSum() { return parseLevel(1); }

  /// operand (operator operand)*, left associative.
  Expected<SizeExpr> parseChain(unsigned precedence) {
    Expected<SizeExpr> result = parseLevel(precedence + 1);
    while (result) {
      const Operator *op =
          find_if(operators, [&](const Operator &op) { return op.precedence == precedence && op.text == token; });
      if (op == std::end(operators))
        return result;
      if (Error error = countOperator())
        return error;
      advance();
      Expected<SizeExpr> rhs = parseLevel(precedence + 1);
      if (!rhs)
        return rhs;
      result = SizeExpr::binary(op->kind, *result, *rhs);
    }
    return result;
  }

  Expected<SizeExpr> parsePrimary() {
    if (token == "(") {
      if (Error error = countOperator())
        return error;
      advance();
      Expected<SizeExpr> inner = parseSum();
      if (!inner)
        return inner;
      if (Error error = expect(")"))
        return error;
      return inner;
    }
    if (token == "-" || (!token.empty() && isDigit(token.front())))
      return parseInteger();
    if (token == "min" || token == "max")
      return parseCall();
    if (token == "dev")
      return parseDeviceFact();
    if (!token.empty() && startsName(token.front()) && !isReserved())
      return parseName();
    return unexpected("an integer, a name, `min`, `max` or `(`");
  }

  bool isReserved() const { return is_contained({"floordiv", "ceildiv", "min", "max", "dev", "overlap"}, token); }

  Expected<SizeExpr> parseInteger() {
    bool negative = consume("-");
    if (token.empty() || !isDigit(token.front()))
      return unexpected("an integer");
    std::string digits = (negative ? "-" : "") + token.str();
    if (!all_of(token, [](char c) { return isDigit(c); }))
      return unexpected("an integer");
    int64_t value = 0;
    if (StringRef(digits).getAsInteger(10, value))
      return failAt("`" + digits + "` does not fit 64 bits");
    advance();
    return SizeExpr::constant(value);
  }

  Expected<SizeExpr> parseCall() {
    Kind kind = token == "min" ? Kind::Min : Kind::Max;
    if (Error error = countOperator())
      return error;
    advance();
    if (Error error = expect("("))
      return error;
    Expected<SizeExpr> lhs = parseSum();
    if (!lhs)
      return lhs;
    if (Error error = expect(","))
      return error;
    Expected<SizeExpr> rhs = parseSum();
    if (!rhs)
      return rhs;
    if (Error error = expect(")"))
      return error;
    return SizeExpr::binary(kind, *lhs, *rhs);
  }

  Expected<StringRef> parseWord(const Twine &what) {
    if (token.empty() || !startsName(token.front()))
      return unexpected(what);
    StringRef word = token;
    advance();
    return word;
  }

  Expected<SizeExpr> parseDeviceFact() {
    advance();
    if (Error error = expect("."))
      return error;
    Expected<StringRef> fact = parseWord("the name of a device fact");
    if (!fact)
      return fact.takeError();
    return SizeExpr::device(*fact);
  }

  /// name, name.align, name.size(i), name.stride(i)
  Expected<SizeExpr> parseName() {
    StringRef name = token;
    advance();
    if (!consume("."))
      return SizeExpr::scalar(name);
    if (consume("align"))
      return SizeExpr::align(name);
    bool isSize = token == "size";
    if (!isSize && token != "stride")
      return unexpected("`size`, `stride` or `align`");
    advance();
    if (Error error = expect("("))
      return error;
    unsigned dim = 0;
    if (token.getAsInteger(10, dim))
      return unexpected("the number of a dim");
    advance();
    if (Error error = expect(")"))
      return error;
    return isSize ? SizeExpr::size(name, dim) : SizeExpr::stride(name, dim);
  }

  Expected<Pred> parseComparison();
  Expected<Pred> parseOverlap();

  StringRef text;
  StringRef token;
  size_t position = 0;
  unsigned count = 0;
};
} // namespace

Expected<SizeExpr> SizeExpr::parse(StringRef text) { return Parser(text).parseWholeExpr(); }

Expected<Pred> Parser::parseComparison() {
  Expected<SizeExpr> lhs = parseSum();
  if (!lhs)
    return lhs.takeError();
  const Comparison *found =
      find_if(comparisons, [&](const Comparison &comparison) { return comparison.text == token; });
  if (found == std::end(comparisons))
    return unexpected("an operator or one of `==`, `!=`, `<=`, `<`, `>=`, `>`");
  advance();
  Expected<SizeExpr> rhs = parseSum();
  if (!rhs)
    return rhs.takeError();
  return Pred::compare(found->op, *lhs, *rhs);
}

Expected<Pred> Parser::parseOverlap() {
  advance();
  if (Error error = expect("("))
    return error;
  Expected<StringRef> first = parseWord("the name of an argument");
  if (!first)
    return first.takeError();
  if (Error error = expect(","))
    return error;
  Expected<StringRef> second = parseWord("the name of an argument");
  if (!second)
    return second.takeError();
  if (Error error = expect(")"))
    return error;
  if (Error error = expect("=="))
    return error;
  if (token != "none" && token != "same")
    return unexpected("`none` or `same`");
  Overlap kind = token == "none" ? Overlap::None : Overlap::Same;
  advance();
  return Pred::overlap(*first, *second, kind);
}
Expected<Pred> Pred::parse(StringRef text) { return Parser(text).parseWholePred(); }

} // namespace helion
