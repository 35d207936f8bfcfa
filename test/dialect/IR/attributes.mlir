// RUN: helion-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: helion-opt --allow-unregistered-dialect %s | helion-opt --allow-unregistered-dialect | FileCheck %s

// Names of an affine dim are sorted and folded, so two spellings are one attribute.
// CHECK: #helion.dim<128>
"test.op"() {d = #helion.dim<128>} : () -> ()
// CHECK: #helion.dim<bm@i>
"test.op"() {d = #helion.dim<bm@i>} : () -> ()
// CHECK: #helion.dim<bk@k.1>
"test.op"() {d = #helion.dim<bk@k.1>} : () -> ()
// CHECK: a = #helion.dim<bm*bn>, b = #helion.dim<bm*bn>
"test.op"() {a = #helion.dim<bm * bn>, b = #helion.dim<bn * bm>} : () -> ()
// CHECK: a = #helion.dim<bm>, b = #helion.dim<bm floordiv 2>, c = #helion.dim<bm ceildiv 2>
"test.op"() {a = #helion.dim<(2 * bm) floordiv 2>, b = #helion.dim<bm floordiv 2>, c = #helion.dim<bm ceildiv 2>} : () -> ()
// CHECK: a = #helion.dim<6>, b = #helion.dim<bm + 2>
"test.op"() {a = #helion.dim<2 * 3>, b = #helion.dim<2 + bm>} : () -> ()
// CHECK: #helion.dims<bm@i, 64, bm*bn>
"test.op"() {d = #helion.dims<bm@i, 64, bn * bm>} : () -> ()
// CHECK: a = !helion.tile<bm@i>, b = !helion.tile<128>
"test.op"() {a = !helion.tile<bm@i>, b = !helion.tile<128>} : () -> ()
// CHECK: #helion.pred<"x.stride(0) * 2 % 16 == 0">
"test.op"() {p = #helion.pred<"x.stride(0) * 2 % 16 == 0">} : () -> ()
