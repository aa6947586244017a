#include "leeway/tasks/assess/detail/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "leeway/agreement/agreement.h"
#include "leeway/tasks/assess/detail/bounds.h"
#include "leeway/tasks/assess/detail/cells.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/drift.h"

namespace leeway::assess {
namespace {

constexpr std::size_t curve_logits = 2'000'000;  // beyond that a dense curve costs more than the maximum

std::vector<std::uint8_t> outcomes(std::span<const std::int32_t> predicted,
                                   std::span<const std::int64_t> labels) {
  std::vector<std::uint8_t> correct(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) correct[i] = predicted[i] == labels[i];
  return correct;
}

std::size_t hits(const std::vector<std::uint8_t>& outcomes) {
  return static_cast<std::size_t>(std::ranges::count(outcomes, 1));
}

void add_accuracy(Summary& summary, const LabelledRows& source, const LabelledRows& target, bool same_rows,
                  double level) {
  const std::vector<std::uint8_t> before = outcomes(source.said.classes, source.labels);
  if (!before.empty()) summary.source_accuracy = share(hits(before), before.size(), level);
  if (target.labels.empty()) return;
  summary.labelled = true;
  summary.correct = outcomes(target.said.classes, target.labels);
  const std::size_t n = summary.correct.size();
  summary.accuracy = share(hits(summary.correct), n, level);
  if (summary.paired) summary.afr_true = summary.accuracy.value;
  if (before.empty()) return;
  if (same_rows) {
    const Discordance odd = discordance(before, summary.correct);
    summary.accuracy_change = paired_difference(odd.only_first, odd.only_second, n, level);
  } else {
    summary.accuracy_change =
        unpaired_difference(hits(before), before.size(), hits(summary.correct), n, level);
  }
}

// What labels say beside accuracy, of either side that has them.
void add_quality(Summary& summary, const AnalysedSource& source, const LabelledRows& source_rows,
                 const LabelledRows& target_rows, bool same_rows, const std::vector<GroupColumn>& groups,
                 const std::vector<std::string>& names, const Task& task) {
  std::optional<Quality> lent;  // the source's rows by the target's labels
  const Quality* before = source.quality ? &*source.quality : nullptr;
  const auto& own = source.source->outputs.labels;
  const bool merged = own && count_labels(*own) < source_rows.labels.size();
  if ((before == nullptr || merged) && !source_rows.labels.empty())
    before = &lent.emplace(
        quality_of(source_rows.logits, source_rows.labels, source_rows.said, task.level, names));
  if (before != nullptr) summary.source_quality = before->found;
  if (target_rows.labels.empty()) {
    summary.not_computed = interval_gaps(before, nullptr);
    return;
  }
  const Quality quality =
      quality_of(target_rows.logits, target_rows.labels, target_rows.said, task.level, names);
  summary.not_computed = interval_gaps(before, &quality);
  summary.quality = quality.found;
  if (before != nullptr) summary.quality_change = quality_change(*before, quality, same_rows, task.level);
  if (!groups.empty())
    summary.subgroups = weakest_subgroups(taken_groups(groups, target_rows.rows), summary.correct,
                                          {.level = task.level, .seed = task.seed});
}

// Agreement, confusion and flips of a paired target; returns a_i of every row.
std::vector<double> add_agreement(Summary& summary, const Outputs& source, const Outputs& target,
                                  const TargetRows& rows, const Task& task) {
  const agreement::Agreement found = agreement::posterior_agreement(
      source.logits, target.logits, {},
      {.level = task.level,
       .seed = task.seed,
       .curve_points = source.logits.size() <= curve_logits ? std::size_t{64} : 16,
       .clean_name = source.path,
       .shifted_name = target.path});
  std::vector<double> agreements = agreement::agreement_per_row(source.logits, target.logits, found.beta);
  summary.pa = measured(found.pa, found.pa_interval);
  summary.pa_normalized = found.pa_normalized;
  summary.log_pa_mean = found.value > 0 ? 0 : found.value;  // rounding
  summary.beta = found.beta, summary.gap = found.gap, summary.converged = found.converged;
  summary.curve = found.curve, summary.local_maxima = found.local_maxima;

  summary.afr_pred = share_of_equal(rows.clean_classes, rows.shifted_classes, task.level);
  if (summary.k <= max_confusion_classes)
    summary.confusion = confusion_counts(rows.clean_classes, rows.shifted_classes, summary.k);
  summary.top_flips = top_flips(rows.clean_classes, rows.shifted_classes);
  for (const std::size_t i : choose_flips(rows, task.flips)) {
    tasks::AssessFlip& flip = summary.flips.emplace_back();
    flip.row = i, flip.agreement = agreements[i];
    if (!rows.labels.empty() && rows.labels[i] != no_label)
      flip.label = static_cast<std::size_t>(rows.labels[i]);
    flip.clean_pred = static_cast<std::size_t>(rows.clean_classes[i]);
    flip.shifted_pred = static_cast<std::size_t>(rows.shifted_classes[i]);
    flip.clean_confidence = rows.clean_confidences[i], flip.shifted_confidence = rows.shifted_confidences[i];
  }
  std::ranges::stable_sort(summary.flips, {}, &tasks::AssessFlip::agreement);
  return agreements;
}

std::map<std::string, std::string> reasons(const Summary& summary, const Bounds& bounds, bool source_labelled,
                                           bool target_groups) {
  const Pairing& pairing = summary.pairs;
  std::map<std::string, std::string> why;
  const auto say = [&](std::initializer_list<const char*> keys, const std::string& reason) {
    for (const char* key : keys) why[key] = reason;
  };
  if (!bounds.dis2) say({"error_bound", "error_bound_terms"}, bounds.no_bound);
  if (!bounds.estimates) say({"estimates", "likely_error"}, bounds.no_estimates);
  if (!summary.labelled)
    say({"accuracy", "accuracy_change", "afr_true", "quality", "quality_change", "subgroups"},
        (pairing.paired || pairing.doubted) && !pairing.evidence.different && source_labelled
            ? "the target has no labels; --paired yes uses the labels of the source"
            : "the target has no labels");
  if (!source_labelled)
    say({"source_accuracy", "accuracy_change", "source_quality", "quality_change"},
        "the source has no labels");
  if (!pairing.paired)
    say({"afr_pred", "afr_true", "pa", "pa_normalized", "log_pa_mean", "beta", "gap", "curve", "local_maxima",
         "confusion", "top_flips", "flips"},
        pairing.reason);
  if (pairing.paired && summary.confusion.empty())
    say({"confusion"},
        fmt::format("too large a table for {} classes; top_flips lists the most frequent changes",
                    summary.k));
  if (!summary.labelled && !summary.paired)
    say({"classes", "worst_class", "groups", "worst_group"}, "the target has no labels and is not paired");
  if (!target_groups) say({"groups", "worst_group", "subgroups"}, "the target has no groups");
  return why;
}

}  // namespace

Summary analyse(const AnalysedSource& analysed, const Target& target,
                const std::vector<std::string>& class_names, const Task& task, Progress* progress) {
  const Outputs& source = analysed.source->outputs;
  const Outputs& shifted = target.outputs;
  const Predictions& before = analysed.predictions;
  const Predictions after = predict(shifted.logits, shifted.path);
  Summary summary;
  summary.pairs = pair(source, shifted, before.classes, after.classes, paired_of(task.options.paired));
  const Pairing& pairing = summary.pairs;
  summary.model = target.model;
  summary.target = target.shift;
  summary.n = shifted.n();
  summary.source_n = source.n();
  summary.k = shifted.k();
  summary.paired = pairing.paired;
  summary.pairing = pairing.evidence;
  if (!pairing.paired) summary.pairing.reason = pairing.reason;
  summary.confidence = {confidence_edges(), confidence_histogram(before.confidences),
                        confidence_histogram(after.confidences), before.mean_confidence,
                        after.mean_confidence};
  summary.shares = {class_shares(before.classes, summary.k), class_shares(after.classes, summary.k)};

  const std::vector<std::int64_t> source_labels = labels_of(source, shifted, pairing);
  summary.labels = labels_of(shifted, source, pairing);
  const Side source_side{before.classes, source_labels, &groups_of(source, shifted, pairing)};
  const Side target_side{after.classes, summary.labels, &groups_of(shifted, source, pairing)};
  const LabelledRows known = labelled_rows(source, source_labels, before),
                     seen = labelled_rows(shifted, summary.labels, after);
  const bool same_rows = pairing.paired && known.rows == seen.rows;
  add_accuracy(summary, known, seen, same_rows, task.level);
  add_quality(summary, analysed, known, seen, same_rows, *target_side.groups, class_names, task);
  const CellOptions cells{pairing.paired, task.level, class_names};
  summary.classes = class_cells(source_side, target_side, cells);
  summary.groups = group_cells(source_side, target_side, cells);

  TargetRows rows;
  rows.model = target.model, rows.target = target.shift, rows.labels = summary.labels;
  rows.shifted_classes = after.classes, rows.shifted_confidences = after.confidences;
  std::vector<double> agreements;
  if (pairing.paired) {
    rows.clean_classes = before.classes, rows.clean_confidences = before.confidences;
    agreements = add_agreement(summary, source, shifted, rows, task);
    rows.agreements = agreements;
  }
  const Bounds bounds = error_bounds(source.path, known, shifted, task, progress);
  if (bounds.dis2) summary.error_bound = bounds.dis2->bound, summary.error_bound_terms = bounds.dis2;
  summary.drift = drift_between(*analysed.source, before, target, after, class_names, task, summary.paired);
  if (bounds.estimates) {
    // `combined`, the first, becomes likely_error.
    summary.estimates.assign(bounds.estimates->estimates.begin() + 1, bounds.estimates->estimates.end());
    summary.likely_error = likely_error(*bounds.estimates, summary, known.labels.size(), task.level);
  }
  summary.not_computed.merge(
      reasons(summary, bounds, !source_side.labels.empty(), !target_side.groups->empty()));
  summary.warnings = find_warnings({source, shifted, before, after, summary});
  if (task.rows) task.rows(rows);
  return summary;
}

std::vector<tasks::AssessComparison> compare_models(const std::vector<Summary>& summaries, double level) {
  std::vector<tasks::AssessComparison> comparisons;
  for (std::size_t i = 0; i < summaries.size(); ++i)
    for (std::size_t j = i + 1; j < summaries.size(); ++j) {
      const Summary &a = summaries[i], &b = summaries[j];
      if (a.target != b.target || !a.labelled ||
          !std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end()))
        continue;
      const Discordance odd = discordance(b.correct, a.correct);
      const Measured difference = paired_difference(odd.only_first, odd.only_second, a.correct.size(), level);
      comparisons.push_back({a.target, a.model, b.model, a.correct.size(), difference,
                             mcnemar_p(odd.only_first, odd.only_second), clear(difference)});
    }
  return comparisons;
}

}  // namespace leeway::assess
