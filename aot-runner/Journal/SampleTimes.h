// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times of one sample as bytes: picoseconds as variable-length integers, about three to four bytes each.
#ifndef HELION_AOT_RUNNER_JOURNAL_SAMPLETIMES_H
#define HELION_AOT_RUNNER_JOURNAL_SAMPLETIMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace helion::aot {

struct PackedTimes {
  std::string bytes;
  double medianNs = 0; // Of the kept times; of an even number, the mean of the middle two.
};

/// Fails on no times, a negative time, or one that is not finite.
llvm::Expected<PackedTimes> packTimes(llvm::ArrayRef<double> timesNs);
std::vector<double> unpackTimes(llvm::StringRef bytes);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_JOURNAL_SAMPLETIMES_H
