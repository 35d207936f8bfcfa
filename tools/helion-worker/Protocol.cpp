// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Protocol.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helion::worker {

static const Json emptyObject = Json::object();
static const Json emptyList = Json::array();

Fields::Fields(const Json &object, std::string where, Failure &failure)
    : object(object.is_object() ? object : emptyObject), where(std::move(where)), failure(failure) {
  if (!object.is_object())
    failure.set("protocol", this->where + " is " + object.type_name() + ", not an object");
}

const Json *Fields::find(const char *key, const char *kind, bool (Json::*is)() const noexcept) {
  read.push_back(key);
  auto found = object.find(key);
  if (found == object.end()) {
    failure.set("protocol", where + " lacks `" + key + "`");
    return nullptr;
  }
  if (!((*found).*is)()) {
    failure.set("protocol", "`" + std::string(key) + "` of " + where + " is " + found->type_name() + ", not " + kind);
    return nullptr;
  }
  return &*found;
}

std::string Fields::text(const char *key) {
  const Json *value = find(key, "a string", &Json::is_string);
  return value ? value->get<std::string>() : std::string();
}

int64_t Fields::integer(const char *key, int64_t low, int64_t high) {
  const Json *value = find(key, "an integer", &Json::is_number_integer);
  if (!value)
    return low;
  bool fits = !value->is_number_unsigned() || value->get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max());
  int64_t number = fits ? value->get<int64_t>() : 0;
  if (fits && number >= low && number <= high)
    return number;
  failure.set("protocol", "`" + std::string(key) + "` of " + where + " is " + value->dump() + "; it must be between " +
                              std::to_string(low) + " and " + std::to_string(high));
  return low;
}

int64_t Fields::integer(const char *key, int64_t low, int64_t high, int64_t absent) {
  return has(key) ? integer(key, low, high) : absent;
}

/// JSON has no infinities and no NaN; they are written as strings.
double Fields::number(const char *key) {
  static const std::pair<const char *, double> named[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
  auto found = object.find(key);
  if (found != object.end() && found->is_string()) {
    read.push_back(key);
    for (const auto &[name, value] : named)
      if (found->get<std::string>() == name)
        return value;
  }
  const Json *value = find(key, "a number, `inf`, `-inf` or `nan`", &Json::is_number);
  return value ? value->get<double>() : 0;
}

bool Fields::boolean(const char *key, bool absent) {
  if (!has(key))
    return absent;
  const Json *value = find(key, "true or false", &Json::is_boolean);
  return value && value->get<bool>();
}

std::vector<int64_t> Fields::integers(const char *key) {
  std::vector<int64_t> result;
  for (const Json &element : list(key)) {
    if (element.is_number_integer())
      result.push_back(element.get<int64_t>());
    else
      failure.set("protocol",
                  "`" + std::string(key) + "` of " + where + " holds " + element.dump() + ", not an integer");
  }
  return result;
}

const Json &Fields::list(const char *key) {
  const Json *value = find(key, "a list", &Json::is_array);
  return value ? *value : emptyList;
}

const Json &Fields::dictionary(const char *key) {
  const Json *value = find(key, "an object", &Json::is_object);
  return value ? *value : emptyObject;
}

size_t Fields::choice(const char *key, const std::vector<std::string> &choices) {
  if (!has(key))
    return 0;
  std::string value = text(key);
  auto found = std::find(choices.begin(), choices.end(), value);
  if (found != choices.end())
    return size_t(found - choices.begin());
  std::string known;
  for (const std::string &choice : choices)
    known += (known.empty() ? "`" : ", `") + choice + "`";
  failure.set("protocol", "`" + std::string(key) + "` of " + where + " is `" + value + "`, not one of " + known);
  return 0;
}

void Fields::finish() {
  for (const auto &item : object.items())
    if (std::find(read.begin(), read.end(), item.key()) == read.end())
      failure.set("protocol", where + " has an unknown key `" + item.key() + "`");
}

} // namespace helion::worker
