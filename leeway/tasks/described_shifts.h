// Records of label and attribute shifts (conds/describe.h): a description, or "shifts" of an assessment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/conds/describe.h"
#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"

namespace leeway::tasks {

struct DescribedCell {
  std::vector<std::string> values;  // of every column
  std::size_t n_source = 0;
  std::optional<std::size_t> n_target;  // none without a target
};

struct CellAccuracy {
  std::vector<std::string> values;
  std::size_t n = 0;
  Measured accuracy;
};

struct AccuracyByCell {
  std::size_t n = 0;
  Measured accuracy;  // of all rows
  double p = 1;       // that accuracy does not depend on the cell
  std::vector<CellAccuracy> cells;
};

struct DescribedShifts {
  conds::Description description;
  std::vector<DescribedCell> cells;  // that have rows
  std::optional<AccuracyByCell> accuracy;
};

// Cells of both tables by value names. `accuracy`: of the target's rows, else the source's; may be null.
[[nodiscard]] DescribedShifts described(const AttributeTable& source, const AttributeTable* target,
                                        const conds::Description& description,
                                        const conds::AccuracyOfCells* accuracy, double level);

void fields(DescribedShifts& shifts, Fields& f);

// Error where shifts that were read do not fit together: no columns, a cell of another number of values or with a value
// that its column does not have, findings and values of no column.
void check(const DescribedShifts& shifts, const std::string& name);

}  // namespace leeway::tasks
