// leeway conds describe: which shifts two tables of attributes have (conds/describe.h), and in which cells a
// model is weak. Keys: leeway schema conds-describe.
//
// Input: a source table and optionally a target; one table with a split (train is the source, test the
// target, validation unused); or, without a table, the groups and labels of a model's outputs, optionally
// with a split. Outputs beside tables are of the target's rows (else the source's), or of all rows of a split
// table; each label of the table must be one class of the outputs.
// Errors (Error): outputs without groups, or without labels beside a table; other numbers of rows or other
// samples; a split without train or test rows; those of conds::describe. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/data/training_data.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/attribute_table.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/described_shifts.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view conds_describe_schema = "leeway.conds-describe/2";

struct CondsDescribeOptions {
  std::optional<std::string> label;  // columns of tables; unset: they have no label
  std::vector<std::string> columns;
  std::size_t permutations = 4999, bootstrap = 4999;
  double level = .95;
  OutputsReading reading;
};

using CondsDescribe = RecordOf<conds_describe_schema, CondsDescribeOptions, DescribedShifts>;

void fields(CondsDescribeOptions& options, Fields& f);

// Errors (Error): those of check (conds.h).
void check(const CondsDescribe& record, const std::string& name);

// The strongest shift as a sentence, or that there is none; the other shifts.
[[nodiscard]] std::string headline_of(const DescribedShifts& shifts);
[[nodiscard]] std::string headline_of(const CondsDescribe& record);
[[nodiscard]] std::vector<std::string> findings_of(const CondsDescribe& record);

struct CondsDescribeInputs {
  std::optional<AttributeTable> source, target;
  std::optional<data::RowSplit> split;  // of the rows of `source` or `outputs`; then there is no target
  std::string split_name = "split";
  std::optional<Outputs> outputs;
};

struct CondsDescribeTask {
  CondsDescribeInputs inputs;
  CondsDescribeOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] CondsDescribe conds_describe(const CondsDescribeTask& task);

[[nodiscard]] TableColumns described_columns(const CondsDescribeOptions& options);

[[nodiscard]] View view(const CondsDescribe& record);

}  // namespace leeway::tasks
