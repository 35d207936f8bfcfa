// RUN: helion-opt --helion-widen-pairs %s | FileCheck %s
// RUN: helion-opt --helion-lower-nvidia %s | mlir-translate --mlir-to-llvmir | llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 | FileCheck %s --check-prefix=PTX

// One operation for each number, on the words that a load gives.
// CHECK-LABEL: func.func @pairs
// CHECK: [[WORD:%.+]] = vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
// CHECK: [[ONE:%.+]] = vector.to_elements [[WORD]]
// CHECK-DAG: arith.shli [[ONE]], %c16
// CHECK-DAG: arith.andi [[ONE]], %c-65536
// CHECK-COUNT-4: arith.bitcast %{{.*}} : i32 to f32
// CHECK-NOT: arith.extf
// PTX-LABEL: pairs(
// PTX: ld.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]],
// PTX-NOT: {{prmt|cvt|mov.b32.*{}}
// PTX-DAG: shl.b32 %r{{[0-9]+}}, [[A]], 16;
// PTX-DAG: and.b32 %r{{[0-9]+}}, [[A]], -65536;
// PTX-DAG: shl.b32 %r{{[0-9]+}}, [[B]], 16;
// PTX-DAG: and.b32 %r{{[0-9]+}}, [[B]], -65536;
// PTX-NOT: {{prmt|cvt|mov.b32.*{}}
// PTX: ret
func.func @pairs(%p: !llvm.ptr) {
  %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
  llvm.store %w, %p {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr
  return
}

// An odd number of them, others' types, single numbers and f64 stay.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: arith.extf
// CHECK-NOT: arith.bitcast
// CHECK: return
func.func @others(%a: vector<3xbf16>, %b: vector<2xf16>, %c: bf16, %d: vector<2xbf16>)
    -> (vector<3xf32>, vector<2xf32>, f32, vector<2xf64>) {
  %w = arith.extf %a : vector<3xbf16> to vector<3xf32>
  %x = arith.extf %b : vector<2xf16> to vector<2xf32>
  %y = arith.extf %c : bf16 to f32
  %z = arith.extf %d : vector<2xbf16> to vector<2xf64>
  return %w, %x, %y, %z : vector<3xf32>, vector<2xf32>, f32, vector<2xf64>
}
