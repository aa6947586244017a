#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "leeway/core/statistics.h"
#include "leeway/describe/fields.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::tasks {

static void fields(MovedValue& value, Fields& f) {
  f("name", value.name, "name of the class, or value of the column");
  f.choice("kind", value.kind, {{"new", ""}, {"vanished", ""}, {"grown", ""}, {"shrunk", ""}},
           "new: not in the source; vanished: not in the target");
  f("source_n", value.source_n, "number of source samples");
  f("n", value.n, "number of target samples");
  measured(f, "change", value.change, from_to(-1, 1),
           "target share minus source share; the intervals of all values of the column hold simultaneously");
}

static void fields(DriftTest& test, Fields& f) {
  f("name", test.name, "tested quantity: predicted class, confidence, or the group");
  f.choice(
      "test", test.test,
      {{"chi-square", ""},
       {"permutation", ""},
       {"Kolmogorov-Smirnov", ""},
       {"MMD permutation", ""},
       {"MMD sign flip", ""},
       {"none", ""}},
      "homogeneity test of counts (permutation test for small counts); Kolmogorov-Smirnov test of confidence "
      "and numbers; MMD test of features (sign flips for pairs); none: all values in both sets are the same");
  f("statistic", test.statistic, at_least(0), "chi-square, Kolmogorov-Smirnov distance or MMD");
  f("p_alone", test.p_alone, a_share, "p-value of this test alone");
  f("p_value", test.p_value, a_share, "p-value adjusted by Holm's method over all tests of the result");
  measured(f, "distance", test.distance, a_share,
           "total variation distance between the shares; for confidence and numbers, Kolmogorov-Smirnov "
           "distance; for features, 2 AUROC - 1 of the witness on held-out rows");
  measured(f, "mean_change", test.mean_change, from_to(-1, 1), "change in mean confidence; null for counts");
  f("moved", test.moved, "number of values whose share changed significantly");
  f("values", test.values,
    "values whose share changed, largest change first, at most 50; numbers are binned by the source's "
    "quartiles");
}

static void fields(FeatureRow& row, Fields& f) {
  f("row", row.row, "row in the target's file, from 0");
  f("score", row.score, {},
    "witness minus its source mean, or its change for pairs, in standard deviations of the source");
}

static void fields(FeatureTest& test, Fields& f) {
  fields(static_cast<DriftTest&>(test), f);
  f("rows", test.rows, "rows of the target whose features moved most, at most 20");
}

void fields(AssessDrift& drift, Fields& f) {
  std::optional<DriftTest> worst;
  if (const DriftTest* group = drift.worst_group()) worst = *group;
  f("p_value", drift.p_value, a_share,
    "smallest p-value of all tests, adjusted by Holm's method: without drift it is at most alpha with "
    "probability at most alpha");
  f("tests", drift.tests, "number of tests in the adjustment");
  f("classes", drift.classes, "test of the mix of predicted classes");
  f("confidence", drift.confidence, "test of the confidence");
  f("features", drift.features, "test of the features (embeddings); null unless both sets have them");
  f("worst_group", worst, "first element of groups");
  f("groups", drift.groups, "tests of the group columns that both sets have, smallest p-value first");
  f("left_out", drift.left_out, "group columns, or features, that only one of the two sets has");
}

std::string p_words(double p) { return p < 1e-4 ? "< 0.0001" : significant(p, 2); }
std::string p_sentence(double p) { return (p < 1e-4 ? "p " : "p = ") + p_words(p); }

std::string moved_words(const DriftTest& test, std::size_t source_n, std::size_t n, std::size_t most) {
  const auto of_rows = [](std::size_t count, std::size_t of) {
    const double part = static_cast<double>(count) / static_cast<double>(of);
    return percent(part, count > 0 && part < .0095 ? 1 : 0);
  };
  std::vector<std::string> words;
  for (const MovedValue& value : std::span(test.values).first(std::min(most, test.values.size()))) {
    const std::string before = of_rows(value.source_n, source_n), now = of_rows(value.n, n);
    words.push_back(value.name + (value.kind == "new"        ? " new with " + now
                                  : value.kind == "vanished" ? " gone, " + before + " before"
                                                             : " " + before + " to " + now));
  }
  const std::size_t more = test.moved - words.size();
  return fmt::format("{}{}", fmt::join(words, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string moved_words(const FeatureTest& test) {
  std::vector<std::string> rows;
  for (const FeatureRow& row : std::span(test.rows).first(std::min<std::size_t>(3, test.rows.size())))
    rows.push_back(fmt::format("{}", row.row));
  return rows.empty() ? "" : fmt::format("rows {} most", fmt::join(rows, ", "));
}

const std::array<QualityMeasure, quality_metrics> quality_measures{{
    {"balanced_accuracy", "balanced accuracy", "mean recall of the classes with samples", a_share,
     &QualityMeasures::balanced_accuracy},
    {"macro_f1", "macro F1", "mean F1 of the classes that occur as label or prediction", a_share,
     &QualityMeasures::macro_f1},
    {"auroc", "AUROC",
     "area under the ROC curve of class 1 (two classes), or the mean over classes, each against the rest",
     a_share, &QualityMeasures::auroc},
    {"log_loss", "log loss", "mean -log of the label's probability, in nats", at_least(0),
     &QualityMeasures::log_loss},
    {"brier", "Brier score", "mean squared distance of the probabilities from the one-hot label",
     from_to(0, 2), &QualityMeasures::brier},
    {"ece", "ECE", "expected calibration error over 15 bins of equal width", a_share, &QualityMeasures::ece},
}};

static void fields(ClassQuality& one, Fields& f) {
  f("class", one.index, "index of the class");
  f("n", one.n, "number of samples with this label");
  f("predicted_n", one.predicted_n, "number of samples predicted as this class");
  measured(f, "precision", one.precision, a_share,
           "share of samples predicted as this class that have this label; null without such samples");
  measured(f, "recall", one.recall, a_share,
           "share of samples with this label that are predicted as this class; null without such samples");
  measured(f, "f1", one.f1, a_share, "harmonic mean of precision and recall");
  measured(f, "auroc", one.auroc, a_share, "AUROC of the class probability against all other classes");
}

static void fields(ReliabilityBin& bin, Fields& f) {
  f("low", bin.low, a_share, "lower end of the bin");
  f("high", bin.high, a_share, "exclusive upper end of the bin; the last bin includes 1");
  f("n", bin.n, "number of samples");
  f("confidence", bin.confidence, a_share, "mean confidence of these samples; null without samples");
  measured(f, "accuracy", bin.accuracy, a_share, "accuracy on these samples");
}

void fields(AssessQuality& quality, Fields& f) {
  f("n", quality.n, at_least(1), "number of samples with a label");
  for (const QualityMeasure& one : quality_measures)
    measured(f, one.key, quality.*one.value, one.range, one.meaning);
  f("classes", quality.classes, "measures of each class against the rest");
  f("reliability", quality.reliability, "bins used for ece");
  f("confusion", quality.confusion,
    "number of samples with label i predicted as class j; [] with more than 100 classes");
  f.lengths({.square = "confusion"});
}

void fields(QualityChange& change, Fields& f) {
  for (const QualityMeasure& one : quality_measures)
    measured(f, one.key, change.*one.value, from_to(-one.range.most, one.range.most), "target minus source");
}

static void fields(Subgroup& one, Fields& f) {
  f("columns", one.columns, "one or two group columns");
  f("values", one.values, "value of each column");
  f("search_n", one.search_n, "number of samples in the search half");
  f("n", one.n, "number of samples in the measurement half");
  measured(f, "accuracy", one.accuracy, a_share,
           "accuracy on the measurement half; the intervals of all listed subgroups hold simultaneously");
  measured(f, "difference", one.difference, from_to(-1, 1),
           "accuracy minus accuracy of the other samples in the measurement half");
  f("clear", one.clear, "whether the interval of the difference lies below 0");
  f.lengths({.alike = {"columns", "values"}});
}

void fields(AssessSubgroups& subgroups, Fields& f) {
  std::optional<Subgroup> weakest;
  if (const Subgroup* one = subgroups.weakest()) weakest = *one;
  f("columns", subgroups.columns, "number of group columns, searched alone and in pairs");
  f("searched", subgroups.searched, "number of subgroups searched: those with enough samples in both halves");
  f("least_rows", subgroups.least_rows, "minimum number of samples in each half");
  f("weakest", weakest, "first element of list");
  f("list", subgroups.list, "weakest subgroups, found on one half and measured on the other");
}

std::string subgroup_name(const Subgroup& group) {
  std::string name;
  for (std::size_t i = 0; i < group.columns.size(); ++i)
    name += fmt::format("{}{} = {}", i > 0 ? ", " : "", group.columns[i], group.values[i]);
  return name;
}

namespace {

// "cnn" of "cnn#3"; the name itself where no number follows.
std::string stem_of(const std::string& name) {
  const std::size_t at = name.rfind('#');
  if (at == name.npos || at == 0 || at + 1 == name.size()) return name;
  return name.find_first_not_of("0123456789", at + 1) == name.npos ? name.substr(0, at) : name;
}

// Nothing where a seed has no value.
Measured folded(const std::vector<const AssessResult*>& seeds, const Measured AssessResult::*value,
                Range range, double level) {
  std::vector<double> values;
  for (const AssessResult* seed : seeds)
    if ((seed->*value).value) values.push_back(*(seed->*value).value);
  if (values.size() < seeds.size()) return {};
  const Interval interval = student_interval(values, level);
  return {mean_and_error(values).mean, std::max(range.least, interval.low),
          std::min(range.most, interval.high)};
}

}  // namespace

static void fields(SeedsOfOne& seeds, Fields& f) {
  f("model", seeds.model, "model name without the seed number");
  f("target", seeds.target, "target name without the seed number");
  f("results", seeds.results, "indices of the averaged results, at least two");
  measured(f, "accuracy", seeds.accuracy, a_share, "mean accuracy over seeds");
  measured(f, "accuracy_change", seeds.accuracy_change, from_to(-1, 1), "mean accuracy_change over seeds");
  measured(f, "afr_pred", seeds.afr_pred, a_share, "mean afr_pred over seeds");
  measured(f, "pa", seeds.pa, at_least(0), "mean pa over seeds");
}

void fields(AssessSeeds& seeds, Fields& f) { f("sets", seeds.sets, "one element for each model and target"); }

std::optional<AssessSeeds> over_seeds(const std::vector<AssessResult>& results, double level) {
  std::vector<SeedsOfOne> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string model = stem_of(results[i].model), target = stem_of(results[i].target);
    if (model == results[i].model && target == results[i].target) continue;
    const auto found = std::ranges::find_if(
        all, [&](const SeedsOfOne& one) { return one.model == model && one.target == target; });
    (found == all.end() ? all.emplace_back(SeedsOfOne{model, target, {}, {}, {}, {}, {}}) : *found)
        .results.push_back(i);
  }
  std::erase_if(all, [](const SeedsOfOne& one) { return one.results.size() < 2; });
  for (SeedsOfOne& one : all) {
    std::vector<const AssessResult*> seeds;
    for (const std::size_t i : one.results) seeds.push_back(&results[i]);
    const Range of_pa{0, std::log(static_cast<double>(std::max<std::size_t>(2, seeds.front()->k)))};
    one.accuracy = folded(seeds, &AssessResult::accuracy, a_share, level);
    one.accuracy_change = folded(seeds, &AssessResult::accuracy_change, from_to(-1, 1), level);
    one.afr_pred = folded(seeds, &AssessResult::afr_pred, a_share, level);
    one.pa = folded(seeds, &AssessResult::pa, of_pa, level);
  }
  if (all.empty()) return std::nullopt;
  return AssessSeeds{std::move(all)};
}

}  // namespace leeway::tasks
