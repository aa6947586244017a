// Shifts between the labels and groups of a source and those of its targets (shift/describe.h).
//
// A source and a target with equal labels and groups (pairs), or a target without them, are described once,
// as one set. Models with the same samples share it. Groups beyond 2,000 cells, in order, are left out and
// named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/io/attribute_table.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/pairing.h"

namespace leeway::assess {

// `labels` index the class names; labels and groups: one a row, or none. Error: over 65,535 levels; check's.
[[nodiscard]] AttributeTable attribute_table(std::string name, std::span<const std::int64_t> labels,
                                             const std::vector<GroupColumn>& groups,
                                             const std::vector<std::string>& class_names);

// "shifts" of the record; none where no source has labels and groups. `pairings`: by source, then by target.
[[nodiscard]] std::vector<tasks::AssessShifts> shifts_of(const Task& task,
                                                         const std::vector<Pairing>& pairings,
                                                         const std::vector<std::string>& class_names);

}  // namespace leeway::assess
