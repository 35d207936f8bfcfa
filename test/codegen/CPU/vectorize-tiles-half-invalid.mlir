// RUN: helion-opt --helion-vectorize-tiles=vector-bits=128 --verify-diagnostics %s

func.func @half(%v: f16) {
  // expected-error@+1 {{has elements of type 'f16', which vectors of `128` bits cannot convert; take a target from `x86-64-v3` on, or bf16}}
  %t = helion.splat %v : f16 -> tensor<16xf16>
  return
}
