// RUN: helion-opt --allow-unregistered-dialect %s | FileCheck %s
// RUN: helion-opt --allow-unregistered-dialect %s | helion-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: #helion.layout<[64, 64], reg = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], repeat = [reg 1 x 3, group 0 x 3]>
// CHECK-DAG: #helion.layout<[8], reg = {{\[\[}}1], [2]], lane = {{\[\[}}4]]>
// CHECK-DAG: #helion.layout<[2, 1, 1], reg = {{\[\[}}1, 0, 0]], repeat = [lane 2 x 3 from 7, reg 1 x 3 step 5, reg 1 x 5 step 1]>

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

// A layout is canonical: repeats of powers of two become part of the atom, however they are written; 24 is 8 times 3.
// CHECK: "test.layout"() {l = #[[L:.*]], same = #[[L]]}
"test.layout"() {l = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [reg 1 x 24, group 0 x 3]>,
                 same = #helion.layout<[64, 8], reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], repeat = [reg 1 x 4, reg 1 x 6, group 0 x 3]>} : () -> ()
// CHECK: "test.replicated"() {l = #[[R:.*]], same = #[[R]]}
// Lanes that make no difference are not mentioned, registers hold nothing twice.
"test.replicated"() {l = #helion.layout<[8], reg = [[1], [0], [2]], lane = [[4], [0], [0]]>,
                     same = #helion.layout<[8], reg = [[1], [2]], lane = [[4]]>} : () -> ()
// CHECK: "test.tensor"() {t = tensor<2x15x3xf32, #[[T:.*]]>}
"test.tensor"() {t = tensor<2x15x3xf32, #helion.layout<[2, 1, 1], reg = [[1, 0, 0]], repeat = [reg 1 x 3 step 5, reg 1 x 5 step 1, lane 2 x 3 from 7]>>} : () -> ()
