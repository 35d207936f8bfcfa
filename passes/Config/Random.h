// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are the same on every machine and with every standard library: SplitMix64 (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014), a counter and a mix of its bits.
#ifndef HELION_PASSES_CONFIG_RANDOM_H
#define HELION_PASSES_CONFIG_RANDOM_H

#include <cstdint>

namespace helion {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  /// Uniform in [0, bound); `bound` is positive.
  uint64_t below(uint64_t bound) {
    uint64_t rest = -bound % bound; // 2^64 mod bound: draws below it would favour small results.
    uint64_t bits = next();
    while (bits < rest)
      bits = next();
    return bits % bound;
  }

private:
  uint64_t state;
};

} // namespace helion

#endif // HELION_PASSES_CONFIG_RANDOM_H
