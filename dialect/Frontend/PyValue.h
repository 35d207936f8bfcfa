// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Python expression of a kernel can be while it is imported: Python's own values, sizes of the call, host
// tensors, tile values, tiles, functions. The interpreter makes and reads them; none outlives the import.
#pragma once

#include "dialect/Frontend/DataType.h"
#include "dialect/Frontend/PythonAst.h"
#include "dialect/IR/Helion.h"
#include "dialect/IR/SizeExpr.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <map>
#include <memory>
#include <variant>

namespace helion::frontend {

struct PyValue;
struct Scope;
class KernelBuilder;

/// An integer of the host that the call decides: an expression over sizes, strides, integer scalars and block sizes.
/// Constants are plain int64_t.
struct Size {
  SizeExpr expr;
};

/// A conjunction of comparisons of sizes.
struct Condition {
  std::vector<Pred> all;
};

/// One number. On the device an SSA value; a float scalar of the host is made where device code uses it, because a
/// launch plan passes scalars only as they are.
struct Scalar {
  DType dtype;
  mlir::Value value;
  std::function<mlir::Value()> make;
  bool isTensor = false; // the result of a full reduction: promotes as a tensor of rank 0
};

/// A tensor in memory: an argument, an allocation or a view of one.
struct HostTensor {
  mlir::Value memref;
  std::string name;
  DType dtype;
  std::vector<SizeExpr> sizes;
  std::shared_ptr<HostTensor> root; // what a view looks at
  int argument = -1;                // number of the operand, or -1
};
using HostTensorPtr = std::shared_ptr<HostTensor>;

/// A tile value. Dims of extent 1 that were only inserted are kept apart from the SSA value: axes[i] is the dim of
/// `value` that dim i shows, or -1. So `m[:, None]` costs nothing until it meets a wider value.
struct TileValue {
  mlir::Value value;
  DType dtype;
  llvm::SmallVector<int> axes;

  unsigned rank() const { return axes.size(); }
};

/// One tile variable.
struct Tile {
  mlir::Value tile;
  std::optional<SizeExpr> end; // the loop's upper bound where the host knows it
};

/// A block that the source registered.
struct BlockHandle {
  std::string block;
};

/// One dim of a tile value's shape.
struct DimHandle {
  DimAttr dim;
};

struct Sequence {
  std::shared_ptr<std::vector<PyValue>> items;
  bool isList = false;
};

/// A `def` or lambda with the scope it was made in.
struct Callable {
  std::shared_ptr<Function> function;
  std::shared_ptr<Scope> scope;
};

/// A name of a library, by its full path: `torch`, `torch.nn.functional`, `hl.tile`, `math.sqrt`. Where it names an
/// operation of a value, `self` is that value and the path begins with `Tensor.`, `Host.` or `Tile.`.
struct Symbol {
  std::string path;
  std::shared_ptr<PyValue> self;
};

struct SliceValue {
  std::shared_ptr<PyValue> lower, upper; // null where absent
};

/// One step of host tensor arithmetic on the lanes of a launch: a cast, or an operation with a number.
struct HostStep {
  DType dtype; // of what it gives
  bool isCast;
  std::function<mlir::FailureOr<PyValue>(KernelBuilder &, const PyValue &)> apply;
};

/// Host tensor arithmetic after the tile loops: a sum or mean over dims, then steps. Becomes a launch where it is used,
/// or before a tile loop that changes what it reads.
struct HostExpression {
  HostTensorPtr base;
  std::vector<int> dims;       // increasing; none: no reduction
  bool isMean = false;         // the sum is divided by the number of elements
  std::vector<HostStep> steps; // the type of the last is the expression's own
  std::string name;            // the variable it is assigned to
  HostTensorPtr made;          // the launch's result, once there is one
};
using HostExpressionPtr = std::shared_ptr<HostExpression>;

/// A loop that `for` may run: `hl.tile(..)`, `hl.grid(..)`, `range(..)`, `hl.static_range(..)`.
struct LoopDomain {
  enum class Kind { Tile, Grid, Static } kind;
  std::vector<PyValue> lowers, uppers;
  std::vector<std::string> blocks; // per dim; empty: the loop makes its own
  std::vector<int64_t> fixed;      // per dim; > 0: a fixed block size
  int64_t step = 1;
  bool isScalar = true;             // one tile variable, not a tuple of them
  std::optional<TileValue> lengths; // of a jagged tile: where the loop ends in each lane around it
};

/// A name that has no value here, and why.
struct Poison {
  std::string why;
};

/// A parameter that the call did not give.
struct Absent {};
/// A Python value whose content does not matter: a device, a layout, a type.
struct Opaque {};

struct PyValue {
  std::variant<NoneWord, EllipsisWord, bool, int64_t, double, std::string, Size, Condition, Scalar, HostTensorPtr,
               TileValue, Tile, BlockHandle, DimHandle, DType, Sequence, Callable, Symbol, SliceValue,
               HostExpressionPtr, LoopDomain, Poison, Absent, Opaque>
      data;

  PyValue() : data(Absent{}) {}
  template <typename T, typename = std::enable_if_t<!std::is_same_v<std::decay_t<T>, PyValue>>>
  PyValue(T value) : data(std::move(value)) {}

  template <typename T> bool is() const { return std::holds_alternative<T>(data); }
  template <typename T> const T *get() const { return std::get_if<T>(&data); }
  bool isNone() const { return is<NoneWord>(); }
  bool isAbsent() const { return is<Absent>(); }
  /// Given and not None.
  bool isGiven() const { return !isNone() && !isAbsent(); }
  /// "tile value", "host tensor", ..: for messages.
  std::string describe() const;
};

/// Variables of one function; looked up through the functions around it and last in the module.
struct Scope {
  std::map<std::string, PyValue> names;
  std::shared_ptr<Scope> parent;
};

PyValue makeSequence(std::vector<PyValue> items, bool isList = false);
/// `like`, a tile value or number, with another SSA value.
PyValue withValue(const PyValue &like, mlir::Value value);
/// A size as a Python value: an int64_t where it is a constant.
PyValue makeSize(const SizeExpr &expr);

} // namespace helion::frontend
