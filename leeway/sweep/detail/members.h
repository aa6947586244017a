// Checks the names and parameters of all units before any unit runs.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leeway/sweep/study.h"

namespace leeway::sweep {

class MemberCheck {
 public:
  MemberCheck(const Study& study, const Catalog& catalog);

  // A setting of the stage and the word that a unit gives it.
  using Given = std::pair<const Setting*, std::string>;
  // Error (the setting's place): an unknown name, a parameter that a named member lacks, an illegal value.
  void check(std::size_t stage, const std::vector<Given>& given);
  // Whether the setting's values are names of members, and hence of no files.
  [[nodiscard]] bool names(std::size_t stage, const Setting& setting) const;

 private:
  struct OfFamily {
    CatalogFamily family;
    std::set<std::string> seen;
  };
  std::vector<std::vector<OfFamily>> families_;  // by stage
};

}  // namespace leeway::sweep
