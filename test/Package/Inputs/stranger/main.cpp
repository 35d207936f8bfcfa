// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls both packages as their headers say, compares with numbers computed here, and prints a line for each part that
// is right. Exits with 1 at the first difference.
#include "column_sums.h"
#include "vector_add.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static void require(bool right, const char *what, int line) {
  if (right)
    return;
  std::printf("line %d: not so: %s\n", line, what);
  std::exit(1);
}
#define REQUIRE(condition) require(condition, #condition, __LINE__)

namespace {
/// Memory and the tensor over it.
struct Array {
  Array(std::vector<int64_t> sizes, std::vector<int64_t> strides, std::vector<float> values, uint64_t byteOffset = 0)
      : sizes(std::move(sizes)), strides(std::move(strides)), values(std::move(values)) {
    tensor.data = this->values.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = int32_t(this->sizes.size());
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = this->sizes.data();
    tensor.strides = this->strides.empty() ? nullptr : this->strides.data();
    tensor.byte_offset = byteOffset;
  }
  Array(const Array &) = delete;

  std::vector<int64_t> sizes, strides;
  std::vector<float> values;
  DLTensor tensor = {};
};
} // namespace

static std::vector<float> ramp(int64_t count, float first, float step) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(first + step * float(i % 1000));
  return values;
}

static bool addsRightly(int64_t n, int expectedVariant) {
  Array x({n}, {}, ramp(n, 1, 0.5f)), y({n}, {1}, ramp(n, -3, 0.25f)), out({n}, {}, std::vector<float>(size_t(n), -1));
  vector_add_choice choice;
  if (vector_add_choose(&x.tensor, &y.tensor, &choice) != VECTOR_ADD_OK || choice.variant != expectedVariant)
    return false;
  if (vector_add(&x.tensor, &y.tensor, &out.tensor, nullptr, nullptr) != VECTOR_ADD_OK)
    return false;
  for (size_t i = 0; i < size_t(n); ++i)
    if (out.values[i] != x.values[i] + y.values[i])
      return false;
  return true;
}

static void testSizes() {
  for (int64_t n : {0, 1, 37, 1000, 2047, 2048})
    REQUIRE(addsRightly(n, 1));
  for (int64_t n : {2049, 4096, 100003})
    REQUIRE(addsRightly(n, 0));
  std::puts("sizes");
}

static void testStrides() {
  // Backwards, every other, one value again and again; data begins in the middle.
  Array backwards({5}, {-1}, ramp(5, 0, 1), 16), spread({5}, {2}, ramp(9, 100, 1)), one({5}, {0}, {7});
  Array out({5}, {}, std::vector<float>(5));
  REQUIRE(vector_add(&backwards.tensor, &spread.tensor, &out.tensor, nullptr, nullptr) == VECTOR_ADD_OK);
  REQUIRE(out.values == std::vector<float>({104, 105, 106, 107, 108}));
  REQUIRE(vector_add(&one.tensor, &backwards.tensor, &out.tensor, nullptr, nullptr) == VECTOR_ADD_OK);
  REQUIRE(out.values == std::vector<float>({11, 10, 9, 8, 7}));
  // The tree wants the variant for contiguous data, whose fact does not hold.
  Array large({5000}, {2}, ramp(9999, 0, 1)), y({5000}, {}, ramp(5000, 1, 0)), sum({5000}, {}, ramp(5000, 0, 0));
  vector_add_choice choice;
  REQUIRE(vector_add_choose(&large.tensor, &y.tensor, &choice) == VECTOR_ADD_OK);
  REQUIRE(choice.variant == 1 && choice.reason == VECTOR_ADD_REASON_FALLBACK && choice.failed_fact == 0);
  REQUIRE(vector_add(&large.tensor, &y.tensor, &sum.tensor, nullptr, nullptr) == VECTOR_ADD_OK);
  for (size_t i = 0; i < 5000; ++i)
    REQUIRE(sum.values[i] == large.values[2 * i] + 1);
  // The same where only the result is not aligned as that variant wants it; without a result it is taken to be.
  Array late({5000}, {}, ramp(5001, 0, 0), sizeof(float));
  REQUIRE(vector_add_choose(&y.tensor, &y.tensor, &choice) == VECTOR_ADD_OK && choice.variant == 0);
  REQUIRE(vector_add(&y.tensor, &y.tensor, &late.tensor, nullptr, nullptr) == VECTOR_ADD_OK);
  REQUIRE(late.values == [] { auto twos = ramp(5001, 2, 0); twos[0] = 0; return twos; }());
  std::puts("strides");
}

static void testRefusals() {
  Array x({4}, {}, ramp(4, 0, 1)), y({4}, {}, ramp(4, 0, 1)), longer({5}, {}, ramp(5, 0, 1)), out({4}, {}, ramp(4, 0, 0));
  auto add = [](Array &a, Array &b, Array &c) { return vector_add(&a.tensor, &b.tensor, &c.tensor, nullptr, nullptr); };
  REQUIRE(add(x, longer, out) == VECTOR_ADD_CHECK_0);
  REQUIRE(!std::strcmp(vector_add_strerror(VECTOR_ADD_CHECK_0), "x and y must have equal sizes"));
  REQUIRE(vector_add(&x.tensor, nullptr, &out.tensor, nullptr, nullptr) == VECTOR_ADD_NEAREST_SIGNATURE_0);
  REQUIRE(vector_add(&x.tensor, &y.tensor, nullptr, nullptr, nullptr) == VECTOR_ADD_NULL_ARGUMENT);
  REQUIRE(add(x, y, longer) == VECTOR_ADD_BAD_OUTPUT);
  REQUIRE(add(x, y, x) == VECTOR_ADD_OVERLAP);
  y.tensor.dtype.code = kDLInt;
  REQUIRE(add(x, y, out) == VECTOR_ADD_NEAREST_SIGNATURE_0);
  REQUIRE(std::strstr(vector_add_strerror(VECTOR_ADD_NEAREST_SIGNATURE_0), "the nearest is x f32[1], y f32[1]"));
  y.tensor.dtype.code = kDLFloat;
  y.tensor.device.device_type = kDLCUDA;
  REQUIRE(add(x, y, out) == VECTOR_ADD_WRONG_DEVICE);
  y.tensor.device.device_type = kDLCPU;
  y.tensor.data = nullptr;
  REQUIRE(add(x, y, out) == VECTOR_ADD_BAD_TENSOR);
  int64_t none = 0;
  x.tensor.shape = y.tensor.shape = out.tensor.shape = &none;
  REQUIRE(add(x, y, out) == VECTOR_ADD_OK);
  std::puts("refusals");
}

static void testQueries() {
  Array x({4096}, {}, ramp(4096, 0, 1)), other({3000}, {}, ramp(3000, 0, 1)), far({7}, {}, ramp(7, 0, 1));
  vector_add_choice choice;
  REQUIRE(vector_add_choose(&x.tensor, &x.tensor, &choice) == VECTOR_ADD_OK);
  REQUIRE(choice.in_corpus && choice.in_range && choice.variant == 0 && choice.reason == VECTOR_ADD_REASON_TREE);
  REQUIRE(vector_add_choose(&other.tensor, &other.tensor, &choice) == VECTOR_ADD_OK);
  REQUIRE(!choice.in_corpus && choice.in_range);
  REQUIRE(vector_add_choose(&far.tensor, &far.tensor, &choice) == VECTOR_ADD_OK);
  REQUIRE(!choice.in_corpus && !choice.in_range);
  vector_add_shape shape;
  REQUIRE(vector_add_output_shape(&x.tensor, &x.tensor, 0, &shape) == VECTOR_ADD_OK);
  REQUIRE(shape.ndim == 1 && shape.sizes[0] == 4096 && shape.dtype.code == kDLFloat && shape.dtype.bits == 32);
  REQUIRE(vector_add_output_shape(&x.tensor, &x.tensor, 1, &shape) == VECTOR_ADD_BAD_INDEX);
  const vector_add_variant *variants;
  REQUIRE(vector_add_variants(&variants) == 2);
  REQUIRE(!std::strcmp(variants[0].id, "11111111") && !std::strcmp(variants[0].facts[1], "y.stride(0) == 1"));
  REQUIRE(!variants[0].universal && variants[1].universal && !variants[1].facts[0]);
  REQUIRE(vector_add_abi() == VECTOR_ADD_ABI);
  std::vector<char> text(vector_add_explain(&far.tensor, &far.tensor, nullptr, 0) + 1);
  vector_add_explain(&far.tensor, &far.tensor, text.data(), text.size());
  char cut[20];
  REQUIRE(vector_add_explain(&far.tensor, &far.tensor, cut, sizeof cut) == text.size() - 1);
  REQUIRE(std::string(text.data()).substr(0, 19) == cut);
  std::printf("%s", text.data());
  std::puts("queries");
}

static void testPlanOfThreeSteps() {
  const int64_t rows = 37, columns = 53;
  Array x({rows, columns}, {}, ramp(rows * columns, 0, 1)), bias({columns}, {}, ramp(columns, 0, 2));
  Array out({columns}, {}, std::vector<float>(size_t(columns), -1));
  int64_t bytes = -1;
  REQUIRE(column_sums_workspace(&x.tensor, 0.5, nullptr, 7, &bytes) == COLUMN_SUMS_OK);
  REQUIRE(bytes == 256);
  alignas(64) char workspace[256];
  for (int round = 0; round < 2; ++round) {
    std::memset(workspace, 0xff, sizeof workspace);
    const DLTensor *given = round == 0 ? nullptr : &bias.tensor;
    REQUIRE(column_sums(&x.tensor, 0.5, given, 7, &out.tensor, nullptr, workspace) == COLUMN_SUMS_OK);
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < rows; ++i)
        sum += x.values[size_t(i * columns + j)];
      REQUIRE(out.values[size_t(j)] == float(0.5 * sum) + (given ? bias.values[size_t(j)] : 0));
    }
  }
  REQUIRE(column_sums(&x.tensor, 0.5, nullptr, 7, &out.tensor, nullptr, nullptr) == COLUMN_SUMS_BAD_WORKSPACE);
  REQUIRE(column_sums(&x.tensor, 0.5, nullptr, 7, &out.tensor, nullptr, workspace + 4) == COLUMN_SUMS_BAD_WORKSPACE);
  REQUIRE(column_sums(&x.tensor, 0.5, nullptr, 8, &out.tensor, nullptr, workspace) == COLUMN_SUMS_NEAREST_SIGNATURE_0);
  REQUIRE(column_sums(&x.tensor, 0.5, &bias.tensor, 8, &out.tensor, nullptr, workspace) ==
          COLUMN_SUMS_NEAREST_SIGNATURE_1);
  bias.sizes[0] = 3;
  REQUIRE(column_sums(&x.tensor, 0.5, &bias.tensor, 7, &out.tensor, nullptr, workspace) == COLUMN_SUMS_CHECK_1);
  std::puts("plan of three steps");
}

// A variant that takes x for one row of numbers: the stride between rows counts where there are two.
static void testStrideOfOneRow() {
  Array one({1, 3}, {1000, 2}, ramp(5, 1, 1)), two({2, 3}, {1000, 2}, ramp(1005, 1, 1));
  Array out({3}, {}, std::vector<float>(3, -1));
  alignas(64) char workspace[64];
  REQUIRE(column_sums(&one.tensor, 1, nullptr, 7, &out.tensor, nullptr, workspace) == COLUMN_SUMS_OK);
  REQUIRE(out.values == std::vector<float>({1, 3, 5}));
  REQUIRE(column_sums(&two.tensor, 1, nullptr, 7, &out.tensor, nullptr, workspace) == COLUMN_SUMS_NO_VARIANT);
  std::puts("stride of one row");
}

static void testThreads() {
  REQUIRE(vector_add_set_threads(3) == 3 && vector_add_prepare(0) == VECTOR_ADD_OK);
  REQUIRE(vector_add_prepare(1) == VECTOR_ADD_WRONG_DEVICE);
  std::vector<std::thread> callers;
  std::vector<char> right(4, 0);
  for (size_t caller = 0; caller < right.size(); ++caller)
    callers.emplace_back([&, caller] {
      right[caller] = 1;
      for (int round = 0; round < 50; ++round)
        right[caller] &= addsRightly(100000 + int64_t(caller), 0);
    });
  for (std::thread &caller : callers)
    caller.join();
  REQUIRE(right == std::vector<char>(4, 1));
  vector_add_unload();
  REQUIRE(addsRightly(100000, 0));
  vector_add_unload();
  column_sums_unload();
  std::puts("threads");
}

int main() {
  testSizes();
  testStrides();
  testRefusals();
  testQueries();
  testPlanOfThreeSteps();
  testStrideOfOneRow();
  testThreads();
  return 0;
}
