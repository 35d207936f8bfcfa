// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the dialect. Tile values are builtin tensors; only the index span of a tile needs a type of its own.

#ifndef HELION_TYPES
#define HELION_TYPES

include "dialect/IR/Attributes.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Helion_Type<string name, string typeMnemonic> : TypeDef<Helion_Dialect, name> { let mnemonic = typeMnemonic; }

def Helion_TileType : Helion_Type<"Tile", "tile"> {
  let summary = "index span of one tile: begin, end (bound of the valid lanes), extent";
  let description = [{
    K: `!helion.tile<bm@i>`, the extent is a block and the lanes are bounded by range `i`. S and L: `!helion.tile<128>`; the bound is
    an operand of `helion.make_tile`, and without one all lanes are valid.
  }];
  let parameters = (ins "::helion::DimAttr":$dim);
  let hasCustomAssemblyFormat = 1;
}

//===-- Form L: staged memory and values in flight ---------------------------------------------------------------===//

def Helion_SlotType : Helion_Type<"Slot", "slot"> {
  let summary = "form L: one slot of a ring in hand, to be filled or emptied";
  let description = [{
    `!helion.slot<write>` comes from `helion.acquire` and ends in `helion.commit` or `helion.store_async`; `!helion.slot<read>` comes from
    `helion.take` and ends in `helion.release`. Linear: every path ends a slot or hands it on exactly once; both branches
    of an `scf.if` may, a loop has to carry what it ends.
  }];
  let parameters = (ins "bool":$write);
  let hasCustomAssemblyFormat = 1;
}

/// Types whose parameter is a tile value with a layout.
class Helion_TileHolder<string name, string typeMnemonic> : Helion_Type<name, typeMnemonic> {
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}

def Helion_BufType : Helion_TileHolder<"Buf", "buf"> {
  let summary = "form L: one buffer of a slot in staged memory";
  let description = [{
    `!helion.buf<tensor<128x64xbf16, #sA>>`. C1: the layout has `offset` and no `reg`, `lane`, `warp` or `mem`. With `group` in it each
    instance of a group owns its part, and `offset` counts within the part.
  }];
}

def Helion_TokenType : Helion_TileHolder<"Token", "token"> {
  let summary = "form L: a tile value that is still being computed";
  let description = [{
    Made by `helion.dot_async`. The value may be touched only through `helion.wait`, or as the accumulator of the next dot. C1: the
    layout has no `offset`.
  }];
}

def Helion_RingType : Helion_Type<"Ring", "ring"> {
  let summary = "form L: a first-in first-out queue of slots in staged memory";
  let description = [{
    `!helion.ring<4 x (tensor<128x64xbf16, #sA>, tensor<64x256xbf16, #sB>)>`: four slots, each with one buffer per tensor. C1: depth at
    least 1. C2: at least one buffer, each as `!helion.buf` needs it.
  }];
  let parameters = (ins "int64_t":$depth, ArrayRefParameter<"::mlir::RankedTensorType">:$buffers);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one slot for one instance, without alignment.
    int64_t getSlotBytes() const;
  }];
}

def Helion_TurnType : Helion_Type<"Turn", "turn"> {
  let summary = "form L: round-robin order among the instances of the groups that enter its regions";
}

def Helion_TensorMapType : Helion_Type<"TensorMap", "tensor_map"> {
  let summary = "form L: descriptor of a host tensor for copies of one box";
  let description = [{
    `!helion.tensor_map<[1, 64, 64], tensor<64x64xbf16, #s>>`: the box has one extent per dim of the host tensor; the tensor is the box in
    staged memory, without the dims that an access indexes by a number. C1: the tensor's shape is the box's without some of its
    extents of 1. C2: the layout is one of `offset` alone.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` `[` $box `]` `,` $tile `>`";
  let genVerifyDecl = 1;
}

def Helion_AnyTile : Type<CPred<"::llvm::isa<::helion::TileType>($_self)">, "tile span", "::helion::TileType">;
def Helion_TileValue : Type<CPred<"::helion::isTileValue($_self)">, "ranked tile value of rank >= 1">;
def Helion_HostTensor : Type<CPred<"::llvm::isa<::mlir::MemRefType>($_self)">, "host tensor (ranked memref)">;
def Helion_ScalarType : AnyTypeOf<[AnyInteger, AnyFloat, Index]>;
def Helion_ScalarOrTileValue : AnyTypeOf<[Helion_TileValue, Helion_ScalarType]>;
/// What may stand between the brackets of a load or store: a tile adds its dim, an index adds none, an integer tile value
/// adds its own dims where the first of them stands.
def Helion_AccessIndex : AnyTypeOf<[Helion_AnyTile, Index, Helion_TileValue]>;

#endif // HELION_TYPES
