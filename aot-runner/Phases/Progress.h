// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line that says how far a phase is, drawn over itself on a terminal and silent elsewhere.
#ifndef HELION_AOT_RUNNER_PHASES_PROGRESS_H
#define HELION_AOT_RUNNER_PHASES_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace helion::aot {

class Progress {
public:
  explicit Progress(llvm::raw_fd_ostream &os) : os(os), shown(os.is_displayed()) {}
  ~Progress() { end(); }

  void begin(llvm::StringRef what, size_t total) {
    end();
    label = what.str();
    count = total;
    done = 0;
    draw();
  }
  void step(size_t steps = 1) {
    done += steps;
    draw();
  }
  /// Clears the line, so that other output may follow.
  void end() {
    if (shown && drawn)
      os << "\r\033[K";
    os.flush();
    drawn = false;
  }

private:
  void draw() {
    if (!shown || !count)
      return;
    constexpr size_t kWidth = 30;
    size_t filled = std::min(done, count) * kWidth / count;
    os << "\r" << label << " [" << std::string(filled, '#') << std::string(kWidth - filled, ' ') << "] " << done << "/"
       << count << "\033[K";
    os.flush();
    drawn = true;
  }

  llvm::raw_fd_ostream &os;
  bool shown, drawn = false;
  std::string label;
  size_t count = 0, done = 0;
};

} // namespace helion::aot

#endif // HELION_AOT_RUNNER_PHASES_PROGRESS_H
