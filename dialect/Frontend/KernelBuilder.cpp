// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emission of the host part: size expressions become SSA values once, asserts teach equalities, blocks and slices get
// names.
#include "dialect/Frontend/KernelBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

LogicalResult KernelBuilder::fail(const llvm::Twine &message) {
  diagnostics.error(at, message);
  return failure();
}

Location KernelBuilder::loc() {
  Location place = FileLineColLoc::get(b.getStringAttr(diagnostics.getPath()), at.line, at.column + 1);
  if (nameHint.empty())
    return place;
  return NameLoc::get(b.getStringAttr(nameHint), place);
}

//===-- Kernel and launches --------------------------------------------------------------------------------------===//

void KernelBuilder::begin(llvm::StringRef name) {
  module = ModuleOp::create(loc());
  module->setAttr(kFormAttr, b.getStringAttr("kernel"));
  b.setInsertionPointToEnd(module.getBody());
  FunctionType type = b.getFunctionType({}, {});
  kernel =
      KernelOp::create(b, loc(), b.getStringAttr(name), TypeAttr::get(type), StringAttr(), ArrayAttr(), ArrayAttr());
  kernel->setAttr(kFactsAttr, b.getArrayAttr({}));
  b.setInsertionPointToEnd(&kernel.getBody().emplaceBlock());
}

BlockArgument KernelBuilder::addArgument(llvm::StringRef name, Type type) {
  unsigned index = kernel.getBody().front().getNumArguments();
  NamedAttribute attr(kNameAttr, b.getStringAttr(name));
  nameHint = name.str();
  (void)kernel.insertArgument(index, type, b.getDictionaryAttr(attr), loc());
  nameHint.clear();
  return kernel.getBody().front().getArgument(index);
}

void KernelBuilder::finish(ValueRange results) {
  ReturnOp::create(b, loc(), results);
  kernel.setFunctionType(b.getFunctionType(kernel.getArgumentTypes(), results.getTypes()));
}

LaunchOp KernelBuilder::beginLaunch(llvm::StringRef name) {
  launch = LaunchOp::create(b, loc(), ValueRange(), b.getStringAttr(uniqueSite(name)));
  Block &body = launch.getBody().emplaceBlock();
  b.setInsertionPointToStart(&body);
  YieldOp::create(b, loc());
  b.setInsertionPointToStart(&body);
  return launch;
}

void KernelBuilder::endLaunch() {
  b.setInsertionPointAfter(launch);
  launch = nullptr;
}

ProgramScope::ProgramScope(KernelBuilder &kernel, Block *block) : kernel(kernel), outermost(!kernel.programBlock) {
  if (outermost)
    kernel.programBlock = block;
}

ProgramScope::~ProgramScope() {
  if (!outermost)
    return;
  kernel.programBlock = nullptr;
  kernel.lastRange = nullptr;
  kernel.programSlices.clear();
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

Value KernelBuilder::constantIndex(int64_t value) {
  Value &known = constants[value];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  if (lastConstant)
    b.setInsertionPointAfter(lastConstant);
  else
    b.setInsertionPointToStart(&kernel.getBody().front());
  lastConstant = arith::ConstantIndexOp::create(b, b.getUnknownLoc(), value);
  return known = lastConstant->getResult(0);
}

Value KernelBuilder::materializeLeaf(const Leaf &leaf) {
  switch (leaf.kind) {
  case Leaf::Kind::Size: {
    Value dim = constantIndex(leaf.index);
    return memref::DimOp::create(b, loc(), tensorArguments[leaf.name], dim);
  }
  case Leaf::Kind::Stride: {
    auto data = memref::ExtractStridedMetadataOp::create(b, loc(), tensorArguments[leaf.name]);
    return data.getStrides()[leaf.index];
  }
  case Leaf::Kind::Scalar:
    if (isBlock(leaf.name))
      return BlockSizeOp::create(b, loc(), b.getIndexType(), leaf.name);
    return arith::IndexCastOp::create(b, loc(), b.getIndexType(), scalarArguments[leaf.name]);
  case Leaf::Kind::Device:
  case Leaf::Kind::Align:
    return DeviceFactOp::create(b, loc(), b.getIndexType(), leaf.name);
  }
  return {};
}

static Value materializeBinary(OpBuilder &b, Location loc, SizeExpr::Kind kind, Value lhs, Value rhs) {
  switch (kind) {
  case SizeExpr::Kind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Sub:
    return arith::SubIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::CeilDiv:
    return arith::CeilDivSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Mod:
    return arith::RemSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Min:
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Max:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Constant:
  case SizeExpr::Kind::Leaf:
    break;
  }
  return {};
}

Value KernelBuilder::materialize(const SizeExpr &size) {
  SizeExpr expr = canonical(size);
  if (std::optional<int64_t> value = expr.asConstant())
    return constantIndex(*value);
  std::string key = expr.str();
  if (Value known = materialized.lookup(key))
    return known;
  std::string hint = std::exchange(nameHint, sizeNames.lookup(key));
  Value made = onHost([&]() -> Value {
    if (expr.kind() == SizeExpr::Kind::Leaf)
      return materializeLeaf(expr.leaf());
    std::string own = std::exchange(nameHint, "");
    Value lhs = materialize(expr.lhs()), rhs = materialize(expr.rhs());
    nameHint = own;
    return materializeBinary(b, loc(), expr.kind(), lhs, rhs);
  });
  nameHint = hint;
  return materialized[key] = made;
}

SizeExpr KernelBuilder::canonical(const SizeExpr &size) const {
  if (auto whole = representatives.find(size.str()); whole != representatives.end())
    return whole->second;
  return size.substitute([&](const Leaf &leaf) -> std::optional<SizeExpr> {
    auto it = representatives.find(leaf.str());
    return it == representatives.end() ? std::nullopt : std::optional<SizeExpr>(it->second);
  });
}

std::optional<bool> KernelBuilder::decide(const Pred &pred) const {
  if (pred.isOverlap())
    return std::nullopt;
  return Pred::compare(pred.op(), canonical(pred.lhs()), canonical(pred.rhs())).fold();
}

static arith::CmpIPredicate comparePredicate(Pred::Compare op) {
  switch (op) {
  case Pred::Compare::EQ:
    return arith::CmpIPredicate::eq;
  case Pred::Compare::NE:
    return arith::CmpIPredicate::ne;
  case Pred::Compare::LE:
    return arith::CmpIPredicate::sle;
  case Pred::Compare::LT:
    return arith::CmpIPredicate::slt;
  case Pred::Compare::GE:
    return arith::CmpIPredicate::sge;
  case Pred::Compare::GT:
    return arith::CmpIPredicate::sgt;
  }
  return arith::CmpIPredicate::eq;
}

// The same comparison read from the right.
static Pred mirrored(const Pred &pred) {
  using C = Pred::Compare;
  static const std::map<C, C> mirror = {{C::EQ, C::EQ}, {C::NE, C::NE}, {C::LT, C::GT},
                                        {C::GT, C::LT}, {C::LE, C::GE}, {C::GE, C::LE}};
  return Pred::compare(mirror.at(pred.op()), pred.rhs(), pred.lhs());
}

// Who stands for sizes that are equal: a constant, else a size that the source has named, else the first argument's.
unsigned KernelBuilder::representativeRank(const SizeExpr &size) const {
  if (size.asConstant())
    return 0;
  if (sizeNames.contains(size.str()))
    return 1;
  auto argument = size.kind() == SizeExpr::Kind::Leaf ? tensorArguments.find(size.leaf().name) : tensorArguments.end();
  return argument == tensorArguments.end() ? 2 : 2 + llvm::cast<BlockArgument>(argument->second).getArgNumber();
}

/// Whether `leaf`, a size's text, is a part of `size`.
static bool hasLeaf(const SizeExpr &size, StringRef leaf) {
  bool found = false;
  size.walkLeaves([&](const Leaf &each) { found |= each.str() == leaf; });
  return found;
}

void KernelBuilder::assertThat(const Pred &pred) {
  if (decide(pred) == true || !asserted.insert(pred.str()).second)
    return;
  asserted.insert(mirrored(pred).str());
  onHost([&] {
    Value lhs = materialize(pred.lhs()), rhs = materialize(pred.rhs());
    Value holds = arith::CmpIOp::create(b, loc(), comparePredicate(pred.op()), lhs, rhs);
    AssertOp::create(b, loc(), holds, pred.str());
  });
  if (pred.op() != Pred::Compare::EQ)
    return;
  SizeExpr keep = canonical(pred.lhs()), drop = canonical(pred.rhs());
  if (representativeRank(drop) < representativeRank(keep))
    std::swap(keep, drop);
  // A leaf does not stand for what it is a part of: substitution would never come to an end.
  if (hasLeaf(keep, drop.str()))
    std::swap(keep, drop);
  std::string dropped = drop.str();
  for (auto &entry : representatives)
    if (entry.second == drop)
      entry.second = keep;
  representatives[dropped] = keep;
  if (auto name = sizeNames.find(dropped); name != sizeNames.end())
    sizeNames.try_emplace(keep.str(), name->second);
}

LogicalResult KernelBuilder::require(const SizeExpr &lhs, const SizeExpr &rhs) {
  required = Equality{lhs, rhs};
  return failure();
}

void KernelBuilder::nameSize(const SizeExpr &size, llvm::StringRef variable) {
  // Blocks already have a name, and `_` is no name.
  llvm::StringRef name = variable.ltrim('_');
  if (!name.empty() && !isBlock(size.str()))
    sizeNames.try_emplace(canonical(size).str(), name.str());
}

std::string KernelBuilder::sizeName(const SizeExpr &size) const {
  std::string key = size.str();
  if (auto it = sizeNames.find(key); it != sizeNames.end())
    return it->second;
  if (size.kind() == SizeExpr::Kind::Leaf && size.leaf().kind == Leaf::Kind::Size)
    return size.leaf().name + std::to_string(size.leaf().index);
  return size.asConstant() ? "c" + key : "size";
}

//===-- Names, blocks, ranges ------------------------------------------------------------------------------------===//

std::string KernelBuilder::site(llvm::StringRef base) {
  std::string name;
  do
    name = (base + "." + llvm::Twine(siteCounts[base]++)).str();
  while (!sites.insert(name).second);
  return name;
}

std::string KernelBuilder::unique(llvm::StringSet<> &taken, llvm::StringRef name) {
  std::string candidate = name.str();
  for (unsigned i = 1; !taken.insert(candidate).second; ++i)
    candidate = (name + "." + llvm::Twine(i)).str();
  return candidate;
}

std::string KernelBuilder::uniqueTensorName(llvm::StringRef name) {
  std::string candidate = name.str();
  for (unsigned i = 1; !tensorNames.insert(candidate).second; ++i)
    candidate = (name + "_" + llvm::Twine(i)).str();
  return candidate;
}

std::string KernelBuilder::addBlock(llvm::StringRef name, BlockKind kind, Attribute max, int64_t value, int64_t min) {
  std::string block = name.str();
  // Blocks are scalars of size expressions, so they share their names with arguments.
  for (unsigned i = 1; scalarArguments.contains(block) || !blocks.insert(block).second; ++i)
    block = (name + "_" + llvm::Twine(i)).str();
  onHost([&] {
    BlockOp::create(b, loc(), b.getStringAttr(block), BlockKindAttr::get(context(), kind),
                    min > 0 ? b.getI64IntegerAttr(min) : IntegerAttr(), max, IntegerAttr(),
                    value > 0 ? b.getI64IntegerAttr(value) : IntegerAttr());
  });
  return block;
}

bool KernelBuilder::mentionsBlock(const SizeExpr &size) const {
  bool found = false;
  size.walkLeaves([&](const Leaf &leaf) { found |= leaf.kind == Leaf::Kind::Scalar && isBlock(leaf.name); });
  return found;
}

Value KernelBuilder::addRange(int64_t lower, Value upper, DimAttr dim, llvm::StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  if (lastRange)
    b.setInsertionPointAfter(lastRange);
  else
    b.setInsertionPointToStart(programBlock);
  Value begin = constantIndex(lower);
  std::string hint = std::exchange(nameHint, name.str());
  lastRange =
      RangeOp::create(b, loc(), TileType::get(context(), dim), begin, upper, uniqueSite(("slice." + name).str()));
  nameHint = hint;
  return lastRange->getResult(0);
}

Value KernelBuilder::fullSlice(const SizeExpr &size) {
  SizeExpr expr = canonical(size);
  std::string key = expr.str();
  if (Value known = programSlices.lookup(key))
    return known;
  Value upper = materialize(expr);
  std::string name = sizeName(expr);
  DimAttr dim;
  if (std::optional<int64_t> value = expr.asConstant()) {
    dim = DimAttr::get(context(), *value);
  } else {
    std::string &block = sliceBlocks[key];
    if (block.empty())
      block = addBlock("r" + name, BlockKind::Slice);
    std::string range = uniqueRange(name);
    rangeSizes.try_emplace(range, expr);
    dim = DimAttr::get(context(), block, range);
  }
  return programSlices[key] = addRange(0, upper, dim, name);
}

Value KernelBuilder::slice(int64_t lower, int64_t extent) {
  std::string key = std::to_string(lower) + ":" + std::to_string(lower + extent);
  if (lower == 0)
    return fullSlice(SizeExpr::constant(extent));
  if (Value known = programSlices.lookup(key))
    return known;
  Value upper = constantIndex(lower + extent);
  std::string name = "c" + std::to_string(lower) + "_" + std::to_string(lower + extent);
  return programSlices[key] = addRange(lower, upper, DimAttr::get(context(), extent), name);
}

DimAttr KernelBuilder::sliceDim(const SizeExpr &size) {
  SizeExpr expr = canonical(size);
  if (std::optional<int64_t> value = expr.asConstant())
    return DimAttr::get(context(), *value);
  return llvm::cast<TileType>(fullSlice(expr).getType()).getDim();
}

std::optional<SizeExpr> KernelBuilder::sliceSize(DimAttr dim) const {
  if (std::optional<int64_t> value = dim.getConstant())
    return SizeExpr::constant(*value);
  if (!dim.getRange())
    return std::nullopt;
  auto it = rangeSizes.find(dim.getRange().getValue());
  return it == rangeSizes.end() ? std::nullopt : std::optional<SizeExpr>(it->second);
}
