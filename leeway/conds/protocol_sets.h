// The data sets of the ConDS protocol: columns, values in order, samples per cell.
//
// Source: "An analysis of model robustness across concurrent distribution shifts", Tables 2 and 6; validation
// counts of dSprites and Shapes3D from its reference code. The paper leaves open the counts of UNIFORM (as in
// the reference: SC's size in whole samples per cell, at least one) and of the other validation sets (here,
// as for Shapes3D, the training set's size without counterexamples). iWildCam, FMoW and Camelyon17 have
// natural shifts and no counts.
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
