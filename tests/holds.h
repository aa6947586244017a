// What a test asserts of a record in one literal: {"/results/0/n": 6}, the values at JSON pointers.
#pragma once

#include <gmock/gmock.h>

#include "leeway/core/result.h"

namespace leeway {

MATCHER_P(Holds, values, "") {
  const Json wanted = Json::parse(values);
  for (const auto& [path, value] : wanted.items()) {
    const Json::json_pointer at(path);
    if (arg.contains(at) && arg.at(at) == value) continue;
    *result_listener << "at " << path;
    return false;
  }
  return true;
}

}  // namespace leeway
