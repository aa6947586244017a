// Runs for leeway/sweep/report.h: labels as numbers, a Run for each row.
// Errors (Error): two rows with equal roles, a measure that is no number, an unknown baseline or start.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/describe/fields.h"
#include "leeway/sweep/run_table.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::sweep::detail {

struct Run {
  std::size_t algorithm = 0, shift = 0, setting = 0, start = 0, select = 0, seed = 0, hyper = 0;
  std::optional<double> y, low, high;  // the measure and the interval of its record
  std::optional<double> validation;
  std::vector<std::optional<double>> criteria;
  std::vector<std::vector<double>> curves;  // of roles.curves, by epoch; NaN: not measured
  std::string missing;                      // why y is not there
};

struct Runs {
  tasks::SweepRoles roles;
  std::vector<std::string> algorithms, settings, starts, selects, seeds;
  // Settings without the assignments of attributes to shifts, over which means are always taken, and those of each setting.
  std::vector<std::string> places;
  std::vector<std::size_t> place_of;
  std::vector<tasks::SweepShift> shifts;
  std::vector<std::map<std::string, std::string>> hypers;  // by column
  std::vector<Run> all;
  std::size_t baseline = 0, selected = 0;  // of algorithms, of selects; starts begin with scratch

  // Legal values of the measure, and of its changes.
  [[nodiscard]] Range value_range() const { return roles.is_share ? a_share : Range{}; }
  [[nodiscard]] Range change_range() const { return roles.is_share ? from_to(-1, 1) : Range{}; }
};

[[nodiscard]] Runs runs_of(const RunTable& table, const tasks::SweepReportOptions& options);

// "erm, SC+LDD, seed 3, lr 0.001": without what all runs have in common.
[[nodiscard]] std::string words_of(const Runs& runs, const Run& run);

}  // namespace leeway::sweep::detail
