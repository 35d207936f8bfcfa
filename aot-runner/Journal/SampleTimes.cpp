// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aot-runner/Journal/SampleTimes.h"
#include "dialect/Target/JsonText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace helion::aot {

// Eleven days in picoseconds still fit a double exactly.
static constexpr double longestNs = 1e15;

Expected<PackedTimes> packTimes(ArrayRef<double> timesNs) {
  if (timesNs.empty())
    return createStringError("a sample needs at least one time");
  PackedTimes packed;
  raw_string_ostream os(packed.bytes);
  std::vector<uint64_t> picoseconds;
  for (double time : timesNs) {
    if (!(time >= 0 && time <= longestNs))
      return createStringError("saw a time of `" + (std::isnan(time) ? std::string("nan") : shortestReal(time)) +
                               "` ns, expected 0 to `1e15`");
    picoseconds.push_back(std::llround(time * 1000));
    encodeULEB128(picoseconds.back(), os);
  }
  llvm::sort(picoseconds);
  size_t middle = picoseconds.size() / 2;
  uint64_t twice = picoseconds[middle] + picoseconds[picoseconds.size() % 2 ? middle : middle - 1];
  packed.medianNs = double(twice) / 2000;
  return packed;
}

std::vector<double> unpackTimes(StringRef bytes) {
  std::vector<double> times;
  const uint8_t *at = bytes.bytes_begin(), *end = bytes.bytes_end();
  while (at != end) {
    unsigned length = 0;
    const char *error = nullptr;
    uint64_t value = decodeULEB128(at, &length, end, &error);
    if (error)
      break; // Cut off: what came before is whole.
    times.push_back(double(value) / 1000);
    at += length;
  }
  return times;
}

} // namespace helion::aot
