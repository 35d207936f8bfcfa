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

def Helion_AnyTile : Type<CPred<"::llvm::isa<::helion::TileType>($_self)">, "tile span", "::helion::TileType">;
def Helion_TileValue : Type<CPred<"::helion::isTileValue($_self)">, "ranked tile value of rank >= 1">;
def Helion_HostTensor : Type<CPred<"::llvm::isa<::mlir::MemRefType>($_self)">, "host tensor (ranked memref)">;
def Helion_ScalarType : AnyTypeOf<[AnyInteger, AnyFloat, Index]>;
def Helion_ScalarOrTileValue : AnyTypeOf<[Helion_TileValue, Helion_ScalarType]>;
/// What may stand between the brackets of a load or store: a tile adds its dim, an index adds none, an integer tile value
/// adds its own dims where the first of them stands.
def Helion_AccessIndex : AnyTypeOf<[Helion_AnyTile, Index, Helion_TileValue]>;

#endif // HELION_TYPES
