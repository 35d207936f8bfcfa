// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion-launch-copies: copies of the host part become launches, so that a copy is tiled, tuned and run like any other
// step, whatever its strides.

#include "dialect/IR/Dims.h"
#include "mlir/IR/Builders.h"
#include "passes/Normalize/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace helion;

namespace helion {
#define GEN_PASS_DEF_LAUNCHCOPIESPASS
#include "passes/Normalize/Passes.h.inc"
} // namespace helion

namespace {
/// Names of one kernel: blocks, ranges and sites share the set, which only makes them differ more.
class Names {
public:
  explicit Names(KernelOp kernel) {
    for (unsigned i = 0; i != kernel.getArgumentTypes().size(); ++i)
      taken.insert(kernel.getArgumentName(i));
    kernel.walk([&](Operation *op) {
      if (auto block = dyn_cast<BlockOp>(op))
        taken.insert(block.getSymName());
      if (auto launch = dyn_cast<LaunchOp>(op))
        taken.insert(launch.getName());
      if (auto site = op->getAttrOfType<StringAttr>("site"))
        taken.insert(site.getValue());
      if (auto loop = dyn_cast<TileOp>(op))
        for (Value tile : loop.getTiles())
          if (StringAttr range = cast<TileType>(tile.getType()).getDim().getRange())
            taken.insert(range.getValue());
    });
  }
  std::string fresh(const Twine &base) {
    std::string name = base.str();
    for (unsigned i = 1; !taken.insert(name).second; ++i)
      name = (base + "_" + Twine(i)).str();
    return name;
  }

private:
  llvm::StringSet<> taken;
};

struct LaunchCopies : public helion::impl::LaunchCopiesPassBase<LaunchCopies> {
  using LaunchCopiesPassBase::LaunchCopiesPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      auto copies = llvm::to_vector(kernel.getOps<memref::CopyOp>());
      if (copies.empty())
        continue;
      Names names(kernel);
      for (memref::CopyOp copy : copies)
        if (failed(launch(kernel, copy, names)))
          return signalPassFailure();
    }
  }

  LogicalResult launch(KernelOp kernel, memref::CopyOp copy, Names &names) {
    auto type = cast<MemRefType>(copy.getSource().getType());
    if (type.getRank() == 0)
      return copy.emitError("copies a tensor of rank 0; a launch needs a dim to tile");
    OpBuilder b(copy);
    Location loc = copy.getLoc();
    SmallVector<Value> lowers, uppers;
    SmallVector<Type> tiles;
    SmallVector<DimAttr> dims;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (int64_t dim = 0; dim != type.getRank(); ++dim) {
      std::string block = names.fresh("bc" + Twine(dim)), range = names.fresh("c" + Twine(dim));
      BlockOp::create(b, loc, b.getStringAttr(block), BlockKindAttr::get(&getContext(), BlockKind::Tile), IntegerAttr(),
                      Attribute(), IntegerAttr(), IntegerAttr());
      dims.push_back(DimAttr::get(&getContext(), block, range));
      tiles.push_back(TileType::get(&getContext(), dims.back()));
      lowers.push_back(zero);
      Value index = arith::ConstantIndexOp::create(b, loc, dim);
      uppers.push_back(memref::DimOp::create(b, loc, copy.getSource(), index));
    }
    auto launch = LaunchOp::create(b, loc, ValueRange(), b.getStringAttr(names.fresh(kernel.getName() + ".copy")));
    Block &body = launch.getBody().emplaceBlock();
    b.setInsertionPointToStart(&body);
    auto loop = TileOp::create(b, loc, tiles, lowers, uppers, ValueRange(), names.fresh("loop.copy"));
    YieldOp::create(b, loc, ValueRange());
    b.setInsertionPointToStart(&loop.getBody().front());
    // Sites get their names from the tensors when all sites are named.
    Value value = LoadOp::create(b, loc, tileValueType(dims, type.getElementType()), copy.getSource(), loop.getTiles(),
                                 Value(), Value(), b.getStringAttr(""), StringAttr(), StringAttr());
    StoreOp::create(b, loc, value, copy.getTarget(), loop.getTiles(), Value(), b.getStringAttr(""), StringAttr(),
                    StringAttr());
    copy.erase();
    ++launched;
    return success();
  }
};
} // namespace
