// leeway list: the families of leeway and the descriptions of their members (core/family.h); list.cpp holds
// the list of families, itself a family. Keys: leeway schema list.
// Families of models come from `session`; where it throws std::runtime_error (no model library), the record
// says why and lists the others. Errors: an unknown family (Error); a requested one that is not available
// (std::runtime_error).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/nn/session.h"

namespace leeway::tasks {

inline constexpr std::string_view list_schema = "leeway.list/2";
inline constexpr std::string_view list_results = "one element for each family";

struct ListOptions {
  std::string family;  // empty: all
};

struct ListedParameter {
  std::string name;
  double value = 0, low = 0, high = 0;
  bool integer = false;
  std::string meaning;
};

struct ListedMember {
  ListedMember() = default;
  explicit ListedMember(const Member& member);

  std::string name, summary, source;
  std::vector<std::string> needs;                        // besides what the whole family needs
  std::map<std::string, std::string> about;              // what its family says of members, by name
  std::map<std::string, std::optional<double>> weights;  // of an architecture, by the shape of its images
  std::vector<ListedParameter> parameters;
};

struct ListedFamily {
  std::string family, summary;
  std::vector<ListedMember> members;
  std::string missing;  // why there are no members; empty where there are
};

using List = RecordOf<list_schema, ListOptions, ListedFamily, list_results>;

void fields(ListOptions& options, Fields& f);
void fields(ListedFamily& family, Fields& f);

[[nodiscard]] std::string headline_of(const List& record);

struct ListTask {
  std::function<const nn::Session&()> session;  // called where a family needs it
  ListOptions options = {};
  std::uint64_t seed = 0;
};

struct Family : Member {
  std::vector<ListedMember> (*members)(const ListTask& task) = nullptr;
};
[[nodiscard]] std::span<const Family> families();

[[nodiscard]] List list(const ListTask& task);

[[nodiscard]] View view(const List& record);

// A member's name with its summary, needs, and parameters with ranges and defaults.
[[nodiscard]] Blocks member_terms(const ListedMember& member);

}  // namespace leeway::tasks
