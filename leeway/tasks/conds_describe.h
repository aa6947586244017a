// What leeway conds describe computes: which shifts two tables of attributes have (conds/describe.h), and in which cells a
// model is weak.
//
// The tables are a source and a target, or a source alone; or one table whose rows a split divides (train is the source,
// test the target; the validation set is not looked at); or, where there is no table, the groups of a model's outputs with
// their labels, where there are any; a split divides these likewise. Outputs beside a table are of the target's rows, or the source's where there is no target, or of all rows of a
// table that a split divides: a label of the table, where it has one, must be one class of theirs.
//
// Errors (Error): outputs without groups, or without labels beside a table; of another number of rows or of other samples;
// a split without rows of train or test; those of conds::describe. Cost and determinism: conds/describe.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "leeway/core/attribute_table.h"
#include "leeway/core/outputs.h"
#include "leeway/data/split.h"
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

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::CondsDescribe conds_describe(const CondsDescribeTask& task);

}  // namespace leeway::tasks
