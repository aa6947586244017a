#include "leeway/tasks/sweep/report.h"

namespace leeway::tasks {
void fields(SweepReportOptions& options, Fields& f) {
  f.unless_empty("stage", options.stage, "stage of the folder to report (default: the last stage)");
  f.unless_empty("measure", options.measure, "column to report (default: accuracy)");
  f.unless_empty("validation", options.validation,
                 "column that selects hyperparameters (default: a column named for validation)");
  f.choice("better", options.better, {{"higher", ""}, {"lower", ""}},
           "whether higher or lower values of the measure are better (default: lower for errors and losses)");
  f("criteria", options.criteria, "further columns to compare as selection criteria");
  f("algorithm", options.algorithm, "columns that together name an algorithm");
  f("case", options.cases, "columns that together name a shift case");
  f("repeats", options.repeats, "seed columns, in which repeated runs differ");
  f("over", options.over, "columns of settings to average over: data sets, architectures");
  f.unless_empty("start", options.start, "column of the initial weights: from scratch or pre-trained");
  f.unless_empty("select", options.select, "column of the criterion that selected the checkpoint");
  f.unless_empty(
      "concurrent", options.concurrent,
      "column with the number of concurrent shifts (default: the number of parts in the case's name)");
  f.unless_empty("baseline", options.baseline, "baseline algorithm (default: erm)");
  f.unless_empty("scratch", options.scratch, "value in the start column for weights from scratch");
  f.choice("tune", options.tune, {{"case", ""}, {"algorithm", ""}},
           "choose hyperparameters for each algorithm and case, or once for each algorithm");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
}

static void fields(SweepRoles& roles, Fields& f) {
  f("measure", roles.measure, "reported column");
  f.unless_empty("validation", roles.validation, "column used to select hyperparameters");
  f("higher_is_better", roles.higher_is_better, "whether higher values of the measure are better");
  f("is_share", roles.is_share, "whether the measure is a share, shown in percent");
  f("chance", roles.chance, a_share,
    "chance accuracy 1/k, if a column k gives the number of classes; null: unknown");
  f("criteria", roles.criteria, "further columns used as selection criteria");
  f("algorithm", roles.algorithm, "columns that name the algorithm");
  f("case", roles.cases, "columns that name the case");
  f("repeats", roles.repeats, "columns of seeds");
  f("over", roles.over, "columns of settings");
  f("hyperparameters", roles.hyperparameters, "all other axes");
  f.unless_empty("start", roles.start, "column of the initial weights");
  f.unless_empty("select", roles.select, "column of the criterion that selected the checkpoint");
  f.unless_empty("concurrent", roles.concurrent, "column with the number of concurrent shifts");
  f("curves", roles.curves, "columns with the criteria and the test accuracy of every epoch");
  f.unless_empty("baseline", roles.baseline, "baseline algorithm of the comparisons");
  f.unless_empty("scratch", roles.scratch, "value in the start column for weights from scratch");
  f.unless_empty("selected", roles.selected, "value in the select column for all results except `ways`");
}

// The keys NAME, NAME_low and NAME_high, and what they rest on.
static void mean_fields(Fields& f, std::string_view name, SweepMean& mean, std::string_view meaning) {
  const std::string of(name);
  measured(f, name, mean.mean, Range{}, meaning);
  f.choice(of + "_basis", mean.basis,
           {{"seeds", "Student's t interval over seeds"},
            {"record", "single run: interval of its record, over samples"},
            {"cases", "single seed: Student's t interval over cases"},
            {"none", "no interval: a single value, or all values equal"}},
           "basis of the interval");
  f(of + "_seeds", mean.seeds, "number of seeds in the mean");
  f(of + "_runs", mean.runs, "number of runs in the mean");
  f(of + "_left_out", mean.left_out,
    "number of cases and settings omitted because they share no seed with the others");
  f.unless_empty(of + "_missing", mean.missing, "why the value is missing; null if there is a value");
}

static void fields(SweepMissing& missing, Fields& f) {
  f("reason", missing.reason, "reason for the missing value");
  f("runs", missing.runs, at_least(1), "number of runs with this reason");
  f("example", missing.example, "one of these runs");
}

static void fields(SweepShift& shift, Fields& f) {
  f("name", shift.name, "name of the case");
  f("concurrent", shift.concurrent, "number of concurrent shifts; null if unknown");
}

static void fields(SweepCell& cell, Fields& f) {
  f("algorithm", cell.algorithm, "name of the algorithm");
  f("case", cell.shift, "name of the case");
  f.unless_empty("setting", cell.setting, "setting; null: mean over all settings");
  f.unless_empty("start", cell.start, "initial weights; null if the same for all runs");
  mean_fields(f, "value", cell.value, "measure with the hyperparameters selected by validation");
}

static void fields(SweepChange& change, Fields& f) {
  f("algorithm", change.algorithm, "name of the algorithm");
  f.unless_empty("case", change.shift, "case; null: over all cases");
  f.unless_empty("start", change.start, "initial weights; null if the same for all runs");
  mean_fields(f, "change", change.change,
              "measure minus the baseline's measure, paired by seed, case and setting");
}

static void fields(SweepCaseMean& mean, Fields& f) {
  f("case", mean.shift, "name of the case");
  f.unless_empty("start", mean.start, "initial weights; null if the same for all runs");
  f("algorithms", mean.algorithms, "number of algorithms in the mean");
  mean_fields(f, "value", mean.value, "measure, averaged over algorithms and settings");
}

static void fields(SweepConcurrency& concurrency, Fields& f) {
  f.unless_empty("algorithm", concurrency.algorithm, "algorithm; null: over all algorithms");
  f.unless_empty("start", concurrency.start, "initial weights; null if the same for all runs");
  f("shifts", concurrency.shifts, "number of concurrent shifts");
  f("cases", concurrency.cases, at_least(1), "number of cases with this number of shifts");
  mean_fields(f, "value", concurrency.value, "measure, averaged over these cases and all settings");
}

static void fields(SweepStart& start, Fields& f) {
  f.unless_empty("algorithm", start.algorithm, "algorithm; null: over all algorithms");
  f("start", start.start, "initial weights");
  mean_fields(f, "value", start.value, "measure, averaged over the cases and settings common to all starts");
  mean_fields(f, "change", start.change, "value minus value from scratch, paired by seed, case and setting");
}

static void fields(SweepRank& rank, Fields& f) {
  f("algorithm", rank.algorithm, "name of the algorithm");
  f.unless_empty("start", rank.start, "initial weights; null if the same for all runs");
  measured(f, "rank", rank.rank, Range{},
           "mean rank among the algorithms (1: best; ties share ranks); Student's t interval on the log odds "
           "over cases and settings (single case: over seeds); null if all ranks are equal");
  f("best", rank.best, a_share, "share of comparisons in which the algorithm is first, possibly tied");
  f("cases", rank.cases, at_least(1), "number of cases and settings with runs of all algorithms");
  f("comparisons", rank.comparisons, at_least(1),
    "number of cases, settings and seeds with runs of all algorithms");
  mean_fields(f, "value", rank.value, "measure, averaged over these comparisons");
}

static void fields(SweepChoice& choice, Fields& f) {
  f("algorithm", choice.algorithm, "name of the algorithm");
  f.unless_empty("case", choice.shift, "case; null if tune is algorithm");
  f.unless_empty("setting", choice.setting, "setting; null for a single setting, or if tune is algorithm");
  f.unless_empty("start", choice.start, "initial weights; null if the same for all runs");
  f("chosen", choice.chosen, "selected hyperparameters, by column");
  f("validation", choice.validation, "mean validation value of the choice over the seeds of the grid");
  f("margin", choice.margin, "difference from the next candidate; null for a single candidate");
  f("candidates", choice.candidates, at_least(1),
    "number of combinations with a validation value for each seed of the grid");
  f("left_out", choice.left_out, "number of combinations that lack such values");
  f("seeds", choice.seeds, "seeds of the grid: the seeds with the most combinations");
}

static void fields(SweepWay& way, Fields& f) {
  f.choice("chooses", way.chooses,
           {{"hyper-parameters", ""},
            {"checkpoint", "by the values of select"},
            {"epoch", "by the curves; the value is test accuracy"}},
           "kind of selection");
  f("way", way.way, "selection criterion: a column, a value of select, or oracle (the measure itself)");
  f.unless_empty("algorithm", way.algorithm, "algorithm; null: over all algorithms");
  f.unless_empty("start", way.start, "initial weights; null if the same for all runs");
  mean_fields(f, "value", way.value,
              "measure of the selection, averaged over runs that have every criterion");
  mean_fields(f, "change", way.change,
              "value minus the first criterion's value, paired by seed, case and setting");
}

static void fields(SweepCurve::Point& point, Fields& f) {
  f("epoch", point.epoch, at_least(1), "number of the epoch or validation, from 1");
  mean_fields(f, "value", point.value, "mean over cases and settings");
}

static void fields(SweepCurve& curve, Fields& f) {
  f.unless_empty("algorithm", curve.algorithm, "algorithm; null: over all algorithms");
  f.unless_empty("start", curve.start, "initial weights; null if the same for all runs");
  f("column", curve.column, "selection criterion, or test accuracy");
  f("points", curve.points, "points up to the length of the shortest run, at most 50");
  f.lengths({.filled = {"points"}});
}

void fields(SweepReport& record, Fields& f) {
  common_fields(record, f);
  f("roles", record.roles, "roles of the columns");
  f("runs", record.runs, at_least(1), "number of runs that have a value for the measure");
  f("algorithms", record.algorithms, "names of algorithms, in the order of the runs");
  f("cases", record.cases, "names of cases, in the order of the runs");
  f("settings", record.settings,
    "names of settings, without the assignment of attributes to shifts; a name may be empty");
  f("starts", record.starts, "kinds of initial weights, from scratch first");
  f("seeds", record.seeds, "seeds, in the order of the runs");
  f("missing", record.missing, "runs without a value, by reason, most frequent first");
  f("results", record.results, "one result for each start, setting, algorithm and case");
  f("changes", record.changes, "changes from the baseline; [] for a single algorithm");
  f("case_means", record.case_means, "means over algorithms by case");
  f("concurrency", record.concurrency, "measure by the number of concurrent shifts; [] if unknown");
  f("scratch", record.scratch,
    "comparison of weights from scratch with other initial weights; [] if all are the same");
  f("ranks", record.ranks, "ranks of the algorithms, best first; [] for a single algorithm");
  f("choices", record.choices, "hyperparameters selected by validation; [] without alternatives");
  f("ways", record.ways, "comparison of selection criteria; [] for a single criterion");
  f("curves", record.curves, "criteria and test accuracy by epoch; [] if the table has none");
  f.lengths({.filled = {"algorithms", "starts"}});
}

}  // namespace leeway::tasks
