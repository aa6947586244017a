// The record of leeway conds describe: which shifts two tables of attributes have, and where a model is weak.
// docs/schema/conds-describe.md lists the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/record/conds.h"
#include "leeway/record/envelope.h"
#include "leeway/record/reading.h"

namespace leeway::record {

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

}  // namespace leeway::record
