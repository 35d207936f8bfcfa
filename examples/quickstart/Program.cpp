// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads calls, makes them, prints a table. Lines on stdin: `SHAPES TIME SLOWDOWN VERDICT`, such as
// `512x64,64x128 81.20 1.003 met`; a call that was not measured has `-` for the rest.
#include "Program.h"
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

static std::vector<std::vector<int64_t>> parseShapes(const std::string &text) {
  std::vector<std::vector<int64_t>> shapes;
  std::istringstream tensors(text);
  for (std::string tensor; std::getline(tensors, tensor, ',');) {
    std::istringstream sizes(tensor);
    shapes.emplace_back();
    for (std::string size; std::getline(sizes, size, 'x');)
      shapes.back().push_back(std::stoll(size));
  }
  return shapes;
}

int main() {
  constexpr double kTolerance = 1e-5; // Of f32 sums of up to a hundred thousand terms; one rounding is 6e-8.
  std::mt19937 random(2026);
  std::printf("%-24s %-9s %12s %9s %-10s %10s  %s\n", "shapes", "config", "time us", "slowdown", "verdict", "error",
              "corpus");
  bool good = true;
  for (std::string shapes, time, slowdown, verdict; std::cin >> shapes >> time >> slowdown >> verdict;) {
    Outcome outcome = callKernel(parseShapes(shapes), random);
    if (outcome.status != 0) {
      std::printf("%s: %s\n", shapes.c_str(), outcome.message);
      return 1;
    }
    good &= outcome.error <= kTolerance;
    std::printf("%-24s %-9s %12s %9s %-10s %10.1e  %s\n", shapes.c_str(), outcome.config, time.c_str(),
                slowdown.c_str(), verdict.c_str(), outcome.error,
                outcome.inCorpus ? "measured" : "NOT MEASURED: a guess from its neighbours");
  }
  std::printf(good ? "all results are right\n" : "SOME RESULTS ARE WRONG\n");
  return good ? 0 : 1;
}
