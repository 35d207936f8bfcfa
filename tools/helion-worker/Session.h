// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state between requests (loaded artifacts, cases) and one function per `op`.
#ifndef HELION_TOOLS_WORKER_SESSION_H
#define HELION_TOOLS_WORKER_SESSION_H

#include "Plan.h"

#include <map>
#include <string>

namespace helion::worker {

class Session {
public:
  /// Carries out one request and fills `answer` with the keys of its result. After a failure of kind `red_zone` or
  /// `input_changed`, and after `quit`, the process should end.
  void handle(const Json &request, Json &answer, Failure &failure);

  bool isOver() const { return over; }

private:
  using Operation = void (Session::*)(Fields &, Json &, Failure &);
  struct OperationName {
    const char *name;
    Operation operation;
  };
  static const OperationName operations[];

  void hello(Fields &fields, Json &answer, Failure &failure);
  void load(Fields &fields, Json &answer, Failure &failure);
  void makeCase(Fields &fields, Json &answer, Failure &failure);
  void run(Fields &fields, Json &answer, Failure &failure);
  void time(Fields &fields, Json &answer, Failure &failure);
  void query(Fields &fields, Json &answer, Failure &failure);
  void free(Fields &fields, Json &answer, Failure &failure);
  void quit(Fields &fields, Json &answer, Failure &failure);

  Case *findCase(Fields &fields, Failure &failure);
  const Artifact *findArtifact(Fields &fields, Failure &failure);
  Case *bindPlan(Fields &fields, Plan &plan, Failure &failure);

  std::string target; // Of the first `hello`.
  std::unique_ptr<Backend> device;
  std::map<std::string, std::unique_ptr<Artifact>> artifacts;
  std::map<std::string, Case> cases;
  bool over = false;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_SESSION_H
