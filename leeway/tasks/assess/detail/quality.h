// Quality metrics of one labelled set besides accuracy: errors by class, ranking, calibration.
//
// For class c: tp right, n_c labelled and m_c predicted rows; p_i = softmax(F_i), y_i the label. Metric, then
// interval:
//   precision tp / m_c, recall tp / n_c               Clopper-Pearson
//   F1 2 tp / (n_c + m_c) = 2 J / (1 + J)             Clopper-Pearson of the share J = tp / (n_c + m_c - tp)
//   balanced accuracy: mean recall of classes with rows         recall variances, on scale log(x / (1 - x))
//   macro F1: mean over classes labelled or predicted           delta method, on that scale
//   AUROC (auroc.h): class 1 for k = 2, else mean one-vs-rest   the same, from the classes' influences
//   log loss: mean -log p_i,y                                   delta method on the logarithmic scale
//   Brier score: mean sum_j (p_ij - [j = y_i])^2, 0 to 2        bounded_mean.h
//   ECE: sum_b |sum of confidence - rights in bin b| / n, 15 bins (Guo et al. 2017). Chance raises ECE by at
//   most B = sum_b sqrt(2 v_b / pi) / n, v_b the variance of bin b's sum; conservative interval from ECE - B
//   - z s to ECE + z s, s by the delta method
// A small class with all rows right or all wrong shows no variance, so a mean over such classes would seem
// too certain. Each class's variance is therefore at least that with half a row more right and half a row
// more wrong (few_rows; auroc.h for ranks); its share in the mean falls with the square of the rows. At 0 and
// 1: square-and-add of Wilson's or Clopper-Pearson ends (Zou and Donner 2008).
//
// Rows are independent draws: a metric moves by the mean of the rows' influences, whose mean is 0. Coverage:
// docs/studies/quality.md. A change on the same rows uses the rows' differences and the larger few-rows part
// of the two; on different rows, square-and-add. For ECE the lower end moves by the target's B, the upper by
// the source's.
//
// Cells without rows have no value. No AUROC beyond `most_ranked` scores. Errors: none; labels within 0..k-1.
// Cost: n k exponentials, k sorts. Deterministic for any number of threads; row order changes only rounding.
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
