// The role of each column of a table of runs, given by options, else by the plan of the study (plan.h).
//
// Without a case, the columns target, or corruption and severity, of records with several results are the case, where
// they differ by row. Other axes with several values are hyperparameters. The measure is accuracy. A table that was
// read from a file has no plan.
//
// Errors (Error): an unknown column, a column in two roles, no column accuracy where no measure is given.
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
// The same of a single column, or from values by column, some called sc, ldd or uds; all values form the assignment.
[[nodiscard]] std::optional<CaseName> case_name(const std::map<std::string, std::string>& values);

// Error and loss are better the lower they are.
[[nodiscard]] bool lower_is_better(std::string_view column);

}  // namespace leeway::sweep
