// Which shifts there are between the labels and groups of a source and those of its targets (shift/describe.h).
//
// A source and a target that have the same labels and groups, row by row, as pairs do, are one set: it is described alone,
// once. So is a source whose targets bring no labels or groups. Models that saw the same samples share a description.
// Groups that would make more than 2,000 cells, taken in order, are left out and named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/attribute_table.h"
#include "leeway/tasks/assess/detail/pairing.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

// `labels` below the number of class names, one a row, as are the groups, or none. Error: more than 65,535 levels, and what
// check refuses.
[[nodiscard]] AttributeTable attribute_table(std::string name, std::span<const std::int64_t> labels,
                                             const std::vector<GroupColumn>& groups,
                                             const std::vector<std::string>& class_names);

// "shifts" of the record; none where no source has labels and groups. `pairings`: of the results in their order, source by
// source each of its targets.
[[nodiscard]] std::vector<record::AssessShifts> shifts_of(const Task& task,
                                                          const std::vector<Pairing>& pairings,
                                                          const std::vector<std::string>& class_names);

}  // namespace leeway::assess
