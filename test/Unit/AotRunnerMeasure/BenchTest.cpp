// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a failed answer blames its candidate for, and what a budget says.
#include "aot-runner/Measure/Bench.h"
#include "gtest/gtest.h"

using namespace helion::aot;

static CheckVerdict blamed(WorkerAnswer::Kind kind, std::string reason = "") {
  WorkerAnswer answer;
  answer.kind = kind;
  answer.reason = std::move(reason);
  return blame(answer);
}

TEST(Bench, Blame) {
  using Kind = WorkerAnswer::Kind;
  EXPECT_EQ(blamed(Kind::Ok), CheckVerdict::Ok);
  EXPECT_EQ(blamed(Kind::Died), CheckVerdict::Crash);
  EXPECT_EQ(blamed(Kind::TimedOut), CheckVerdict::Timeout);
  EXPECT_EQ(blamed(Kind::Refused, "memory"), CheckVerdict::OutOfMemory);
  EXPECT_EQ(blamed(Kind::Refused, "device"), CheckVerdict::DeviceLost);
  EXPECT_EQ(blamed(Kind::Refused, "launch"), CheckVerdict::Crash);
  EXPECT_EQ(blamed(Kind::Refused, "red_zone"), CheckVerdict::Wrong);
  EXPECT_EQ(blamed(Kind::Refused, "input_changed"), CheckVerdict::Wrong);
}

static std::optional<EndedEarly::Why> why(const Budget &budget) {
  std::optional<EndedEarly::Why> result;
  llvm::handleAllErrors(budget.check(), [&](const EndedEarly &ended) { result = ended.why; });
  return result;
}

TEST(Budget, Ends) {
  std::atomic<bool> stop = false;
  Budget budget(stop);
  EXPECT_EQ(why(budget), std::nullopt);
  budget.deviceSeconds = 0;
  EXPECT_EQ(why(budget), EndedEarly::Why::Budget);
  budget.deviceSeconds = 1;
  budget.end = Budget::Clock::now();
  EXPECT_EQ(why(budget), EndedEarly::Why::Budget);
  stop = true;
  EXPECT_EQ(why(budget), EndedEarly::Why::Interrupted);
}
