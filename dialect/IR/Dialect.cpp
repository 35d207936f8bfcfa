// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialect, and text and checks of its attributes and types.

#include "dialect/IR/Dims.h"
#include "dialect/IR/Helion.h"
#include "dialect/IR/SizeExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

#include "dialect/IR/HelionDialect.cpp.inc"
#include "dialect/IR/HelionEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/IR/HelionAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/IR/HelionTypes.cpp.inc"

namespace {
/// Layouts are long and few: a module lists them once at its top.
struct Aliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void HelionDialect::initialize() {
  addInterfaces<Aliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/IR/HelionAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/IR/HelionTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/IR/HelionOps.cpp.inc"
      >();
}

//===-- Dims -----------------------------------------------------------------------------------------------------===//

namespace {
/// Affine text over block names: sums of products, as in the header of Attributes.td.
class ExprParser {
public:
  explicit ExprParser(AsmParser &parser) : parser(parser) {}

  AffineExpr parseSum() {
    AffineExpr lhs = parseProduct();
    while (lhs && succeeded(parser.parseOptionalPlus()))
      lhs = combine(AffineExprKind::Add, lhs, parseProduct());
    return lhs;
  }
  ArrayRef<StringAttr> blocks() const { return names; }

private:
  AffineExpr parseProduct() {
    AffineExpr lhs = parsePrimary();
    while (lhs) {
      if (succeeded(parser.parseOptionalStar()))
        lhs = combine(AffineExprKind::Mul, lhs, parsePrimary());
      else if (succeeded(parser.parseOptionalKeyword("floordiv")))
        lhs = combine(AffineExprKind::FloorDiv, lhs, parsePrimary());
      else if (succeeded(parser.parseOptionalKeyword("ceildiv")))
        lhs = combine(AffineExprKind::CeilDiv, lhs, parsePrimary());
      else
        break;
    }
    return lhs;
  }

  AffineExpr parsePrimary() {
    if (succeeded(parser.parseOptionalLParen())) {
      AffineExpr inner = parseSum();
      return inner && succeeded(parser.parseRParen()) ? inner : AffineExpr();
    }
    int64_t constant = 0;
    OptionalParseResult number = parser.parseOptionalInteger(constant);
    if (number.has_value())
      return succeeded(*number) ? getAffineConstantExpr(constant, parser.getContext()) : AffineExpr();
    std::string keyword;
    if (failed(parser.parseKeywordOrString(&keyword)))
      return AffineExpr();
    auto name = StringAttr::get(parser.getContext(), keyword);
    auto *it = llvm::find(names, name);
    if (it == names.end()) {
      names.push_back(name);
      it = names.end() - 1;
    }
    return getAffineSymbolExpr(it - names.begin(), parser.getContext());
  }

  AffineExpr combine(AffineExprKind kind, AffineExpr lhs, AffineExpr rhs) {
    return rhs ? getAffineBinaryOpExpr(kind, lhs, rhs) : AffineExpr();
  }

  AsmParser &parser;
  SmallVector<StringAttr> names;
};

void printExpr(AffineExpr expr, ArrayRef<StringAttr> names, raw_ostream &os, bool nested) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    os << constant.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    os << names[symbol.getPosition()].getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StringRef op = expr.getKind() == AffineExprKind::Add        ? " + "
                 : expr.getKind() == AffineExprKind::Mul      ? "*"
                 : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                              : " ceildiv ";
  os << (nested ? "(" : "");
  printExpr(binary.getLHS(), names, os, true);
  os << op;
  printExpr(binary.getRHS(), names, os, true);
  os << (nested ? ")" : "");
}
} // namespace

DimAttr DimAttr::get(MLIRContext *context, int64_t extent) {
  return Base::get(context, getAffineConstantExpr(extent, context), ArrayRef<StringAttr>(), StringAttr());
}

DimAttr DimAttr::get(MLIRContext *context, StringRef block, StringRef range) {
  return Base::get(context, getAffineSymbolExpr(0, context), ArrayRef(StringAttr::get(context, block)),
                   range.empty() ? StringAttr() : StringAttr::get(context, range));
}

DimAttr DimAttr::get(MLIRContext *context, AffineExpr expr, ArrayRef<StringAttr> blocks) {
  SmallVector<StringAttr> used;
  for (auto [i, name] : llvm::enumerate(blocks))
    if (expr.isFunctionOfSymbol(i))
      used.push_back(name);
  llvm::sort(used, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  used.erase(llvm::unique(used), used.end());
  SmallVector<AffineExpr> symbols;
  for (StringAttr name : blocks) {
    auto *it = llvm::find(used, name);
    symbols.push_back(it == used.end() ? getAffineConstantExpr(0, context)
                                       : getAffineSymbolExpr(it - used.begin(), context));
  }
  return Base::get(context, simplifyAffineExpr(expr.replaceSymbols(symbols), 0, used.size()), ArrayRef(used),
                   StringAttr());
}

std::optional<int64_t> DimAttr::getConstant() const {
  if (auto constant = dyn_cast<AffineConstantExpr>(getExpr()))
    return constant.getValue();
  return std::nullopt;
}

StringAttr DimAttr::getBlock() const { return isa<AffineSymbolExpr>(getExpr()) ? getBlocks().front() : StringAttr(); }

DimAttr DimAttr::withoutRange() const { return Base::get(getContext(), getExpr(), getBlocks(), StringAttr()); }

DimAttr DimAttr::parseBare(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  ExprParser exprParser(parser);
  AffineExpr expr = exprParser.parseSum();
  if (!expr)
    return {};
  DimAttr dim = get(parser.getContext(), expr, exprParser.blocks());
  if (std::optional<int64_t> extent = dim.getConstant(); extent && *extent < 1) {
    parser.emitError(loc) << "extent `" << *extent << "` of a dim is below 1";
    return {};
  }
  StringAttr range;
  if (failed(parser.parseOptionalSymbolName(range)))
    return dim;
  if (!dim.getBlock()) {
    parser.emitError(loc) << "range `@" << range.getValue() << "` stands behind `" << dim.str()
                          << "`, which is not a single block";
    return {};
  }
  return get(parser.getContext(), dim.getBlock().getValue(), range.getValue());
}

std::string DimAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpr(getExpr(), getBlocks(), os, false);
  if (getRange())
    os << "@" << getRange().getValue();
  return text;
}

void DimAttr::printBare(AsmPrinter &printer) const { printer << str(); }

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DimAttr dim = parseBare(parser);
  return dim && succeeded(parser.parseGreater()) ? dim : DimAttr();
}

void DimAttr::print(AsmPrinter &printer) const { printer << "<" << str() << ">"; }

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimAttr> dims;
  auto parseDim = [&]() -> ParseResult {
    dims.push_back(DimAttr::parseBare(parser));
    return success(dims.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseDim))
    return {};
  return DimsAttr::get(parser.getContext(), dims);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getDims(), printer, [&](DimAttr dim) { printer << dim.str(); });
  printer << ">";
}

SmallVector<int64_t> DimsAttr::getShape() const {
  return llvm::map_to_vector(getDims(), [](DimAttr dim) { return dim.getConstant().value_or(ShapedType::kDynamic); });
}

Type TileType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  DimAttr dim = DimAttr::parseBare(parser);
  return dim && succeeded(parser.parseGreater()) ? TileType::get(parser.getContext(), dim) : TileType();
}

void TileType::print(AsmPrinter &printer) const { printer << "<" << getDim().str() << ">"; }

//===-- Predicates -----------------------------------------------------------------------------------------------===//

LogicalResult PredAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef text) {
  llvm::Expected<Pred> pred = Pred::parse(text);
  if (pred)
    return success();
  return emitError() << "predicate `" << text << "`: " << llvm::toString(pred.takeError());
}
