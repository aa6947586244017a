// Accuracy of error bounds and estimates over many shifts with known truth.
//
// For n shifts with true target accuracy a_i and predicted accuracy p_i:
//   MAE             mean |a_i - p_i|
//   coverage        share of shifts with p_i <= a_i (error not underestimated)
//   overestimation  mean of p_i - a_i over the others
//   violation rate  1 - coverage; compare with a bound's delta
// The same after an adjustment that turns an estimate into a heuristic bound, learned on the other data sets:
// shift = -min(Q(a - p), 0), scale = min(Q(a / p - 1e-8), 1), Q the quantile of level 1 - wanted coverage,
// method "lower" (the order statistic below position (n - 1)(1 - coverage)); the adjusted p - shift or p
// scale is clipped to [0,1] (Rosenfeld and Garg 2023, section 4 and appendix). p = 0 needs no scale.
// Errors (Error): lists of different lengths, a value outside [0,1], no shifts, one data set (adjustment).
// Losses of critics are compared by their discrepancies on the same shifts, each pair by Student's paired t-test;
// Holm's method adjusts the p-values over all pairs (Rosenfeld and Garg 2023, appendix B).
// Cost: n log n. Deterministic.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/statistics.h"

namespace leeway::error_bound {

struct Shift {
  std::string data_set;
  double truth = 0;      // accuracy on the target
  double predicted = 0;  // accuracy
};

struct Score {
  std::size_t n = 0;
  double mae = 0;
  double coverage = 0;
  Interval coverage_interval;            // Clopper-Pearson
  std::optional<double> overestimation;  // none where nothing is overestimated
};
[[nodiscard]] Score score(std::span<const Shift> shifts, double level = .95);

enum class Adjustment { shift, scale };
// The predictions as adjusted with all data sets but their own, in the order given.
[[nodiscard]] std::vector<Shift> adjust(std::span<const Shift> shifts, Adjustment adjustment,
                                        double coverage);

struct LossShifts {
  std::string loss;
  std::vector<double> discrepancies;  // of the critics on each shift
};
struct LossTest {
  std::string loss, other;
  double discrepancy = 0, other_discrepancy = 0;  // means
  double difference = 0;                          // the first less the second
  std::optional<Interval> interval = {};          // Student's; none for one shift
  std::size_t n = 0, larger = 0;  // shifts, and those where `loss` finds the larger discrepancy
  std::optional<double> p = {}, p_adjusted = {};  // none for one shift, or if all differences are the same
};
// All pairs.
[[nodiscard]] std::vector<LossTest> compare_losses(std::span<const LossShifts> losses, double level = .95);

// A table of shifts with known truth and each method's prediction.
//
// CSV, one shift per row: `data_set` (or `dataset`; if missing, all rows are one data set), the truth, and
// one column per method. The truth is the target's accuracy (`truth`, `accuracy`, `target_accuracy`,
// `target_acc`, `trg_accuracy`, `trg_acc`, `true_accuracy`) or error (`error`, `target_error`, `true_error`);
// method columns hold the same quantity. Methods are the columns in `methods`, by default all other numeric
// columns except known non-methods (`shift`, `seed`, `train_method`, `source_accuracy` and the like).
// Columns about a method are no methods: `validity:METHOD` (0 to 1), `proved:METHOD` (1 where Corollary E.2 proves
// the assumption, else 0) and `discrepancy:LOSS` (-1 to 1).
// Errors (Error: file, column, row): those of csv.h, no or two truth columns, no method, an unknown method, a
// value that is not a number in [0,1], no rows. Cost: one pass.

struct MethodShifts {
  std::string method;                              // the column's name
  std::vector<Shift> shifts;                       // accuracies, whatever the table holds
  std::vector<double> validity = {}, proved = {};  // of each shift; empty without a column
};

struct ShiftTable {
  std::size_t n = 0, data_sets = 0;
  std::vector<MethodShifts> methods;  // in the order of columns, or as asked for
  std::vector<LossShifts> losses = {};
};

[[nodiscard]] ShiftTable read_shift_table(const std::filesystem::path& path,
                                          std::span<const std::string> methods = {});

// The same for a file's text; `name` is for error messages.
[[nodiscard]] ShiftTable parse_shift_table(std::string_view text, const std::string& name,
                                           std::span<const std::string> methods = {});

}  // namespace leeway::error_bound
