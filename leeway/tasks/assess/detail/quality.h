// What labels say beside accuracy, of one set: errors by class, ranking, and whether confidences mean what they say.
//
// With tp, n_c and m_c the rows of class c that are right, labelled c, predicted as c, and p_i = softmax(F_i), y_i the label:
//   precision tp / m_c, recall tp / n_c                 Clopper and Pearson
//   F1 2 tp / (n_c + m_c) = 2 J / (1 + J)               J = tp / (n_c + m_c - tp) is a share: its Clopper-Pearson ends
//   balanced accuracy: mean recall of the classes that have rows          variances of the recalls, on the scale of log(x / (1 - x))
//   macro F1: mean of the classes that are a label or predicted           delta method, on that scale
//   AUROC: auroc.h; of class 1 where k = 2, else the mean of each class against the rest        the same, of the classes' influences
//   log loss: mean -log p_i,y                           delta method on the logarithmic scale
//   Brier score: mean sum_j (p_ij - [j = y_i])^2, 0 to 2                  bounded_mean.h
//   ECE: sum_b |sum of confidence - rights in bin b| / n, 15 bins (Guo et al. 2017)        chance raises it, by at most B = sum_b
//     sqrt(2 v_b / pi) / n, v_b the variance of bin b's sum: from ECE - B - z s to ECE + z s, s by the delta method; conservative
// A class of few rows, all right or all wrong, shows no variance; the mean of ten such classes then seems far surer than it is. So
// each class's variance is at least that with half a row more right and half a row more wrong (few_rows; auroc.h for ranks), which
// adds to the mean's what falls with the square of the rows. At 0 and 1: square-and-add of Wilson's or Clopper's and Pearson's ends
// (Zou and Donner 2008).
//
// All functions of rows drawn independently: a metric moves by the mean of what each row adds (its influence), whose mean is 0.
// docs/studies/quality.md has the coverage. A change on the same rows: that of the rows' differences, and the larger part for few rows
// of the two; on different rows: square-and-add of the intervals. Of a change of ECE the ends are B of the target lower and B of the source higher.
//
// Cells without rows have no value. AUROC is left out beyond `most_ranked` scores. Errors: none; labels within 0..k-1.
// Cost: a pass of n k exponentials, k sorts. Deterministic for any number of threads; the order of rows changes rounding alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/record/assess_quality.h"
#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {

inline constexpr std::size_t calibration_bins = 15, most_ranked = 20'000'000;
inline constexpr std::size_t quality_metrics = 6;

struct Quality {
  record::AssessQuality found;
  std::array<std::vector<double>, quality_metrics>
      influence;                                   // in the order of the record's keys; empty: not computed
  std::array<double, quality_metrics> few_rows{};  // part of a metric's variance that influences do not show
  double calibration_noise = 0;                    // B
};

[[nodiscard]] Quality quality_of(const Array& logits, std::span<const std::int64_t> labels,
                                 const Predictions& said, double level);

// `paired`: row i of both is the same sample.
[[nodiscard]] record::QualityChange quality_change(const Quality& before, const Quality& after, bool paired,
                                                   double level);

}  // namespace leeway::assess
