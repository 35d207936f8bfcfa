// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which candidate runs calls that are larger than everything measured, where variants that hold whole rows end
// (docs/design/0019). A set is made for the rows; this is one more member where none of the set does as well.
#ifndef HELION_AOT_RUNNER_SELECT_BEYOND_H
#define HELION_AOT_RUNNER_SELECT_BEYOND_H

#include "aot-runner/Select/DispatchFit.h"

namespace helion::aot {

/// Sets `request.beyond`, and adds a member for it where the set has none that does as well and less than `maxMembers`.
/// Where rows were measured that only candidates which reach serve, their times decide; else the model does, if it says
/// anything; else the times on the rows that most candidates end before.
void pickBeyond(const Matrix &matrix, unsigned maxMembers, FitRequest &request);

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_SELECT_BEYOND_H
