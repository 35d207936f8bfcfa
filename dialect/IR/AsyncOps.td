// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form L: copies between host tensors and staged memory, moves between staged memory and registers, and dots in flight.

#ifndef HELION_ASYNC_OPS
#define HELION_ASYNC_OPS

include "dialect/IR/RingOps.td"

def Helion_TensorMapOp : Helion_Op<"tensor_map", [Pure, HasParent<"KernelOp">]> {
  let summary = "form L, host part: describe a host tensor for copies of boxes";
  let description = [{
    `%m = helion.tensor_map %x site "x.0" fill 0.0 : memref<..> -> !helion.tensor_map<[128, 64], !A>`. Sizes and strides are the memref's at
    the call; lanes outside its bounds read as `fill`, 0 without it. The pass that makes it records what it relies on: a unit stride, the other
    strides and the address in multiples of 16 bytes. C1: one box extent per dim. C2: element types agree. C3: `fill` is 0 or NaN.
  }];
  let arguments = (ins Helion_HostTensor:$source, StrAttr:$site, OptionalAttr<F64Attr>:$fill);
  let results = (outs Helion_TensorMapType:$map);
  let assemblyFormat = "$source `site` $site (`fill` $fill^)? attr-dict `:` qualified(type($source)) `->` qualified(type($map))";
  let hasVerifier = 1;
}

def Helion_LoadAsyncOp : Helion_Op<"load_async"> {
  let summary = "form L: start a copy from a host tensor into a buffer";
  let description = [{
    `helion.load_async %m[%b, %i, %k] into %buf site "x.0" : !map, (index, !helion.tile<128>, !helion.tile<64>), !helion.buf<!A>`. Indices as for
    `helion.load`. It is part of the commit of the buffer's slot. Through a tensor map it is one copy per box, issued by one lane; from a
    memref the threads of the group copy their elements. Lanes outside get 0, or the map's fill.

    `multicast`: the CTAs of the cluster ask for the same tile; each copies its share to all of them. The ring is a `cluster` one.

    C1: one index per dim of the source. C2: dims of the tiles are the buffer's shape. C3: element types agree. C4: the buffer is whole
    boxes of the map, one after the other. C5: multicast goes through a tensor map.
  }];
  let arguments = (ins AnyTypeOf<[Helion_TensorMapType, Helion_HostTensor]>:$source, Variadic<Helion_AccessIndex>:$indices,
                   Helion_BufType:$dest, StrAttr:$site, UnitAttr:$multicast, OptionalAttr<StrAttr>:$evict);
  let assemblyFormat = [{
    $source `[` $indices `]` `into` $dest (`multicast` $multicast^)? `site` $site attr-dict
    `:` qualified(type($source)) `,` `(` type($indices) `)` `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def Helion_StoreAsyncOp : Helion_Op<"store_async"> {
  let summary = "form L: start a copy of a slot to a host tensor; the copy empties the slot";
  let description = [{
    `helion.store_async %buf of %s, %m[%i, %j] site "out.0" : !helion.buf<!C>, !helion.slot<write>, !map, (!t, !t)`. Writes to the buffer are
    ordered before the copy. It ends the slot: the next acquire of it waits until memory has been read, the end of the kernel until it
    has been written. Lanes outside are dropped. A buffer with parts: each instance stores its own. C1 to C4 as `helion.load_async`.
  }];
  let arguments = (ins Helion_BufType:$source, Helion_SlotType:$slot, Helion_TensorMapType:$dest,
                   Variadic<AnyTypeOf<[Helion_AnyTile, Index]>>:$indices, StrAttr:$site);
  let assemblyFormat = [{
    $source `of` $slot `,` $dest `[` $indices `]` `site` $site attr-dict
    `:` qualified(type($source)) `,` qualified(type($slot)) `,` qualified(type($dest)) `,` `(` type($indices) `)`
  }];
  let hasVerifier = 1;
}

def Helion_ReadOp : Helion_Op<"read"> {
  let summary = "form L: read a buffer into registers";
  let description = [{How (vectors, transposing moves) follows from the two layouts. C1: shape and element type agree. C2: where the buffer has parts, the
    value is spread over the instances alike.}];
  let arguments = (ins Helion_BufType:$source);
  let results = (outs Helion_TileValue:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `->` type($result)";
  let hasVerifier = 1;
}

def Helion_WriteOp : Helion_Op<"write"> {
  let summary = "form L: write registers into a buffer";
  let description = [{How (vectors, transposing moves) follows from the two layouts. C1 and C2 as `helion.read`.}];
  let arguments = (ins Helion_TileValue:$value, Helion_BufType:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `,` qualified(type($dest))";
  let hasVerifier = 1;
}

def Helion_DotAsyncOp : Helion_Op<"dot_async"> {
  let summary = "form L: start a matrix product";
  let description = [{
    `%t = helion.dot_async %a, %b acc %c : !acc site "dot.0" : !helion.buf<!A>, !helion.buf<!B> -> !helion.token<!acc>`. The left operand is a buffer, or
    registers that stay live until the token is waited for. The accumulator is a value, the token of a dot that is still in flight
    (chained on the device, in order), or absent (zero). Products are exact in the accumulator's type; `precision` as in `helion.dot`.

    C1: `[m, k] x [k, n]` gives `[m, n]`. C2: the accumulator has the token's payload type. C3: a left operand in registers is spread over
    the instances of the group as the result is.
  }];
  let arguments = (ins AnyTypeOf<[Helion_BufType, Helion_TileValue]>:$lhs, Helion_BufType:$rhs,
                   Optional<AnyTypeOf<[Helion_TokenType, Helion_TileValue]>>:$acc, StrAttr:$site,
                   DefaultValuedAttr<Helion_DotPrecisionAttr, "::helion::DotPrecision::IEEE">:$precision);
  let results = (outs Helion_TokenType:$token);
  let assemblyFormat = [{
    $lhs `,` $rhs (`acc` $acc^ `:` type($acc))? `site` $site (`precision` `` $precision^)? attr-dict
    `:` type($lhs) `,` qualified(type($rhs)) `->` qualified(type($token))
  }];
  let hasVerifier = 1;
}

def Helion_ReadyOp : Helion_Op<"ready", [Pure]> {
  let summary = "form L: a value as the token of a dot that is over";
  let description = [{
    `%t = helion.ready %zero : !acc -> !helion.token<!acc>`. What a loop carries into its first iteration where later ones carry the
    token of a dot in flight. C1: the value has the token's payload type.
  }];
  let arguments = (ins Helion_TileValue:$value);
  let results = (outs Helion_TokenType:$token);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` qualified(type($token))";
  let hasVerifier = 1;
}

def Helion_WaitOp : Helion_Op<"wait", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "form L: wait for a dot and take its value";
  let description = [{
    `%v = helion.wait %t : !helion.token<!acc>`. Dots that were issued after it, on every path, may still fly: their number is the N of
    `wait_group N`; where paths differ it is the smallest. It is derived, never written.
  }];
  let arguments = (ins Helion_TokenType:$token);
  let results = (outs Helion_TileValue:$value);
  let assemblyFormat = "$token attr-dict `:` qualified(type($token))";
}

#endif // HELION_ASYNC_OPS
