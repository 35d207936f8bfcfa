// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of buffers: every element of a box lies where a copy of the box, with its swizzle, puts it.
#include "dialect/IR/TensorMaps.h"
#include "dialect/IR/LayoutBuilders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace helion;

namespace {
struct TensorMaps : testing::Test {
  TensorMaps() { context.loadDialect<HelionDialect>(); }

  TensorMapType map(ArrayRef<int64_t> box, ArrayRef<int64_t> shape, unsigned contiguous, unsigned swizzle) {
    Layout layout = llvm::cantFail(sharedTileLayout(shape, contiguous, 2, swizzle));
    auto tile = RankedTensorType::get(shape, BFloat16Type::get(&context), LayoutAttr::get(&context, layout));
    return TensorMapType::get(&context, box, tile);
  }

  MLIRContext context;
};

TEST_F(TensorMaps, DimsFromTheContiguousOneOutwards) {
  std::optional<BoxForm> rows = boxFormOf(map({1, 64, 32}, {64, 32}, 1, 64));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->dims, (SmallVector<unsigned>{2, 1, 0}));
  EXPECT_EQ(rows->tileDims, (SmallVector<int>{-1, 0, 1}));
  EXPECT_EQ(rows->swizzleBytes, 64u);
  std::optional<BoxForm> columns = boxFormOf(map({64, 1, 32}, {64, 32}, 0, 128));
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->dims, (SmallVector<unsigned>{0, 2, 1}));
  EXPECT_EQ(columns->tileDims, (SmallVector<int>{0, -1, 1}));
  // A dim of one element that the tile has.
  std::optional<BoxForm> batch = boxFormOf(map({1, 64, 32}, {1, 64, 32}, 2, 0));
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->dims, (SmallVector<unsigned>{2, 1, 0}));
  EXPECT_EQ(batch->tileDims, (SmallVector<int>{0, 1, 2}));
  EXPECT_FALSE(boxFormOf(map({1, 1, 1, 1, 64, 32}, {64, 32}, 1, 64)));
}

TEST_F(TensorMaps, BuffersAreWholeBoxes) {
  for (int64_t lines : {8, 16, 64, 192, 256, 512})
    for (int64_t width : {16, 32, 64, 128, 192, 512})
      for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
        llvm::Expected<Layout> buffer = sharedTileLayout({lines, width}, 1, 2, swizzle);
        if (!buffer) {
          llvm::consumeError(buffer.takeError());
          continue;
        }
        std::optional<SmallVector<int64_t>> box = largestBox(*buffer, 2);
        ASSERT_TRUE(box) << lines << " x " << width;
        EXPECT_LE((*box)[0], kMostBoxElements);
        // Plain rows longer than a box follow line after line, not box after box.
        if (swizzle == 0 && width > kMostBoxElements)
          EXPECT_EQ((*box)[0], 1);
        if (swizzle != 0)
          EXPECT_EQ((*box)[1] * 2, swizzle);
        IndexMap places = *buffer->map().inverse();
        auto placeOf = [&](int64_t line, int64_t column) {
          return places.apply({line, column})[unsigned(LayoutSpace::Offset)];
        };
        for (int64_t line = 0; line != lines; ++line)
          for (int64_t column = 0; column != width; ++column) {
            int64_t begin = placeOf(line / (*box)[0] * (*box)[0], column / (*box)[1] * (*box)[1]);
            int64_t bytes = 2 * (begin + line % (*box)[0] * (*box)[1] + column % (*box)[1]);
            bytes ^= swizzle ? (bytes >> 7 & (swizzle / 16 - 1)) << 4 : 0;
            ASSERT_EQ(2 * placeOf(line, column), bytes) << lines << " x " << width << ", swizzle " << swizzle;
          }
      }
}
} // namespace
