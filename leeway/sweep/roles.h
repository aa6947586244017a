// The role of each column of a table of runs, given by options or guessed from names.
//
// The last part of an axis's name decides, such as seed of train.seed; docs/sweeps.md lists the names. Any
// axis is a case if all its values are names of leeway conds draw (uniform, sc-0, SC+LDD,
// splits/sc_ldd-3.csv) or its stage is called shift, corrupt or conds. Axes sc, ldd and uds of leeway conds
// draw form one case with all other axes of their stage; the kind is which of the three have a value.
// Without an algorithm, the architecture is the algorithm; without a case, the columns target, or
// corruption and severity, are the case, where they differ by row. Other axes with several values are
// hyper-parameters. The measure is accuracy, else test.
//
// A foreign table, without unit_seconds, has no axes: any column may have a role by its name, and lr,
// weight_decay, batch and momentum are hyper-parameters.
//
// Errors (Error): an unknown column, a column in two roles, no measure to guess.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/sweep/run_table.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::sweep {

inline constexpr std::string_view test_curve = "epochs.test_accuracy";  // of leeway train --test-rows
// What may choose an epoch, and test accuracy, by epoch (collect.h).
inline constexpr std::array<std::string_view, 5> curve_columns{
    "epochs.validation_accuracy", "epochs.validation_robust_accuracy",
    "epochs.validation_worst_group_accuracy", "epochs.selection_score", test_curve};

// Without the values baseline, scratch and selected.
[[nodiscard]] tasks::SweepRoles roles_of(const RunTable& table, const tasks::SweepReportOptions& options);

// A case of concurrent distribution shifts by its name: "splits/sc_ldd-3.csv" is SC+LDD, number 3, two shifts; "uniform"
// none. Nothing where the name is of another form.
struct CaseName {
  std::string kind, assignment;
  std::size_t concurrent = 0;
};
[[nodiscard]] std::optional<CaseName> case_name(std::string_view text);
// The same from values by column, some called sc, ldd or uds; all values form the assignment.
[[nodiscard]] std::optional<CaseName> case_name(const std::map<std::string, std::string>& values);

// Error and loss are better the lower they are.
[[nodiscard]] bool lower_is_better(std::string_view column);

}  // namespace leeway::sweep
