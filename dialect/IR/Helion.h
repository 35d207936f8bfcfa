// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's C++ classes: what every room that reads or writes kernels includes. Ops are declared in the .td files
// beside this header; questions about dims of tile values are in Dims.h.

#ifndef HELION_DIALECT_IR_HELION_H
#define HELION_DIALECT_IR_HELION_H

#include "dialect/IR/Layout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

namespace helion {
class LayoutAttr;

/// True for a ranked tensor of rank >= 1: the type of every tile value.
bool isTileValue(mlir::Type type);

/// The layout of a tile value, a buffer, a token or a map's box; null without one.
LayoutAttr layoutOf(mlir::Type type);

/// Names of module, kernel and argument attributes.
constexpr llvm::StringLiteral kFormAttr = "helion.form";
constexpr llvm::StringLiteral kFactsAttr = "helion.facts";
/// On a loop (i64): slots of the ring that its loads for dots are to come through, or, of a loop over a program's
/// tiles, those that are `staged`.
constexpr llvm::StringLiteral kStagesAttr = "stages";
/// On a load of a loop over a program's tiles, which has stages: it is to come through the ring.
constexpr llvm::StringLiteral kStagedAttr = "staged";
/// On a loop with stages: the device copies its loads box by box, through tensor maps.
constexpr llvm::StringLiteral kBoxesAttr = "boxes";
/// On such a loop: its dots are to run on matrix instructions of four warps, which read the slots themselves.
constexpr llvm::StringLiteral kGroupDotsAttr = "group_dots";
constexpr llvm::StringLiteral kSignatureAttr = "helion.signature";
constexpr llvm::StringLiteral kBlocksAttr = "helion.blocks";
constexpr llvm::StringLiteral kNameAttr = "helion.name";
/// On a kernel: the names of all parameters in call order, those without an operand too.
constexpr llvm::StringLiteral kParametersAttr = "helion.parameters";
constexpr llvm::StringLiteral kWritesAttr = "helion.writes";
} // namespace helion

#include "dialect/IR/HelionDialect.h.inc"
#include "dialect/IR/HelionEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/IR/HelionAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/IR/HelionTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/IR/HelionOps.h.inc"

#endif // HELION_DIALECT_IR_HELION_H
