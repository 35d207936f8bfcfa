// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of fragments, and the two families of layouts that are spread by rule.

#include "dialect/IR/LayoutBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace helion;

static Error invalid(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

Expected<Layout> helion::blockedLayout(ArrayRef<int64_t> shape, const BlockedSpread &spread) {
  LayoutText text;
  text.atom.assign(shape.size(), 1);
  SmallVector<int64_t> left(shape);
  std::array<int64_t, kNumSpaces> from;
  from.fill(1);
  auto place = [&](LayoutSpace space, ArrayRef<int64_t> counts) -> Error {
    for (unsigned dim : spread.order) {
      int64_t count = std::min(counts[dim], left[dim]);
      if (left[dim] % count || counts[dim] % count)
        return invalid("extent `" + Twine(shape[dim]) + "` is no multiple of `" + Twine(counts[dim]) + "` in `" +
                       spaceName(space) + "`");
      text.repeats.push_back({space, dim, count, from[unsigned(space)]});
      from[unsigned(space)] *= space == LayoutSpace::Reg ? count : counts[dim];
      left[dim] /= count;
    }
    return Error::success();
  };
  if (Error error = place(LayoutSpace::Reg, spread.perThread))
    return error;
  if (Error error = place(LayoutSpace::Lane, spread.lanes))
    return error;
  if (Error error = place(LayoutSpace::Warp, spread.warps))
    return error;
  if (Error error = place(LayoutSpace::Reg, SmallVector<int64_t>(left)))
    return error;
  return Layout::build(text);
}

namespace {
using Bases = SmallVector<Point>;
struct FragmentRow {
  SmallVector<int64_t> atom;
  Bases reg, lane, warp;
};

FragmentRow fragmentRow(Fragment fragment) {
  const Bases rows8 = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  const Bases warps4 = {{16, 0}, {32, 0}};
  switch (fragment) {
  case Fragment::Warp16x8A:
    return {{16, 8}, {{8, 0}, {0, 4}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {}};
  case Fragment::Warp8x8B:
    return {{8, 8}, {{4, 0}}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}, {}};
  case Fragment::Warp16x16A:
    return {{16, 16}, {{0, 1}, {8, 0}, {0, 8}}, rows8, {}};
  case Fragment::Warp16x8B:
    return {{16, 8}, {{1, 0}, {8, 0}}, {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}, {}};
  case Fragment::Warp16x32A:
    return {{16, 32}, {{0, 1}, {0, 2}, {8, 0}, {0, 16}}, {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}}, {}};
  case Fragment::Warp32x8B:
    return {{32, 8}, {{1, 0}, {2, 0}, {16, 0}}, {{4, 0}, {8, 0}, {0, 1}, {0, 2}, {0, 4}}, {}};
  case Fragment::Warp16x8C:
    return {{16, 8}, {{0, 1}, {8, 0}}, rows8, {}};
  case Fragment::Warps64x8C:
    return {{64, 8}, {{0, 1}, {8, 0}}, rows8, warps4};
  case Fragment::Warps64x16A:
    return {{64, 16}, {{0, 1}, {8, 0}, {0, 8}}, rows8, warps4};
  case Fragment::Wave32x32C:
    return {{32, 32}, {{1, 0}, {2, 0}, {8, 0}, {16, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}}, {}};
  case Fragment::Wave32x8A:
    return {{32, 8}, {{0, 1}, {0, 2}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}}, {}};
  case Fragment::Wave16x16C:
    return {{16, 16}, {{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}}, {}};
  case Fragment::Wave16x16A:
    return {{16, 16}, {{0, 1}, {0, 2}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}, {0, 8}}, {}};
  }
  llvm_unreachable("covered switch");
}
} // namespace

LayoutText helion::fragmentText(Fragment fragment) {
  FragmentRow row = fragmentRow(fragment);
  LayoutText text;
  text.atom = row.atom;
  text.bases[unsigned(LayoutSpace::Reg)] = row.reg;
  text.bases[unsigned(LayoutSpace::Lane)] = row.lane;
  text.bases[unsigned(LayoutSpace::Warp)] = row.warp;
  return text;
}

Expected<Layout> helion::fragmentLayout(Fragment fragment, ArrayRef<int64_t> shape,
                                        ArrayRef<LayoutText::Repeat> repeats) {
  LayoutText text = fragmentText(fragment);
  SmallVector<int64_t> extent(text.atom);
  for (const LayoutText::Repeat &repeat : repeats)
    extent[repeat.dim] *= repeat.count;
  text.repeats.assign(repeats.begin(), repeats.end());
  // Registers of the missing repeats come first: other spaces split the tile from outside.
  SmallVector<LayoutText::Repeat> missing;
  for (unsigned dim : {1u, 0u}) {
    if (shape[dim] % extent[dim])
      return invalid("extent `" + Twine(shape[dim]) + "` is no multiple of the fragment's `" + Twine(extent[dim]) +
                     "`");
    if (shape[dim] != extent[dim])
      missing.push_back({LayoutSpace::Reg, dim, shape[dim] / extent[dim]});
  }
  text.repeats.insert(text.repeats.begin(), missing.begin(), missing.end());
  return Layout::build(text);
}

Expected<Layout> helion::sharedLayout(ArrayRef<int64_t> shape, unsigned contiguous, unsigned elementBytes,
                                      unsigned swizzleBytes) {
  unsigned other = 1 - contiguous;
  constexpr int64_t kLines = 8, kChunkBytes = 16;
  if (!isPowerOf2_64(elementBytes) || elementBytes > kChunkBytes)
    return invalid("elements of `" + Twine(elementBytes) + "` bytes are no part of a chunk of `" + Twine(kChunkBytes) +
                   "`");
  LayoutText text;
  text.atom = {1, 1};
  if (swizzleBytes == 0) {
    text.repeats = {{LayoutSpace::Offset, contiguous, shape[contiguous]}, {LayoutSpace::Offset, other, shape[other]}};
    return Layout::build(text);
  }
  int64_t line = swizzleBytes / elementBytes, chunk = kChunkBytes / elementBytes;
  if (!is_contained({32u, 64u, 128u}, swizzleBytes) || shape[contiguous] % line || shape[other] % kLines)
    return invalid("a tile of `" + Twine(shape[other]) + "` lines of `" + Twine(shape[contiguous]) +
                   "` elements is no multiple of a box of `8` lines of `" + Twine(swizzleBytes) + "` bytes");
  text.atom[contiguous] = line;
  text.atom[other] = kLines;
  Bases &bases = text.bases[unsigned(LayoutSpace::Offset)];
  auto point = [&](int64_t along, int64_t across) {
    Point value(2, 0);
    value[contiguous] = along;
    value[other] = across;
    return value;
  };
  for (int64_t element = 1; element != line; element *= 2)
    bases.push_back(point(element, 0));
  // The chunk's number takes the address bits from 128 bytes on: of shorter lines these are higher bits of the line's
  // number.
  for (int64_t number = 1; number != kLines; number *= 2) {
    int64_t moved = number * swizzleBytes / 128 * chunk;
    bases.push_back(point(moved < line ? moved : 0, number));
  }
  text.repeats = {{LayoutSpace::Offset, other, shape[other] / kLines},
                  {LayoutSpace::Offset, contiguous, shape[contiguous] / line}};
  return Layout::build(text);
}

Layout helion::plainLayout(ArrayRef<int64_t> shape, unsigned contiguous) {
  LayoutText text;
  text.atom.assign(shape.size(), 1);
  text.repeats.push_back({LayoutSpace::Offset, contiguous, shape[contiguous]});
  for (unsigned dim = shape.size(); dim-- != 0;)
    if (dim != contiguous)
      text.repeats.push_back({LayoutSpace::Offset, dim, shape[dim]});
  return cantFail(Layout::build(text));
}

bool helion::isMatrixShape(ArrayRef<int64_t> shape) {
  return shape.size() >= 2 && all_of(shape.drop_back(2), [](int64_t extent) { return extent == 1; });
}

Expected<Layout> helion::sharedTileLayout(ArrayRef<int64_t> shape, unsigned contiguous, unsigned elementBytes,
                                          unsigned swizzleBytes) {
  unsigned before = shape.size() - 2;
  if (!isMatrixShape(shape) || contiguous < before)
    return invalid("only the last two dims of a staged tile may have more than one element");
  Expected<Layout> layout = sharedLayout(shape.take_back(2), contiguous - before, elementBytes, swizzleBytes);
  for (unsigned dim = 0; layout && dim != before; ++dim)
    layout = layout->withDimInThread(0, 1);
  return layout;
}

std::optional<SharedForm> helion::sharedFormOf(const Layout &layout, unsigned elementBytes) {
  unsigned rank = layout.rank();
  if (!isMatrixShape(layout.shape())) {
    for (unsigned contiguous = rank; contiguous-- != 0;)
      if (elementBytes && plainLayout(layout.shape(), contiguous) == layout)
        return SharedForm{contiguous, 0};
    return std::nullopt;
  }
  for (unsigned contiguous : {rank - 1, rank - 2})
    for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
      Expected<Layout> candidate = sharedTileLayout(layout.shape(), contiguous, elementBytes, swizzle);
      if (!candidate)
        consumeError(candidate.takeError());
      else if (*candidate == layout)
        return SharedForm{contiguous, swizzle};
    }
  return std::nullopt;
}
