// A tile of 16384 elements.
!v = memref<?x?xf32>
!i = !helion.tile<4>
!j = !helion.tile<4096>
module attributes {helion.form = "scheduled"} {
  helion.kernel @wide(%x: !v {helion.name = "x", helion.writes}) attributes {helion.signature = {x = "f32[2]"}, helion.facts = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    helion.launch "wide" grid(%c1) {
      %i = helion.make_tile %c0 : !i
      %j = helion.make_tile %c0 : !j
      %v = helion.load %x[%i, %j] site "x.0" : !v, (!i, !j) -> tensor<4x4096xf32>
      helion.store %v, %x[%i, %j] site "x.1" : tensor<4x4096xf32>, !v, (!i, !j)
    }
    helion.return
  }
}
