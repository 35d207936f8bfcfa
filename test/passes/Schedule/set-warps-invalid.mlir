// RUN: not helion-opt --helion-set-warps=num_warps=a=3 %s 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not helion-opt --helion-set-warps=num_warps=a=64 %s 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not helion-opt --helion-set-warps=num_warps=c=4 %s 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not helion-opt --helion-set-warps=num_warps=a=x %s 2>&1 | FileCheck %s --check-prefix=KIND

// POWER: num_warps of `a` is `3`; it is a power of two from 1 to 32
// MANY: num_warps of `a` is `64`; it is a power of two from 1 to 32
// SITE: num_warps: {{.*}}`c`
// KIND: num_warps: entry `a=x` is not of the form `site=integer`
helion.kernel @one(%n: i64 {helion.name = "n"}) {
  %g = arith.index_cast %n : i64 to index
  helion.launch "a" grid(%g) {
  }
  helion.return
}
