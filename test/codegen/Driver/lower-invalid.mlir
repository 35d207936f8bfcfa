// RUN: helion-opt --helion-lower=target=cpu:pdp11 --verify-diagnostics %s
// RUN: not helion-opt --helion-lower=target=amd:gfx942 %s 2>&1 | FileCheck %s

// expected-error@+1 {{`cpu:pdp11`}}
module {
  helion.kernel @k() {
    helion.return
  }
}
// CHECK: error: {{.*}}`amd:gfx942`
