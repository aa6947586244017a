// What the runs of a sweep say of algorithms under shifts.
//
// A run is a row of the table (run_table.h): a value of the measure for an algorithm under a case of shift, in a setting (a
// data set, an assignment of attributes), from a start, with a seed and hyper-parameters (roles.h). Hyper-parameters are
// chosen by the validation column alone (detail/tuning.h); all means are of the chosen runs.
//
//   means    of cases and settings by seed, then over seeds, with Student's interval (detail/fold.h); what is compared is
//            paired by seed, case and setting: the differences are averaged. Following "An analysis of model robustness
//            across concurrent distribution shifts", these are its Figure 3 (changes), Figure 4 (case_means, concurrency)
//            and Table 3 (scratch).
//   ranks    among the algorithms in each case, setting and seed that all of them have; equal values share the mean of
//            their ranks. Intervals: percentile bootstrap over cases and settings, whose seeds stay together; of one case
//            over its seeds. An algorithm that leaves none in common with the others is left out.
//   ways     the measure of what each way of choosing would have got, over the runs that every way has: hyper-parameters by
//            validation, by further criteria, and by the measure itself (oracle); checkpoints by the values of `select`, and
//            by the best of these (oracle); epochs by each criterion that all trainings noted, and by test accuracy (oracle):
//            the test accuracy there.
//   curves   criteria and test accuracy by epoch (detail/curves.h).
//
// Errors (Error): those of roles.h; no value of the measure at all; hyper-parameters with several values and no validation
// column. Deterministic: replicates are drawn by the seed. Cost: one pass of the table for the columns that have a role, and
// replicates times cases for each algorithm.
#pragma once

#include <cstdint>

#include "leeway/record/sweep_report.h"
#include "leeway/sweep/run_table.h"

namespace leeway::sweep {

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::SweepReport report_of(const RunTable& table, const record::SweepReportOptions& options,
                                            std::uint64_t seed);

}  // namespace leeway::sweep
