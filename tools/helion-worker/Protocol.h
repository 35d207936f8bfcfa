// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading requests: typed access to the keys of a JSON object, where a missing key, a wrong type and a key nobody asked
// for are failures. The first failure sticks, so callers read everything and check once.
#ifndef HELION_TOOLS_WORKER_PROTOCOL_H
#define HELION_TOOLS_WORKER_PROTOCOL_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace helion::worker {

using Json = nlohmann::json;

/// What an answer says when `ok` is false. The kinds are listed in docs/formats/worker-protocol.md.
struct Failure {
  std::string kind;
  std::string message;

  explicit operator bool() const { return !kind.empty(); }
  void set(std::string kindOfError, std::string text) {
    if (kind.empty()) {
      kind = std::move(kindOfError);
      message = std::move(text);
    }
  }
};

/// The keys of one object. `where` names the object in messages.
class Fields {
public:
  Fields(const Json &object, std::string where, Failure &failure);

  bool has(const char *key) const { return object.contains(key); }
  std::string text(const char *key);
  int64_t integer(const char *key, int64_t low, int64_t high);
  int64_t integer(const char *key, int64_t low, int64_t high, int64_t absent);
  double number(const char *key);
  bool boolean(const char *key, bool absent);
  std::vector<int64_t> integers(const char *key);
  const Json &list(const char *key);
  const Json &dictionary(const char *key);
  /// Index into `choices`; 0 where the key is absent.
  size_t choice(const char *key, const std::vector<std::string> &choices);

  /// Reports the first key that was not read.
  void finish();

private:
  const Json *find(const char *key, const char *kind, bool (Json::*is)() const noexcept);

  const Json &object;
  std::string where;
  Failure &failure;
  std::vector<std::string> read;
};

} // namespace helion::worker

#endif // HELION_TOOLS_WORKER_PROTOCOL_H
