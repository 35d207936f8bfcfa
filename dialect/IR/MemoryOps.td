// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to host tensors from device code.

#ifndef HELION_MEMORY_OPS
#define HELION_MEMORY_OPS

include "dialect/IR/LoopOps.td"

/// Index rules shared by load, store and atomic: one index per dim of the host tensor. A tile adds its dim to the value, an
/// `index` none; all integer-tensor indices have one type, and its dims stand where the first one stood. A tensor index outside
/// [0, size) in a valid unmasked lane is the caller's error; negative values do not wrap.
class Helion_AccessOp<string mnemonic, list<Trait> traits = []>
    : Helion_Op<mnemonic, !listconcat(traits, [AttrSizedOperandSegments])> {
  let hasVerifier = 1;
}

def Helion_LoadOp : Helion_AccessOp<"load"> {
  let summary = "load a tile value";
  let description = [{
    Lanes outside the tiles' ranges, and lanes where `mask` is false, get `other`, or 0 without it. `access` (form S) is
    `pointer`, `block` or `tensor_desc`; `evict` is `first` or `last`.

    ```mlir
    %v = helion.load %x[%i, %k] mask %p : !m other %z : f32 site "x.0" : !arg, (!helion.tile<bm@i>, !helion.tile<bk@k>) -> !t
    ```
  }];
  let arguments = (ins Arg<Helion_HostTensor, "", [MemRead]>:$source, Variadic<Helion_AccessIndex>:$indices,
                   Optional<AnyType>:$mask, Optional<Helion_ScalarType>:$other, StrAttr:$site,
                   OptionalAttr<StrAttr>:$access, OptionalAttr<StrAttr>:$evict);
  let results = (outs Helion_ScalarOrTileValue:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? `site` $site attr-dict
    `:` type($source) (`,` `(` type($indices)^ `)`)? `->` type($result)
  }];
}

def Helion_StoreOp : Helion_AccessOp<"store"> {
  let summary = "store the valid lanes of a tile value";
  let description = [{Dims of the value are the dims of the indices, ranges included. Two valid lanes that store different values to one address
    are undefined.}];
  let arguments = (ins Helion_ScalarOrTileValue:$value, Arg<Helion_HostTensor, "", [MemWrite]>:$dest,
                   Variadic<Helion_AccessIndex>:$indices, Optional<AnyType>:$mask, StrAttr:$site,
                   OptionalAttr<StrAttr>:$access, OptionalAttr<StrAttr>:$evict);
  let assemblyFormat = [{
    $value `,` $dest `[` $indices `]` (`mask` $mask^ `:` type($mask))? `site` $site attr-dict
    `:` type($value) `,` type($dest) (`,` `(` type($indices)^ `)`)?
  }];
}

def Helion_AtomicOp : Helion_AccessOp<"atomic"> {
  let summary = "combine the valid lanes of a tile value into a host tensor, atomically per element";
  let description = [{The result holds the old values; lanes outside are 0. `kind` is any reduction kind but argmax and argmin.}];
  let arguments = (ins Helion_ReductionKindAttr:$kind, Helion_MemoryOrderAttr:$order, Helion_ScalarOrTileValue:$value,
                   Arg<Helion_HostTensor, "", [MemRead, MemWrite]>:$dest, Variadic<Helion_AccessIndex>:$indices,
                   Optional<AnyType>:$mask, StrAttr:$site, OptionalAttr<StrAttr>:$access);
  let results = (outs Helion_ScalarOrTileValue:$result);
  let assemblyFormat = [{
    `` $kind `` $order $value `,` $dest `[` $indices `]` (`mask` $mask^ `:` type($mask))? `site` $site attr-dict
    `:` type($value) `,` type($dest) (`,` `(` type($indices)^ `)`)? `->` type($result)
  }];
}

#endif // HELION_MEMORY_OPS
