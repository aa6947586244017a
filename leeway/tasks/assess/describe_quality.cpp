#include <fmt/format.h>

#include "leeway/describe/fields.h"
#include "leeway/tasks/assess/quality.h"

namespace leeway::tasks {

const std::array<QualityMeasure, quality_metrics> quality_measures{{
    {"balanced_accuracy", "balanced accuracy", "mean recall of the classes with samples", a_share,
     &QualityMeasures::balanced_accuracy},
    {"macro_f1", "macro F1", "mean F1 of the classes that occur as label or prediction", a_share,
     &QualityMeasures::macro_f1},
    {"auroc", "AUROC",
     "area under the ROC curve: of class 1 for two classes, otherwise the mean over classes against the rest",
     a_share, &QualityMeasures::auroc},
    {"log_loss", "log loss", "mean -log of the label's probability, in nats", at_least(0),
     &QualityMeasures::log_loss},
    {"brier", "Brier score", "mean squared distance of the probabilities from the one-hot label",
     from_to(0, 2), &QualityMeasures::brier},
    {"ece", "ECE", "expected calibration error over 15 bins of equal width", a_share, &QualityMeasures::ece},
}};

static void fields(ClassQuality& one, Fields& f) {
  f("class", one.index, "index of the class");
  f("n", one.n, "samples with this label");
  f("predicted_n", one.predicted_n, "samples predicted as this class");
  measured(f, "precision", one.precision, a_share,
           "share of these predictions with this label; null without predictions");
  measured(f, "recall", one.recall, a_share,
           "share of samples with this label predicted as this class; null without samples");
  measured(f, "f1", one.f1, a_share, "harmonic mean of precision and recall");
  measured(f, "auroc", one.auroc, a_share, "AUROC of the class probability against all other classes");
}

static void fields(ReliabilityBin& bin, Fields& f) {
  f("low", bin.low, a_share, "lower end of the bin");
  f("high", bin.high, a_share, "upper end of the bin, excluded; the last bin includes 1");
  f("n", bin.n, "number of samples");
  f("confidence", bin.confidence, a_share, "mean confidence of these samples; null without samples");
  measured(f, "accuracy", bin.accuracy, a_share, "accuracy on these samples");
}

void fields(AssessQuality& quality, Fields& f) {
  f("n", quality.n, at_least(1), "samples with a label");
  for (const QualityMeasure& one : quality_measures)
    measured(f, one.key, quality.*one.value, one.range, one.meaning);
  f("classes", quality.classes, "each class against the rest");
  f("reliability", quality.reliability, "the bins of ece");
  f("confusion", quality.confusion, "samples of label i predicted as class j; [] beyond 100 classes");
  f.lengths({.square = "confusion"});
}

void fields(QualityChange& change, Fields& f) {
  for (const QualityMeasure& one : quality_measures)
    measured(f, one.key, change.*one.value, from_to(-one.range.most, one.range.most), "target minus source");
}

static void fields(Subgroup& one, Fields& f) {
  f("columns", one.columns, "one or two group columns");
  f("values", one.values, "value of each column");
  f("search_n", one.search_n, "samples in the half for the search");
  f("n", one.n, "samples in the half for the measurement");
  measured(f, "accuracy", one.accuracy, a_share,
           "accuracy on the measurement half; the interval holds for all listed subgroups together");
  measured(f, "difference", one.difference, from_to(-1, 1),
           "accuracy minus the accuracy of the other samples of the half");
  f("clear", one.clear, "the interval of the difference lies below 0");
  f.lengths({.alike = {"columns", "values"}});
}

void fields(AssessSubgroups& subgroups, Fields& f) {
  std::optional<Subgroup> weakest;
  if (const Subgroup* one = subgroups.weakest()) weakest = *one;
  f("columns", subgroups.columns, "number of group columns, searched alone and in pairs");
  f("searched", subgroups.searched, "number of subgroups with enough samples");
  f("least_rows", subgroups.least_rows, "minimum number of samples in each half");
  f("weakest", weakest, "first element of list");
  f("list", subgroups.list, "weakest subgroups on one half of the samples, measured on the other");
}

std::string subgroup_name(const Subgroup& group) {
  std::string name;
  for (std::size_t i = 0; i < group.columns.size(); ++i)
    name += fmt::format("{}{} = {}", i > 0 ? ", " : "", group.columns[i], group.values[i]);
  return name;
}

}  // namespace leeway::tasks
