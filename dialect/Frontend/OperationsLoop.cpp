// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `for` runs over, and what tiles and block sizes are asked. The calls only describe a loop; the statement makes
// it.
#include "dialect/Frontend/Lanes.h"
#include "dialect/Frontend/Operations.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

//===-- Tile and grid --------------------------------------------------------------------------------------------===//

static std::vector<PyValue> perDim(const PyValue &value) {
  return value.is<Sequence>() ? *value.get<Sequence>()->items : std::vector<PyValue>{value};
}

static FailureOr<std::vector<PyValue>> readBounds(Interpreter &in, const PyValue &bounds) {
  std::vector<PyValue> out = perDim(bounds);
  for (PyValue &bound : out) {
    if (bound.is<Tile>())
      return FailureOr<std::vector<PyValue>>(
          in.k.fail("a tile cannot be a bound of a loop; write `hl.tile(tile.begin, tile.end)` for a loop inside it"));
    if (const BlockHandle *block = bound.get<BlockHandle>())
      bound = makeSize(SizeExpr::scalar(block->block));
    const TileValue *tile = bound.get<TileValue>();
    bool isNumber = bound.is<int64_t>() || bound.is<Size>() || bound.is<Scalar>() || (tile && tile->rank() == 0);
    if (!isNumber)
      return FailureOr<std::vector<PyValue>>(in.k.fail(bound.describe() + " cannot be a bound of a loop"));
  }
  return out;
}

static LogicalResult readBlocks(Interpreter &in, const PyValue &blockSize, LoopDomain &domain) {
  if (!blockSize.isGiven())
    return success();
  std::vector<PyValue> blocks = perDim(blockSize);
  if (blocks.size() != domain.uppers.size())
    return in.k.fail("`block_size` has `" + llvm::Twine(blocks.size()) + "` entries for `" +
                     llvm::Twine(domain.uppers.size()) + "` dims");
  for (const PyValue &block : blocks) {
    const BlockHandle *handle = block.get<BlockHandle>();
    const int64_t *fixed = block.get<int64_t>();
    if (!handle && !block.isNone() && (!fixed || *fixed < 1))
      return in.k.fail("`block_size` is a positive integer, a registered block size or None, not " + block.describe());
    domain.blocks.push_back(handle ? handle->block : "");
    domain.fixed.push_back(fixed ? *fixed : 0);
  }
  return success();
}

// (end), (begin, end) or (begin, end, block or step).
static FailureOr<LoopDomain> readDomain(Interpreter &in, LoopDomain::Kind kind, const PyValue &first,
                                        const PyValue &second) {
  LoopDomain domain{kind, {}, {}, {}, {}, 1, true, std::nullopt};
  const PyValue &end = second.isGiven() ? second : first;
  FailureOr<std::vector<PyValue>> uppers = readBounds(in, end);
  if (failed(uppers))
    return failure();
  FailureOr<std::vector<PyValue>> lowers =
      second.isGiven() ? readBounds(in, first) : std::vector<PyValue>(uppers->size(), PyValue(int64_t(0)));
  if (failed(lowers))
    return failure();
  if (lowers->size() != uppers->size())
    return FailureOr<LoopDomain>(in.k.fail("`" + llvm::Twine(lowers->size()) + "` begins and `" +
                                           llvm::Twine(uppers->size()) + "` ends are given"));
  if (uppers->empty())
    return FailureOr<LoopDomain>(in.k.fail("a loop needs at least one dim"));
  domain.lowers = *lowers;
  domain.uppers = *uppers;
  domain.isScalar = !end.is<Sequence>();
  return domain;
}

static Result runTile(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<LoopDomain> domain = readDomain(in, LoopDomain::Kind::Tile, a[0], a[1]);
  if (failed(domain) || failed(readBlocks(in, a[2], *domain)))
    return failure();
  return PyValue(*domain);
}

// A loop to the largest length; what its tiles do not cover is no lane of an access, and neutral where lanes combine.
static Result runJagged(Interpreter &in, ArrayRef<PyValue> a) {
  const TileValue *lengths = a[0].get<TileValue>();
  if (!in.k.onDevice() || !lengths || !lengths->rank() || isFloat(lengths->dtype) || lengths->dtype == DType::Bool)
    return in.k.fail("`hl.jagged_tile` takes the lengths of the rows of a tile loop around it, integers, not " +
                     a[0].describe());
  FailureOr<TileValue> own = withRealDims(in.k, *lengths);
  Result end = failed(own) ? Result(failure()) : in.call(Symbol{"torch.amax", nullptr}, {PyValue(*own)}, {});
  if (failed(end))
    return failure();
  LoopDomain domain{LoopDomain::Kind::Tile, {PyValue(int64_t(0))}, {*end}, {}, {}, 1, true, *own};
  return PyValue(domain);
}

static Result runGrid(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<LoopDomain> domain = readDomain(in, LoopDomain::Kind::Grid, a[0], a[1]);
  if (failed(domain))
    return failure();
  if (a[2].isGiven()) {
    FailureOr<int64_t> step = expectInteger(in, a[2], "step");
    if (failed(step) || *step < 1)
      return failed(step) ? Result(failure()) : Result(in.k.fail("`step` must be positive"));
    domain->step = *step;
  }
  if (!in.k.onDevice()) // an outermost grid is a tile loop over single indices
    domain->fixed.assign(domain->uppers.size(), 1);
  if (!in.k.onDevice())
    domain->blocks.assign(domain->uppers.size(), "");
  return PyValue(*domain);
}

static Result runStaticRange(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<LoopDomain> domain = readDomain(in, LoopDomain::Kind::Static, a[0], a[1]);
  FailureOr<int64_t> step = a[2].isGiven() ? expectInteger(in, a[2], "step") : FailureOr<int64_t>(1);
  if (failed(domain) || failed(step))
    return failure();
  domain->step = *step;
  return PyValue(*domain);
}

// Python's range counts at run time in the tile loops, and unrolls on the host.
static Result runRange(Interpreter &in, ArrayRef<PyValue> a) {
  bool constants = a[0].is<int64_t>() && (!a[1].isGiven() || a[1].is<int64_t>());
  return in.k.onDevice() && !constants ? runGrid(in, a) : runStaticRange(in, a);
}

//===-- Block sizes ----------------------------------------------------------------------------------------------===//

// `block_n`, `block_size_n`, `n_block`: the block of n.
static std::string blockName(llvm::StringRef variable) {
  llvm::StringRef name = variable;
  if (!name.consume_front("block_size_") && !name.consume_front("block_") && !name.consume_back("_block_size"))
    name.consume_back("_block");
  name = name.trim('_');
  return name.empty() ? "block" : "b" + name.str();
}

static Result runRegister(Interpreter &in, ArrayRef<PyValue> a) {
  KernelBuilder &k = in.k;
  if (k.onDevice())
    return k.fail("`hl.register_block_size` stands outside the tile loops");
  bool both = a[1].isGiven();
  const int64_t *low = both ? a[0].get<int64_t>() : nullptr, *high = (both ? a[1] : a[0]).get<int64_t>();
  if ((both && !low) || (!(both ? a[1] : a[0]).is<Size>() && !high))
    return k.fail("`hl.register_block_size` takes the largest size, or constants for the smallest and the largest");
  std::string name = std::exchange(k.nameHint, "");
  Attribute max = high && *high > 0 ? k.b.getI64IntegerAttr(*high) : IntegerAttr();
  return PyValue(BlockHandle{k.addBlock(blockName(name), BlockKind::Registered, max, 0, low ? *low : 0)});
}

// Sizes that the source wants constant: the signature must give them.
static Result runSpecialize(Interpreter &in, ArrayRef<PyValue> a) {
  if (const Sequence *sequence = a[0].get<Sequence>()) {
    std::vector<PyValue> items;
    for (const PyValue &item : *sequence->items) {
      Result value = runSpecialize(in, item);
      if (failed(value))
        return failure();
      items.push_back(*value);
    }
    return makeSequence(std::move(items), sequence->isList);
  }
  const Size *size = a[0].get<Size>();
  if (!size)
    return a[0].is<int64_t>() ? Result(a[0]) : Result(in.k.fail(a[0].describe() + " cannot be specialised"));
  if (std::optional<int64_t> value = in.k.canonical(size->expr).asConstant())
    return PyValue(*value);
  in.k.missingSize = size->expr.str();
  return in.k.fail("`hl.specialize` needs the value of `" + size->expr.str() +
                   "`; give it in --args, as in `x=bf16[?,128]` or `n=64`");
}

static OperationRow tileRow(const char *name, const char *property) {
  return {name, "tile", [property](Interpreter &in, ArrayRef<PyValue> a) -> Result {
            return a[0].is<Tile>() ? in.attribute(a[0], property)
                                   : Result(in.k.fail("a tile is needed, not " + a[0].describe()));
          }};
}

std::vector<OperationRow> helion::frontend::loopOperations() {
  return {{"hl.tile", "begin_or_end end=None block_size=None", runTile},
          {"hl.jagged_tile", "parent", runJagged},
          {"hl.grid", "begin_or_end end=None step=None", runGrid},
          {"hl.static_range", "begin_or_end end=None step=None", runStaticRange},
          {"builtins.range", "start stop=None step=None", runRange},
          {"hl.register_block_size", "min_or_max max=None", runRegister},
          {"hl.specialize", "value", runSpecialize},
          tileRow("hl.tile_index", "index"),
          tileRow("hl.tile_begin", "begin"),
          tileRow("hl.tile_end", "end"),
          tileRow("hl.tile_id", "id"),
          tileRow("hl.tile_block_size", "block_size")};
}
