// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of #helion.layout, and text and checks of the types that hold a tile with a layout.

#include "dialect/IR/Helion.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;

//===-- The attribute --------------------------------------------------------------------------------------------===//

static ParseResult parseIndices(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

static ParseResult parseSpace(AsmParser &parser, StringRef word, SMLoc loc, LayoutSpace &space) {
  std::optional<LayoutSpace> found = spaceFromName(word);
  if (!found)
    return parser.emitError(loc) << "space `" << word
                                 << "` is none of `reg`, `lane`, `warp`, `group`, `cta`, `offset`, `mem`";
  space = *found;
  return success();
}

static ParseResult parseOptionalStride(AsmParser &parser, StringRef keyword, int64_t &value) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(value))
    return failure();
  if (value < 1)
    return parser.emitError(loc) << "`from` and `step` of a repeat are at least 1";
  return success();
}

static ParseResult parseRepeat(AsmParser &parser, LayoutText &text) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  LayoutText::Repeat repeat{};
  int64_t dim = 0;
  repeat.from = repeat.step = -1;
  if (parser.parseKeyword(&word) || parseSpace(parser, word, loc, repeat.space) || parser.parseInteger(dim) ||
      parser.parseKeyword("x") || parser.parseInteger(repeat.count) ||
      parseOptionalStride(parser, "from", repeat.from) || parseOptionalStride(parser, "step", repeat.step))
    return failure();
  if (dim < 0 || dim >= int64_t(text.atom.size()))
    return parser.emitError(loc) << "a repeat names dim `" << dim << "` of a tile of rank " << text.atom.size();
  repeat.dim = dim;
  text.repeats.push_back(repeat);
  return success();
}

/// `, space = [[..], ..]` or `, repeat = [..]`
static ParseResult parseSection(AsmParser &parser, LayoutText &text) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word) || parser.parseEqual())
    return failure();
  if (word == "repeat")
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseRepeat(parser, text); });
  LayoutSpace space;
  if (parseSpace(parser, word, loc, space))
    return failure();
  SmallVector<Point> &bases = text.bases[unsigned(space)];
  if (!bases.empty())
    return parser.emitError(loc) << "space `" << word << "` stands twice";
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseIndices(parser, bases.emplace_back()); });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LayoutText text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseIndices(parser, text.atom))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseSection(parser, text))
      return {};
  if (parser.parseGreater())
    return {};
  llvm::Expected<Layout> layout = Layout::build(text);
  if (layout)
    return LayoutAttr::get(parser.getContext(), *layout);
  parser.emitError(loc) << llvm::toString(layout.takeError());
  return {};
}

void LayoutAttr::print(AsmPrinter &printer) const { printer << getLayout().str(); }

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getLayout().shape() == shape)
    return success();
  return emitError() << "layout places a tile of [" << getLayout().shape() << "], the tensor has [" << shape << "]";
}

LayoutAttr helion::layoutOf(Type type) {
  auto tile = TypeSwitch<Type, RankedTensorType>(type)
                  .Case<BufType, TokenType, TensorMapType>([](auto holder) { return holder.getTile(); })
                  .Case<RankedTensorType>([](auto tensor) { return tensor; })
                  .Default(RankedTensorType());
  return tile ? dyn_cast_or_null<LayoutAttr>(tile.getEncoding()) : LayoutAttr();
}

//===-- Types ----------------------------------------------------------------------------------------------------===//

Type SlotType::parse(AsmParser &parser) {
  StringRef side;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) || parser.parseKeyword(&side) || parser.parseGreater())
    return {};
  if (side == "read" || side == "write")
    return SlotType::get(parser.getContext(), side == "write");
  parser.emitError(loc) << "side `" << side << "` of a slot is none of `read`, `write`";
  return {};
}

void SlotType::print(AsmPrinter &printer) const { printer << (getWrite() ? "<write>" : "<read>"); }

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyStaged(EmitError emitError, RankedTensorType tile) {
  auto attr = dyn_cast_or_null<LayoutAttr>(tile.getEncoding());
  if (!attr)
    return emitError() << "buffer of type " << tile << " has no `#helion.layout`";
  const Layout &layout = attr.getLayout();
  for (LayoutSpace space : {LayoutSpace::Reg, LayoutSpace::Lane, LayoutSpace::Warp, LayoutSpace::Mem})
    if (layout.uses(space))
      return emitError() << "layout of a buffer has space `" << spaceName(space)
                         << "`; only `offset`, `group` and `cta` place staged memory";
  return success();
}

LogicalResult BufType::verify(EmitError emitError, RankedTensorType tile) { return verifyStaged(emitError, tile); }

LogicalResult TokenType::verify(EmitError emitError, RankedTensorType tile) {
  auto attr = dyn_cast_or_null<LayoutAttr>(tile.getEncoding());
  if (!attr)
    return emitError() << "value in flight of type " << tile << " has no `#helion.layout`";
  if (attr.getLayout().uses(LayoutSpace::Offset))
    return emitError() << "value in flight has a layout of staged memory";
  return success();
}

LogicalResult RingType::verify(EmitError emitError, int64_t depth, ArrayRef<RankedTensorType> buffers) {
  if (depth < 1)
    return emitError() << "ring has depth `" << depth << "`; at least 1 is needed";
  if (buffers.empty())
    return emitError() << "ring has no buffers";
  for (RankedTensorType buffer : buffers)
    if (failed(verifyStaged(emitError, buffer)))
      return failure();
  return success();
}

LogicalResult TensorMapType::verify(EmitError emitError, ArrayRef<int64_t> box, RankedTensorType tile) {
  if (failed(verifyStaged(emitError, tile)))
    return failure();
  if (layoutOf(tile).getLayout().uses(LayoutSpace::Group) || layoutOf(tile).getLayout().uses(LayoutSpace::Cta))
    return emitError() << "box of a tensor map has a layout with parts; only `offset` places it";
  // The tile's extents in order, the other extents of the box being 1.
  ArrayRef<int64_t> left = tile.getShape();
  bool fits = true;
  for (int64_t extent : box) {
    if (!left.empty() && extent == left.front())
      left = left.drop_front();
    else
      fits &= extent == 1;
  }
  if (!fits || !left.empty())
    return emitError() << "box [" << box << "] without extents of 1 is not the tile [" << tile.getShape() << "]";
  return success();
}

Type RingType::parse(AsmParser &parser) {
  int64_t depth = 0;
  SmallVector<RankedTensorType> buffers;
  SMLoc loc = parser.getCurrentLocation();
  auto parseBuffer = [&]() -> ParseResult { return parser.parseType(buffers.emplace_back()); };
  if (parser.parseLess() || parser.parseInteger(depth) || parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseBuffer) || parser.parseGreater())
    return {};
  return RingType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), depth,
                              ArrayRef<RankedTensorType>(buffers));
}

void RingType::print(AsmPrinter &printer) const {
  printer << "<" << getDepth() << " x (";
  llvm::interleaveComma(getBuffers(), printer, [&](RankedTensorType buffer) { printer.printType(buffer); });
  printer << ")>";
}

int64_t RingType::getSlotBytes() const {
  int64_t bytes = 0;
  for (RankedTensorType buffer : getBuffers()) {
    Type element = buffer.getElementType();
    int64_t width = isa<IndexType>(element) ? 64 : element.getIntOrFloatBitWidth();
    bytes += layoutOf(buffer).getLayout().size(LayoutSpace::Offset) * ((width + 7) / 8);
  }
  return bytes;
}
