// A description of shifts as it stands in a record (docs/schema/shift-describe.json), and its sections.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/report/html.h"
#include "leeway/report/json_view.h"

namespace leeway::report {

struct DescribedColumn {
  std::string name;
  std::vector<std::string> values;
  Measured v, target_v, distance, mass;
  std::optional<double> v_p, distance_p, mass_p;
  std::string drifting;  // the value whose share differs most
  std::optional<double> source_share, target_share;
};

struct DescribedCell {
  std::vector<std::string> values;  // of the label, then of the attributes
  std::size_t source = 0, target = 0, n = 0;
  Measured accuracy;
};

struct Description {
  std::size_t n_source = 0, tests = 0;
  std::optional<std::size_t> n_target, n_accuracy;
  std::vector<std::string> findings;
  std::vector<DescribedColumn> columns;
  std::vector<DescribedCell> cells, accuracies;
  Measured unseen_cells, accuracy;
  std::optional<double> accuracy_p;
};

// A result of leeway conds describe, or a member of an assessment's "shifts". Errors (Error): no columns, cells of
// another number of values, or with a value that its column does not have.
[[nodiscard]] Description read_description(const JsonView& view);

// The strongest shift as a sentence; the others, and the table of all measures, in HTML.
[[nodiscard]] std::string strongest_shift(const Description& said);
[[nodiscard]] std::string shift_measures(const Description& said);
// Maps of the label against every attribute, and accuracy by cell. Empty bodies where there are none.
[[nodiscard]] Section maps_section(const Description& said);
[[nodiscard]] Section cell_accuracy_section(const Description& said);

}  // namespace leeway::report
