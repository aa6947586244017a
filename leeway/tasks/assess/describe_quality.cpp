#include <fmt/format.h>

#include <utility>

#include "leeway/describe/fields.h"
#include "leeway/tasks/assess/quality.h"

namespace leeway::tasks {

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
  measured(f, "balanced_accuracy", quality.balanced_accuracy, a_share,
           "mean recall of the classes with samples");
  measured(f, "macro_f1", quality.macro_f1, a_share,
           "mean F1 of the classes that occur as label or prediction");
  measured(f, "auroc", quality.auroc, a_share,
           "area under the ROC curve: of class 1 for two classes, otherwise the mean over classes against "
           "the rest");
  measured(f, "log_loss", quality.log_loss, at_least(0), "mean -log of the label's probability, in nats");
  measured(f, "brier", quality.brier, from_to(0, 2),
           "mean squared distance of the probabilities from the one-hot label");
  measured(f, "ece", quality.ece, a_share, "expected calibration error over 15 bins of equal width");
  f("classes", quality.classes, "each class against the rest");
  f("reliability", quality.reliability, "the bins of ece");
  f("confusion", quality.confusion, "samples of label i predicted as class j; [] beyond 100 classes");
  f.lengths({.square = "confusion"});
}

void fields(QualityChange& change, Fields& f) {
  measured(f, "balanced_accuracy", change.balanced_accuracy, from_to(-1, 1), "target minus source");
  measured(f, "macro_f1", change.macro_f1, from_to(-1, 1), "target minus source");
  measured(f, "auroc", change.auroc, from_to(-1, 1), "target minus source");
  measured(f, "log_loss", change.log_loss, {}, "target minus source");
  measured(f, "brier", change.brier, from_to(-2, 2), "target minus source");
  measured(f, "ece", change.ece, from_to(-1, 1), "target minus source");
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

std::string quality_gap_words(const std::string& key) {
  for (const auto& [name, words] : {std::pair{"balanced_accuracy", "balanced accuracy"},
                                    {"macro_f1", "macro F1"},
                                    {"auroc", "AUROC"},
                                    {"log_loss", "log loss"}}) {
    const bool end = key.ends_with("_low") || key.ends_with("_high");
    const std::string metric = end ? key.substr(0, key.rfind('_')) : key, of = end ? "interval of " : "";
    if (metric == fmt::format("quality.{}", name)) return of + words;
    if (metric == fmt::format("source_quality.{}", name)) return fmt::format("{}{} on the source", of, words);
    if (metric == fmt::format("quality_change.{}", name)) return fmt::format("{}the change of {}", of, words);
  }
  return "";
}

std::string subgroup_name(const Subgroup& group) {
  std::string name;
  for (std::size_t i = 0; i < group.columns.size(); ++i)
    name += fmt::format("{}{} = {}", i > 0 ? ", " : "", group.columns[i], group.values[i]);
  return name;
}

}  // namespace leeway::tasks
