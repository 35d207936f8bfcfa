// RUN: helion-opt --helion-set-warps %s | FileCheck %s --check-prefix=DEFAULT
// RUN: helion-opt --helion-set-warps=num_warps=b=8 %s | FileCheck %s --check-prefix=CHOSEN
// RUN: helion-opt --helion-set-warps=num_warps=a=32,b=1 %s | FileCheck %s --check-prefix=BOTH

// DEFAULT: helion.launch "a" grid(%{{.*}}) attributes {warps = 4 : i64}
// DEFAULT: helion.launch "b" grid(%{{.*}}) attributes {warps = 4 : i64}
// CHOSEN: helion.launch "a" grid(%{{.*}}) attributes {warps = 4 : i64}
// CHOSEN: helion.launch "b" grid(%{{.*}}) attributes {warps = 8 : i64}
// BOTH: helion.launch "a" grid(%{{.*}}) attributes {warps = 32 : i64}
// BOTH: helion.launch "b" grid(%{{.*}}) attributes {warps = 1 : i64}
helion.kernel @two(%n: i64 {helion.name = "n"}) {
  %g = arith.index_cast %n : i64 to index
  helion.launch "a" grid(%g) {
  }
  helion.launch "b" grid(%g) {
  }
  helion.return
}
