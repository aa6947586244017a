#include "leeway/record/sweep_report.h"

#include "leeway/record/fields.h"
#include "leeway/record/json.h"

namespace leeway::record {
namespace {

constexpr Range any{};

const std::vector<Choice>& bases() {
  static const std::vector<Choice> choices{{"seeds", "Student's interval over seeds"},
                                           {"record", "one run: the interval of its record, over samples"},
                                           {"cases", "one seed: Student's interval over cases"},
                                           {"none", "no interval: one value, or values that are all alike"}};
  return choices;
}

}  // namespace

void fields(SweepReportOptions& options, Fields& f) {
  f.unless_empty("stage", options.stage, "stage of the folder to report (default: the last stage)");
  f.unless_empty("measure", options.measure, "column to report (default: accuracy)");
  f.unless_empty("validation", options.validation,
                 "column to choose hyperparameters by (default: a column named for validation)");
  f.choice("better", options.better, {{"higher", ""}, {"lower", ""}},
           "whether higher or lower values of the measure are better (default: lower for errors and losses)");
  f("criteria", options.criteria, "further columns to compare as selection criteria");
  f("algorithm", options.algorithm, "columns that together name an algorithm");
  f("case", options.cases, "columns that together name a case of shift");
  f("repeats", options.repeats, "columns of seeds, in which repeated runs differ");
  f("over", options.over, "columns of settings to average over: data sets, architectures");
  f.unless_empty("start", options.start, "column of the initial weights: from scratch or pre-trained");
  f.unless_empty("select", options.select, "column of the criterion that selected the checkpoint");
  f.unless_empty("concurrent", options.concurrent,
                 "column with the number of concurrent shifts (default: parts of the case's name)");
  f.unless_empty("baseline", options.baseline, "baseline algorithm (default: erm)");
  f.unless_empty("scratch", options.scratch, "value of start for weights from scratch");
  f.choice("tune", options.tune, {{"case", ""}, {"algorithm", ""}},
           "choose hyperparameters for each algorithm and case, or once for each algorithm");
  f("level", options.level, from_to(.5, .9999), "of intervals");
}

static void fields(SweepRoles& roles, Fields& f) {
  f("measure", roles.measure, "column that is reported");
  f.unless_empty("validation", roles.validation, "column that hyper-parameters were chosen by");
  f("higher_is_better", roles.higher_is_better, "of the measure");
  f("is_share", roles.is_share, "the measure is a share, shown in percent");
  f("chance", roles.chance, share,
    "accuracy of guessing, 1/k, where a column k says the number of classes; null: not known");
  f("criteria", roles.criteria, "further columns that were chosen by");
  f("algorithm", roles.algorithm, "columns that name the algorithm");
  f("case", roles.cases, "columns that name the case");
  f("repeats", roles.repeats, "columns of seeds");
  f("over", roles.over, "columns of settings");
  f("hyperparameters", roles.hyperparameters, "all other axes");
  f.unless_empty("start", roles.start, "column of the initial weights");
  f.unless_empty("select", roles.select, "column of the criterion that selected the checkpoint");
  f.unless_empty("concurrent", roles.concurrent, "column with the number of concurrent shifts");
  f("curves", roles.curves, "columns of an epoch's criteria and of its test accuracy");
  f.unless_empty("baseline", roles.baseline, "the algorithm that others are compared with");
  f.unless_empty("scratch", roles.scratch, "the value of start that stands for scratch");
  f.unless_empty("selected", roles.selected, "the value of select that all but ways are about");
}

// The keys NAME, NAME_low and NAME_high, and what they rest on.
static void mean_fields(Fields& f, std::string_view name, SweepMean& mean, std::string_view meaning) {
  const std::string of(name);
  measured(f, name, mean.mean, any, meaning);
  f.choice(of + "_basis", mean.basis, bases(), "what the interval is over");
  f(of + "_seeds", mean.seeds, "seeds that are in it");
  f(of + "_runs", mean.runs, "runs that are in it");
  f(of + "_left_out", mean.left_out,
    "cases and settings that are not, having no seed in common with the others");
  f.unless_empty(of + "_missing", mean.missing, "why there is none; null where there is one");
}

static void fields(SweepMissing& missing, Fields& f) {
  f("reason", missing.reason, "why they have no value");
  f("runs", missing.runs, at_least(1), "with this reason");
  f("example", missing.example, "one of them");
}

static void fields(SweepShift& shift, Fields& f) {
  f("name", shift.name, "of the case");
  f("concurrent", shift.concurrent, "number of concurrent shifts; null where it is not known");
}

static void fields(SweepCell& cell, Fields& f) {
  f("algorithm", cell.algorithm, "its name");
  f("case", cell.shift, "its name");
  f.unless_empty("setting", cell.setting, "null: the mean over all settings");
  f.unless_empty("start", cell.start, "of the weights; null where all start alike");
  mean_fields(f, "value", cell.value, "the measure, with the hyper-parameters that validation chose");
}

static void fields(SweepChange& change, Fields& f) {
  f("algorithm", change.algorithm, "its name");
  f.unless_empty("case", change.shift, "null: over all cases");
  f.unless_empty("start", change.start, "of the weights; null where all start alike");
  mean_fields(f, "change", change.change,
              "the measure minus the baseline's, paired by seed, case and setting");
}

static void fields(SweepCaseMean& mean, Fields& f) {
  f("case", mean.shift, "its name");
  f.unless_empty("start", mean.start, "of the weights; null where all start alike");
  f("algorithms", mean.algorithms, "that are in the mean");
  mean_fields(f, "value", mean.value, "the measure, over algorithms and settings");
}

static void fields(SweepConcurrency& concurrency, Fields& f) {
  f.unless_empty("algorithm", concurrency.algorithm, "null: over all algorithms");
  f.unless_empty("start", concurrency.start, "of the weights; null where all start alike");
  f("shifts", concurrency.shifts, "concurrent ones");
  f("cases", concurrency.cases, at_least(1), "of so many shifts");
  mean_fields(f, "value", concurrency.value, "the measure, over these cases and all settings");
}

static void fields(SweepStart& start, Fields& f) {
  f.unless_empty("algorithm", start.algorithm, "null: over all algorithms");
  f("start", start.start, "of the weights");
  mean_fields(f, "value", start.value, "the measure, over cases and settings that every start has");
  mean_fields(f, "change", start.change, "value minus that from scratch, paired by seed, case and setting");
}

static void fields(SweepRank& rank, Fields& f) {
  f("algorithm", rank.algorithm, "its name");
  f.unless_empty("start", rank.start, "of the weights; null where all start alike");
  measured(f, "rank", rank.rank, any,
           "mean rank among the algorithms, 1 the best, equal ones sharing theirs; the interval is "
           "Student's for the log odds, over cases and settings, of one case over its seeds; null "
           "where all are alike");
  f("best", rank.best, share, "comparisons in which it is the first, or one of several");
  f("cases", rank.cases, at_least(1), "cases and settings in which all algorithms were run");
  f("comparisons", rank.comparisons, at_least(1),
    "cases, settings and seeds in which all algorithms were run");
  mean_fields(f, "value", rank.value, "the measure in these comparisons");
}

static void fields(SweepChoice& choice, Fields& f) {
  f("algorithm", choice.algorithm, "its name");
  f.unless_empty("case", choice.shift, "null with tune algorithm");
  f.unless_empty("setting", choice.setting, "null where there is one, and with tune algorithm");
  f.unless_empty("start", choice.start, "of the weights; null where all start alike");
  f("chosen", choice.chosen, "hyper-parameters, by column");
  f("validation", choice.validation, "of the chosen ones: the mean over the seeds of the grid");
  f("margin", choice.margin, "by which the next candidate is worse; null of a single one");
  f("candidates", choice.candidates, at_least(1),
    "combinations with a validation value for each seed of the grid");
  f("left_out", choice.left_out, "combinations without one");
  f("seeds", choice.seeds, "of the grid: those for which the most combinations were run");
}

static void fields(SweepWay& way, Fields& f) {
  f.choice("chooses", way.chooses,
           {{"hyper-parameters", ""},
            {"checkpoint", "by the values of select"},
            {"epoch", "by the curves; the value is test accuracy"}},
           "what is chosen");
  f("way", way.way, "what it is chosen by: a column, a value of select, or oracle, the measure itself");
  f.unless_empty("algorithm", way.algorithm, "null: over all algorithms");
  f.unless_empty("start", way.start, "of the weights; null where all start alike");
  mean_fields(f, "value", way.value, "the measure of what was chosen, over the runs that every way has");
  mean_fields(f, "change", way.change, "value minus that of the first way, paired by seed, case and setting");
}

static void fields(SweepCurve::Point& point, Fields& f) {
  f("epoch", point.epoch, at_least(1), "or validation, from 1");
  mean_fields(f, "value", point.value, "mean over cases and settings");
}

static void fields(SweepCurve& curve, Fields& f) {
  f.unless_empty("algorithm", curve.algorithm, "null: over all algorithms");
  f.unless_empty("start", curve.start, "of the weights; null where all start alike");
  f("column", curve.column, "the criterion, or test accuracy");
  f("points", curve.points, "as far as all runs go, at most 50");
  f.lengths({.filled = {"points"}});
}

void fields(SweepReport& record, Fields& f) {
  common_fields(record, f);
  f("roles", record.roles, "what the columns were taken for");
  f("runs", record.runs, at_least(1), "with a value of the measure");
  f("algorithms", record.algorithms, "in the order of the runs");
  f("cases", record.cases, "likewise");
  f("settings", record.settings,
    "likewise, without the assignments of attributes to shifts; one may be called by nothing");
  f("starts", record.starts, "likewise, scratch first");
  f("seeds", record.seeds, "likewise");
  f("missing", record.missing, "runs without a value, by reason, the most frequent first");
  f("results", record.results, "one for each start, setting, algorithm and case");
  f("changes", record.changes, "against the baseline; [] of a single algorithm");
  f("case_means", record.case_means, "over algorithms");
  f("concurrency", record.concurrency,
    "against the number of concurrent shifts; [] where they are not known");
  f("scratch", record.scratch, "weights from scratch against others; [] where all start alike");
  f("ranks", record.ranks, "the best first; [] of a single algorithm");
  f("choices", record.choices,
    "of hyper-parameters by validation alone; [] where there is nothing to choose");
  f("ways", record.ways, "of choosing, side by side; [] where there is a single one");
  f("curves", record.curves, "criteria and test accuracy by epoch; [] where the table has none");
  f.lengths({.filled = {"algorithms", "starts"}});
}

}  // namespace leeway::record
