// RUN: not helion-opt --helion-choose-access=indexing=x.0=wide %s 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not helion-opt --helion-choose-access=indexing=y.0=any %s 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-choose-access=load_eviction_policies=out.0=first %s 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not helion-opt --helion-choose-access=store_cache_modifiers=out.0=cg %s 2>&1 | FileCheck %s --check-prefix=STORE

// WORD: error: indexing: `x.0` cannot be `wide`; it takes one of `any`, `contiguous`, `vector`
// SITE: error: indexing: no site `y.0`; there are `x.0`, `out.0`
// LOAD: error: load_eviction_policies: no site `out.0`; there are `x.0`
// STORE: error: store_cache_modifiers: `out.0` cannot be `cg`; it takes one of `none`, `cs`, `wt`
!v = memref<?xf32>
!t = !helion.tile<64>
module attributes {helion.form = "scheduled"} {
  helion.kernel @copy(%x: !v {helion.name = "x"}, %out: !v {helion.name = "out", helion.writes}) attributes {helion.signature = {x = "f32[1]", out = "f32[1]"}, helion.facts = []} {
    %c1 = arith.constant 1 : index
    helion.launch "copy" grid(%c1) {
      %p = helion.program_id "x"
      %i = helion.make_tile %p : !t
      %v = helion.load %x[%i] site "x.0" : !v, (!t) -> tensor<64xf32>
      helion.store %v, %out[%i] site "out.0" : tensor<64xf32>, !v, (!t)
    }
    helion.return
  }
}
