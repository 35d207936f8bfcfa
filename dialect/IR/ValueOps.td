// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on tile values. Elementwise arithmetic is upstream `arith` and `math`, which refuse to mix encodings; here is what they
// do not have: making tiles, moving dims, and combining lanes.

#ifndef HELION_VALUE_OPS
#define HELION_VALUE_OPS

include "dialect/IR/MemoryOps.td"

def Helion_IotaOp : Helion_Op<"iota", [Pure]> {
  let summary = "indices of a tile's lanes, or 0, 1, 2, ... without a tile";
  let description = [{`helion.iota %i : !helion.tile<bi@i> -> tensor<?xindex, #helion.dims<bi@i>>`; lanes outside the range hold begin + lane too.}];
  let arguments = (ins Optional<Helion_AnyTile>:$tile);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "($tile^ `:` qualified(type($tile)))? attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def Helion_SplatOp : Helion_Op<"splat", [Pure]> {
  let summary = "one scalar in every lane";
  let description = [{Never folds to a `dense` constant: a constant of symbolic shape cannot be written down.}];
  let arguments = (ins Helion_ScalarType:$value);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_BroadcastOp : Helion_Op<"broadcast", [Pure]> {
  let summary = "repeat a tile value along new dims, or along dims of extent 1";
  let description = [{`to [..]` gives the result dim of each operand dim, increasing; the dims must be equal, or the operand's is the integer 1.}];
  let arguments = (ins Helion_TileValue:$value, DenseI64ArrayAttr:$dims);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value `to` $dims attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_PermuteOp : Helion_Op<"permute", [Pure]> {
  let summary = "reorder dims: result dim `d` is operand dim `dims[d]`";
  let arguments = (ins Helion_TileValue:$value, DenseI64ArrayAttr:$dims);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value $dims attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_ReshapeOp : Helion_Op<"reshape", [Pure]> {
  let summary = "merge or split dims, row-major";
  let description = [{`groups` lists, for the type of higher rank, the dims that belong to each dim of the other, as in a collapse. A group of one
    passes with its range; dims that are merged or split have none. An empty group stands for an added or dropped 1.}];
  let arguments = (ins Helion_TileValue:$value, TypedArrayAttrBase<DenseI64ArrayAttr, "groups of dims">:$groups);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value $groups attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_LaneOp : Helion_Op<"lane", [Pure]> {
  let summary = "form K: one lane of a dim of constant extent; the dim goes";
  let description = [{
    `helion.lane %v dim 1 at 0 : tensor<?x2xf32, #helion.dims<bi@i, 2>> -> tensor<?xf32, #helion.dims<bi@i>>`. `helion-normalize` makes it
    an access of those lanes alone where the value comes from memory, else a reduction over a dim with one lane left.
  }];
  let arguments = (ins Helion_TileValue:$value, I64Attr:$dim, I64Attr:$index);
  let results = (outs Helion_ScalarOrTileValue:$result);
  let assemblyFormat = "$value `dim` $dim `at` $index attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_StackOp : Helion_Op<"stack", [Pure, SameTypeOperands]> {
  let summary = "form K: values of one type side by side along a new dim";
  let description = [{
    `helion.stack %a, %b dim 1 : (!t, !t) -> tensor<?x2xf32, #helion.dims<bi@i, 2>>`, the inverse of two `helion.lane`. `helion-normalize`
    makes it one store per value where the result is stored, else a selection by lane.
  }];
  let arguments = (ins Variadic<Helion_ScalarOrTileValue>:$values, I64Attr:$dim);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$values `dim` $dim attr-dict `:` `(` type($values) `)` `->` type($result)";
  let hasVerifier = 1;
}

def Helion_ReboundOp : Helion_Op<"rebound", [Pure]> {
  let summary = "change the range parts of a type; lanes keep their values";
  let description = [{The only way that a lane outside a range becomes visible: `bn@n` to `bn`, `bn` to `bn@n`, `bn@a` to `bn@b`.}];
  let arguments = (ins Helion_TileValue:$value);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_MaskOp : Helion_Op<"mask", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "replace the lanes outside tiles by a value";
  let description = [{`helion.mask %v dims [1] by(%s) fill %c : T, (!helion.tile<1024>), f32`: a lane whose index along `dims[k]` lies outside tile `k`'s
    bound gets `fill`. In S every combining op of a bounded dim has one before it; in K only where the source says so.}];
  let arguments = (ins Helion_TileValue:$value, DenseI64ArrayAttr:$dims, Variadic<Helion_AnyTile>:$tiles, Helion_ScalarType:$fill);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$value `dims` $dims `by` `(` $tiles `)` `fill` $fill attr-dict `:` type($value) `,` `(` qualified(type($tiles)) `)` `,` type($fill)";
  let hasVerifier = 1;
}

def Helion_ReduceOp : Helion_Op<"reduce", [Pure]> {
  let summary = "combine the lanes of one dim";
  let description = [{
    On a ranged dim, lanes outside take the identity first; on a plain dim all lanes count. Accumulates in the element type: extend
    first. Max and min propagate NaN. `argmax` and `argmin` give the lowest lane index as `index`. Reducing the only dim gives a scalar.
  }];
  let arguments = (ins Helion_ReductionKindAttr:$kind, Helion_TileValue:$value, I64Attr:$dim, StrAttr:$site);
  let results = (outs Helion_ScalarOrTileValue:$result);
  let assemblyFormat = "`` $kind $value `dim` $dim `site` $site attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_ReduceFnOp : Helion_Op<"reduce_fn", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable, AttrSizedOperandSegments]> {
  let summary = "combine the lanes of one dim of several values with a combiner region";
  let description = [{
    `others` are the identities, one scalar per value. The combiner takes two scalars per value (all left, then all right) and yields
    one per value; it must be associative. Lanes are combined in order.
  }];
  let arguments = (ins Variadic<Helion_TileValue>:$values, Variadic<Helion_ScalarType>:$others, I64Attr:$dim, StrAttr:$site);
  let results = (outs Variadic<Helion_ScalarOrTileValue>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $values `other` $others `dim` $dim `site` $site attr-dict-with-keyword `:` `(` type($values) `)` `,` `(` type($others) `)`
    `->` `(` type($results) `)` $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Helion_ScanOp : Helion_Op<"scan", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "combine each lane of one dim with all lanes before it";
  let description = [{
    Inclusive: lane `i` of the result is lanes 0 to `i` combined; with `reverse` it is the last lane down to `i`, as if the dim were
    turned round before and after. On a ranged dim, lanes outside take the identity first. Combines in the element type: extend first.
    Kinds as `helion.reduce`, without argmax and argmin; max and min propagate NaN.
  }];
  let arguments = (ins Helion_ReductionKindAttr:$kind, Helion_TileValue:$value, I64Attr:$dim, UnitAttr:$reverse, StrAttr:$site);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "`` $kind $value `dim` $dim (`reverse` $reverse^)? `site` $site attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Helion_ScanFnOp : Helion_Op<"scan_fn", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable, AttrSizedOperandSegments,
                                            DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combine each lane of one dim of several values with all lanes before it by a combiner region";
  let description = [{
    As `helion.scan`, with the combiner and the identities `others` of `helion.reduce_fn`. What comes first in the order of the scan, with
    `reverse` the last lane, is the combiner's left side. Without lanes outside the identities are not looked at.
  }];
  let arguments = (ins Variadic<Helion_TileValue>:$values, Variadic<Helion_ScalarType>:$others, I64Attr:$dim, UnitAttr:$reverse,
                   StrAttr:$site);
  let results = (outs Variadic<Helion_TileValue>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $values `other` $others `dim` $dim (`reverse` $reverse^)? `site` $site attr-dict-with-keyword `:` `(` type($values) `)` `,`
    `(` type($others) `)` $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Helion_DotOp : Helion_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of the last two dims, added to an accumulator";
  let description = [{
    `[batch.., m, k] x [batch.., k, n] + [batch.., m, n]`. On a ranged k both operands are 0 outside the range first. Products are
    exact in the accumulator's type; `precision` says how f32 inputs may be rounded.
  }];
  let arguments = (ins Helion_TileValue:$lhs, Helion_TileValue:$rhs, Helion_TileValue:$acc, StrAttr:$site,
                   DefaultValuedAttr<Helion_DotPrecisionAttr, "::helion::DotPrecision::IEEE">:$precision);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `site` $site (`precision` `` $precision^)? attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)
  }];
  let hasVerifier = 1;
}

#endif // HELION_VALUE_OPS
