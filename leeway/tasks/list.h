// The families of leeway and the descriptions of their members; list.cpp holds the list of families, itself a
// family.
// Families of models come from `session`; where it throws std::runtime_error (no model library), the record
// says why and lists the others. Errors: an unknown family (Error); a requested one that is not available
// (std::runtime_error).
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

[[nodiscard]] record::List list(const ListTask& task);

}  // namespace leeway::tasks
