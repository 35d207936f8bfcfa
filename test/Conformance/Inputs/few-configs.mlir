// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of few configs.
module attributes {helion.form = "kernel"} {
  helion.kernel @f(%x: memref<8xf32> {helion.name = "x"}) -> memref<8xf32> attributes {helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %out = helion.empty() {name = "out"} : memref<8xf32>
    helion.block @bi tile
    helion.launch "f" {
      helion.tile (%i: !helion.tile<bi@i>) = (%c0) to (%c8) site "loop.i" {
        %v = helion.load %x[%i] site "x.0" : memref<8xf32>, (!helion.tile<bi@i>) -> tensor<?xf32, #helion.dims<bi@i>>
        helion.store %v, %out[%i] site "out.0" : tensor<?xf32, #helion.dims<bi@i>>, memref<8xf32>, (!helion.tile<bi@i>)
      }
    }
    helion.return %out : memref<8xf32>
  }
}
