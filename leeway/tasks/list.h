// What leeway list prints: the families of leeway, and what their members say of themselves.
//
// The list of families is itself a family: list.cpp holds it. A family of models is asked of `session`; where that throws
// std::runtime_error, since there is no model part, the record says why and the other families are listed all the same. Errors:
// a family that there is not (Error); one that was asked for by name and is not available (std::runtime_error).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/nn/session.h"
#include "leeway/record/list.h"

namespace leeway::tasks {

struct ListTask {
  std::function<const nn::Session&()> session;  // called where a family needs it
  record::ListOptions options = {};
  std::uint64_t seed = 0;
};

struct Family : Member {
  std::vector<record::ListedMember> (*members)(const ListTask& task) = nullptr;
};
[[nodiscard]] std::span<const Family> families();

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::List list(const ListTask& task);

}  // namespace leeway::tasks
