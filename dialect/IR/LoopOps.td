// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles and loops: the tile loop of form K, full-slice ranges, what a tile knows of itself, and the program ids of form S.

#ifndef HELION_LOOP_OPS
#define HELION_LOOP_OPS

include "dialect/IR/KernelOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Helion_TileOp : Helion_Op<"tile", [AttrSizedOperandSegments, RecursiveMemoryEffects,
                                      SingleBlockImplicitTerminator<"YieldOp">,
                                      DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopResults", "getInitsMutable",
                                        "getRegionIterArgs", "getYieldedValuesMutable"]>]> {
  let summary = "loop over the tiles of one or more index spans";
  let description = [{
    Outermost in a launch: the iterations are independent programs. Nested: sequential, with carried values. Dimension `d` runs
    from `lowers[d]` to `uppers[d]` in steps of its tile's extent; each step's tile is clamped to the upper bound. The first dim
    varies slowest.

    The types of carried values mention no range that this loop defines. The optional `combine` region merges the carried values
    of two disjoint sets of iterations (the inits being neutral for it); only loops that have one may be reversed or split.

    ```mlir
    %r = helion.tile (%k: !helion.tile<bk@k>) = (%c0) to (%n) iter_args(%a = %z) -> (!acc) site "loop.k" {
      ...
      helion.yield %d : !acc
    } combine(%p: !acc, %q: !acc) {
      %s = arith.addf %p, %q : !acc
      helion.yield %s : !acc
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$lowers, Variadic<Index>:$uppers, Variadic<AnyType>:$inits, StrAttr:$site);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Creates the body block with its arguments (tiles, then carried values) and, without carried values, its terminator.
    OpBuilder<(ins "::mlir::TypeRange":$tiles, "::mlir::ValueRange":$lowers, "::mlir::ValueRange":$uppers,
                   "::mlir::ValueRange":$inits, "::llvm::StringRef":$site)>
  ];
  let extraClassDeclaration = [{
    unsigned getNumDims() { return getLowers().size(); }
    ::mlir::Block::BlockArgListType getTiles() { return getBody().getArguments().take_front(getNumDims()); }
    ::mlir::Block::BlockArgListType getCarried() { return getBody().getArguments().drop_front(getNumDims()); }
    TileType getTileType(unsigned dim);
    bool hasCombine() { return !getCombine().empty(); }
    /// True when the loop is the outermost in its launch, so that its iterations are programs.
    bool isGrid();
    YieldOp getYield();
  }];
}

def Helion_YieldOp : Helion_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "end a region of a tile loop, launch or combiner with its values";
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Helion_RangeOp : Helion_Op<"range", [Pure]> {
  let summary = "a full slice as one tile that covers [lower, upper)";
  let description = [{`%s = helion.range %c0 to %n site "slice.n" : !helion.tile<rn@n>`. The config binds the block to at least the size, or
    rolls the slice into a loop.}];
  let arguments = (ins Index:$lower, Index:$upper, StrAttr:$site);
  let results = (outs Helion_AnyTile:$tile);
  let assemblyFormat = "$lower `to` $upper `site` $site attr-dict `:` qualified(type($tile))";
}

class Helion_TileQueryOp<string mnemonic, string text> : Helion_Op<mnemonic, [Pure]> {
  let summary = text;
  let arguments = (ins Helion_AnyTile:$tile);
  let results = (outs Index:$result);
  let assemblyFormat = "$tile attr-dict `:` qualified(type($tile))";
}
def Helion_TileBeginOp : Helion_TileQueryOp<"tile_begin", "first index of a tile">;
def Helion_TileEndOp : Helion_TileQueryOp<"tile_end", "index after the last valid one: min(begin + extent, bound)">;
def Helion_TileIdOp : Helion_TileQueryOp<"tile_id", "number of the tile in its loop: (begin - lower) / extent">;
def Helion_TileCountOp : Helion_TileQueryOp<"tile_count", "number of tiles in the loop">;

def Helion_TileShiftOp : Helion_Op<"tile_shift", [Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "the same lanes at addresses moved by an offset";
  let description = [{Valid lanes stay those of the operand: only the address of an access moves, not its bound.}];
  let arguments = (ins Helion_AnyTile:$tile, Index:$offset);
  let results = (outs Helion_AnyTile:$result);
  let assemblyFormat = "$tile `,` $offset attr-dict `:` qualified(type($tile))";
}

def Helion_MakeTileOp : Helion_Op<"make_tile", [Pure]> {
  let summary = "form S: a tile of static extent that begins at an index";
  let description = [{`helion.make_tile %b end %n : !helion.tile<128>`: lanes with begin + lane >= end are invalid. Without `end` all lanes are
    valid, and why is a recorded fact.}];
  let arguments = (ins Index:$begin, Optional<Index>:$end);
  let results = (outs Helion_AnyTile:$tile);
  let assemblyFormat = "$begin (`end` $end^)? attr-dict `:` qualified(type($tile))";
  let hasVerifier = 1;
}

class Helion_ProgramOp<string mnemonic, string text> : Helion_Op<mnemonic, [Pure]> {
  let summary = text;
  let arguments = (ins StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}
def Helion_ProgramIdOp : Helion_ProgramOp<"program_id", "form S: index of this program along an axis (`x`, `y`, `z`) of the grid">;
def Helion_NumProgramsOp : Helion_ProgramOp<"num_programs", "form S: size of the grid along an axis">;

#endif // HELION_LOOP_OPS
