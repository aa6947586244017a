// Compares algorithms under shifts, from the runs of a sweep.
//
// A run is a row of the table (run_table.h): a value of the measure for an algorithm under a case of shift,
// in a setting (data set, assignment of attributes), with a start, seed and hyper-parameters (roles.h). The
// validation column alone chooses the hyper-parameters (detail/tuning.h); all means are of the chosen runs.
//
//   means    of cases and settings by seed, then over seeds, with Student's interval (detail/fold.h).
//            Comparisons average differences paired by seed, case and setting. From "An analysis of model
//            robustness across concurrent distribution shifts": Figure 3 (changes), Figure 4 (case_means,
//            concurrency), Table 3 (scratch).
//   ranks    of algorithms in each case, setting and seed that all have; ties share their mean rank.
//            Intervals: Student's for the log odds of the rank within its range, over cases and settings,
//            whose means hold the scatter of seeds; of one case, over its seeds and for that case alone. An
//            algorithm that has none in common with the others is left out.
//   ways     the measure under each way of choosing, over the runs that every way has: hyper-parameters by
//            validation, further criteria, or the measure (oracle); checkpoints by the values of `select`, or
//            the best of these (oracle). Of epochs: test accuracy at the one chosen by each criterion of all
//            trainings, or by test accuracy (oracle).
//   curves   criteria and test accuracy by epoch (detail/tuning.h).
//
// Errors (Error): those of roles.h; no value of the measure; hyper-parameters with several values and no
// validation column. Cost: a pass over the table.
#pragma once

#include <cstdint>

#include "leeway/sweep/run_table.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::sweep {

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] tasks::SweepReport report_of(const RunTable& table, const tasks::SweepReportOptions& options,
                                           std::uint64_t seed);

}  // namespace leeway::sweep
