// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helion.language's explicit loads, stores and atomics. Subscripts do the same without a mask.
#include "dialect/Frontend/Operations.h"

using namespace mlir;
using namespace helion;
using namespace helion::frontend;

static Result runLoad(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<HostTensorPtr> tensor = expectHost(in, a[0], "tensor");
  return failed(tensor) ? Result(failure()) : in.load(*tensor, a[1], a[2]);
}

static Result runStore(Interpreter &in, ArrayRef<PyValue> a) {
  FailureOr<HostTensorPtr> tensor = expectHost(in, a[0], "tensor");
  if (failed(tensor) || failed(in.store(*tensor, a[1], a[2], a[3])))
    return failure();
  return PyValue(NoneWord{});
}

namespace {
struct AtomicRow {
  const char *name;
  ReductionKind floats, integers;
};
} // namespace

static const AtomicRow atomicRows[] = {{"hl.atomic_add", ReductionKind::AddF, ReductionKind::AddI},
                                       {"hl.atomic_max", ReductionKind::MaximumF, ReductionKind::MaxSI},
                                       {"hl.atomic_min", ReductionKind::MinimumF, ReductionKind::MinSI},
                                       {"hl.atomic_and", ReductionKind::AndI, ReductionKind::AndI},
                                       {"hl.atomic_or", ReductionKind::OrI, ReductionKind::OrI},
                                       {"hl.atomic_xor", ReductionKind::XorI, ReductionKind::XorI}};

static Result runAtomic(Interpreter &in, const AtomicRow &row, ArrayRef<PyValue> a) {
  FailureOr<HostTensorPtr> tensor = expectHost(in, a[0], "target");
  if (failed(tensor))
    return failure();
  const std::string *name = a[3].get<std::string>();
  std::optional<MemoryOrder> order = name ? symbolizeMemoryOrder(*name) : std::nullopt;
  if (!order)
    return in.k.fail("`sem` is one of `relaxed`, `acquire`, `release`, `acq_rel`");
  bool floats = isFloat((*tensor)->dtype);
  if (floats && row.floats == row.integers)
    return in.k.fail(llvm::Twine("`") + row.name + "` needs a tensor of integers, not `" + dtypeText((*tensor)->dtype) + "`");
  return in.atomic(floats ? row.floats : row.integers, *order, *tensor, a[1], a[2]);
}

std::vector<OperationRow> helion::frontend::memoryOperations() {
  std::vector<OperationRow> rows = {{"hl.load", "tensor index extra_mask=None eviction_policy=None", runLoad},
                                    {"hl.store", "tensor index value extra_mask=None", runStore}};
  for (const AtomicRow &row : atomicRows)
    rows.push_back({row.name, "target index value sem='relaxed'",
                    [&row](Interpreter &in, ArrayRef<PyValue> a) { return runAtomic(in, row, a); }});
  return rows;
}
