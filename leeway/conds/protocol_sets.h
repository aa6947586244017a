// The data sets that the ConDS protocol names, as a table: columns, values in order, samples a cell.
//
// Source: "An analysis of model robustness across concurrent distribution shifts", Table 2 (labels,
// attributes, values) and Table 6 (sizes); validation counts of dSprites and Shapes3D are those of its
// reference. The paper says nothing of UNIFORM beyond SC's size, which the reference fills with as many
// whole samples a cell as fit, at least one, nor of the other sets' validation sets: here they are as large
// as the training sets, counterexamples aside, as Shapes3D's are. iWildCam, FMoW and Camelyon17 come with
// shifts of their own and have no counts.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/conds/conds.h"
#include "leeway/core/attribute_table.h"
#include "leeway/core/family.h"

namespace leeway::conds {

struct NamedColumn {
  std::string_view name;
  std::vector<std::string_view> values;  // in order
};

struct ConDSDataSet : Member {
  NamedColumn label;
  std::array<NamedColumn, 3> attributes;
  ConDSCounts counts;
};

[[nodiscard]] std::span<const ConDSDataSet> conds_data_sets();
// Error that lists the names there are.
[[nodiscard]] const ConDSDataSet& conds_data_set(std::string_view name);

// Columns and orders to read a table of that data set with.
[[nodiscard]] TableColumns columns_of(const ConDSDataSet& set);

}  // namespace leeway::conds
