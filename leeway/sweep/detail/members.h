// What units name, and the parameters they give, beside what there is: mistakes that would else show one by one when the
// units run.
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
  // Error (the setting's place): a name that is none, a parameter that one of those named does not have, a value outside its
  // legal ones. Each combination is looked at once.
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
