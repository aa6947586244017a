// What labels say beside accuracy, of one set: errors by class, ranking, and whether confidences mean what
// they say.
//
// With tp, n_c and m_c the rows of class c that are right, labelled c, predicted as c, p_i = softmax(F_i) and
// y_i the label:
//   precision tp / m_c, recall tp / n_c      Clopper and Pearson
//   F1 2 tp / (n_c + m_c) = 2 J / (1 + J)    J = tp / (n_c + m_c - tp) is a share: its Clopper-Pearson ends
//   balanced accuracy                        mean recall of the classes that have rows
//   macro F1                                 mean of the classes that are a label or predicted
//   AUROC of log(p / (1 - p)) (auroc.h)      of class 1 where k = 2, else the mean of each against the rest
//   log loss                                 mean -log p_i,y
//   Brier score                              mean sum_j (p_ij - [j = y_i])^2, 0 to 2
//   ECE                                      sum_b |sum of confidence - rights in bin b| / n, 15 bins (Guo et
//     al. 2017); chance raises it by at most B = sum_b sqrt(2 v_b / pi) / n, v_b the variance of bin b's sum
//
// Every metric is a sum of means of what each row adds, a number in a known range: a mean of all rows, or one
// for each label (balanced accuracy; AUROC where k = 2). Its interval is stratified_mean_interval
// (bounded_mean.h), which is Clopper and Pearson's for the recall of one class. What a row adds to macro F1,
// or to the mean of several AUROCs, is its influence. Ranges: recall and placements 0 to 1, losses 0 to the
// largest that was observed, Brier scores 0 to 2, confidence less right -1 to 1. ECE has B less at the lower
// end. A change has square-and-add of the two intervals or, on the same rows and where narrower, the interval of
// the rows' differences; for ECE with B of the target lower and B of the source higher.
// docs/studies/quality.md has the coverage.
//
// An interval is left out, with the reason, where it would not cover: of log loss with fewer than 10 errors,
// since a few rows make most of it; of macro F1 and AUROC with fewer than 10 rows of a class; of balanced
// accuracy where a class has no rows.
//
// Cells without rows have no value. AUROC is left out beyond `most_ranked` scores. Errors: none; labels within
// 0..k-1. Cost: a pass of n k exponentials, k sorts. Deterministic for any number of threads; the order of
// rows changes rounding alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/statistics.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/parts.h"

namespace leeway::assess {

inline constexpr std::size_t calibration_bins = 15, most_ranked = 20'000'000;
inline constexpr std::size_t least_rows = 10, least_errors = 10;
using tasks::quality_metrics;

// What each row adds to a metric; empty: not computed.
struct QualityRows {
  std::vector<double> values;
  std::vector<Interval> ranges;  // one, or one for each label
};

struct Quality {
  tasks::AssessQuality found;
  std::vector<std::int64_t> labels;
  // In the order of the record's keys. ends: without the metric's limits and B; without_interval: why not.
  std::array<QualityRows, quality_metrics> rows;
  std::array<Interval, quality_metrics> ends;
  std::array<std::string, quality_metrics> without_interval;
  double calibration_noise = 0;  // B
};

// `names` of the k classes, for reasons; empty: their indices.
[[nodiscard]] Quality quality_of(const Array& logits, std::span<const std::int64_t> labels,
                                 const Predictions& said, double level,
                                 std::span<const std::string> names = {});

// Keys of the record that are null for want of an interval, such as quality.log_loss_low, and why. A null
// pointer: that side has no labels.
[[nodiscard]] std::map<std::string, std::string> interval_gaps(const Quality* before, const Quality* after);

// `paired`: row i of both is the same sample.
[[nodiscard]] tasks::QualityChange quality_change(const Quality& before, const Quality& after, bool paired,
                                                  double level);

}  // namespace leeway::assess
