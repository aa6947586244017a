// Which column of a table of runs is what: given by options, or guessed from names.
//
// An axis is guessed by the last part of its name, such as seed of train.seed: seed (repeats), select, start or weights, case,
// shift, kind, corruption or target, algorithm, method or augment, data, set, arch or model (over). An axis whose values are
// all names of leeway conds draw (uniform, sc-0, SC+LDD, splits/sc_ldd-3.csv) is a case, whatever its name; so is every axis
// of a stage called shift, case or conds. Axes called sc, ldd and uds, of leeway conds draw, make one case with all other axes
// of their stage: its kind is which of them have a value. Without an algorithm the architecture takes its place; without a case
// the columns target, or corruption and severity, where they differ by row. All other axes are hyper-parameters. Only axes
// with several values count. The measure is accuracy where there is such a column, else test.
//
// A table of other making, without unit_seconds, has no axes: there every column may have a role by its name, and of the others
// lr, weight_decay, batch and momentum are hyper-parameters.
//
// By epoch are validation accuracy, that under attack, that of the worst group, the selection score and test accuracy where the
// table has them (leeway sweep collect --series).
//
// Errors (Error): a column that is none, one in two roles, no measure to guess.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/record/sweep_report.h"
#include "leeway/sweep/run_table.h"

namespace leeway::sweep {

inline constexpr std::string_view test_curve = "epochs.test_accuracy";  // of leeway train --test-rows
// What may choose an epoch, and test accuracy, by epoch (collect.h).
inline constexpr std::array<std::string_view, 5> curve_columns{
    "epochs.validation_accuracy", "epochs.validation_robust_accuracy",
    "epochs.validation_worst_group_accuracy", "epochs.selection_score", test_curve};

// Without the values baseline, scratch and selected.
[[nodiscard]] record::SweepRoles roles_of(const RunTable& table, const record::SweepReportOptions& options);

// A case of concurrent distribution shifts by its name: "splits/sc_ldd-3.csv" is SC+LDD, number 3, two shifts; "uniform"
// none. Nothing where the name is of another form.
struct CaseName {
  std::string kind, assignment;
  std::size_t concurrent = 0;
};
[[nodiscard]] std::optional<CaseName> case_name(std::string_view text);
// The same of values by column, of which some are called sc, ldd or uds; the values of all make the assignment.
[[nodiscard]] std::optional<CaseName> case_name(const std::map<std::string, std::string>& values);

// Error and loss are better the lower they are.
[[nodiscard]] bool lower_is_better(std::string_view column);

}  // namespace leeway::sweep
