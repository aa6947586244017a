// Which shifts two tables of attributes have (conds/describe.h), and in which cells a model is weak.
//
// Input: a source table and optionally a target; one table with a split (train is the source, test the
// target, validation unused); or, without a table, the groups and labels of a model's outputs, optionally
// with a split. Outputs beside tables are of the target's rows (else the source's), or of all rows of a split
// table; each label of the table must be one class of the outputs.
// Errors (Error): outputs without groups, or without labels beside a table; other numbers of rows or other
// samples; a split without train or test rows; those of conds::describe. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "leeway/core/attribute_table.h"
#include "leeway/core/outputs.h"
#include "leeway/data/training_data.h"
#include "leeway/record/conds_describe.h"

namespace leeway::tasks {

struct CondsDescribeInputs {
  std::optional<AttributeTable> source, target;
  std::optional<data::RowSplit> split;  // of the rows of `source` or `outputs`; then there is no target
  std::string split_name = "split";
  std::optional<Outputs> outputs;
};

struct CondsDescribeTask {
  std::function<CondsDescribeInputs()> open;
  record::CondsDescribeOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::CondsDescribe conds_describe(const CondsDescribeTask& task);

// How to read the tables.
[[nodiscard]] TableColumns described_columns(const record::CondsDescribeOptions& options);

}  // namespace leeway::tasks
