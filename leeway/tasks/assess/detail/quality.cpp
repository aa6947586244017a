#include "leeway/tasks/assess/detail/quality.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/parallel.h"
#include "leeway/tasks/assess/detail/auroc.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/confusion.h"

namespace leeway::assess {
namespace {

using record::AssessQuality;
using record::QualityChange;
using Rows = std::vector<double>;

constexpr std::array<Measured AssessQuality::*, quality_metrics> metrics{
    &AssessQuality::balanced_accuracy, &AssessQuality::macro_f1, &AssessQuality::auroc,
    &AssessQuality::log_loss,          &AssessQuality::brier,    &AssessQuality::ece};
constexpr std::array<Measured QualityChange::*, quality_metrics> changes{
    &QualityChange::balanced_accuracy, &QualityChange::macro_f1, &QualityChange::auroc,
    &QualityChange::log_loss,          &QualityChange::brier,    &QualityChange::ece};
enum Metric : std::size_t { balanced_accuracy, macro_f1, ranking, log_loss, brier, calibration };

Measured measured(double value, const Interval& interval) { return {value, interval.low, interval.high}; }

double mean_of(const Rows& values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

// Of a mean of these; 0 for a single row.
double variance_of_mean(const Rows& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / (n - 1) / n;
}

Rows less(Rows values, double mean) {
  for (double& value : values) value -= mean;
  return values;
}

// Of every row: log sum_j exp F_ij, -log p_iy, sum_j (p_ij - [j = y])^2.
struct RowScores {
  Rows log_sum, loss, square;
};

template <class T>
RowScores row_scores(const Array& logits, std::span<const std::int64_t> labels) {
  constexpr std::size_t chunk = 1024;
  const std::size_t n = labels.size(), k = logits.shape[1];
  const auto values = logits.view<T>();
  RowScores scores{Rows(n), Rows(n), Rows(n)};
  parallel_for((n + chunk - 1) / chunk, [&](std::size_t c) {
    for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
      const auto row = values.subspan(i * k, k);
      const auto label = static_cast<std::size_t>(labels[i]);
      const double top = *std::ranges::max_element(row);
      double sum = 0, squares = 0, of_label = 0;
      for (std::size_t j = 0; j < k; ++j) {
        const double e = std::exp(double{row[j]} - top);
        sum += e, squares += e * e;
        if (j == label) of_label = e;
      }
      scores.log_sum[i] = top + std::log(sum);
      scores.loss[i] = std::log(sum) - (double{row[label]} - top);
      scores.square[i] = std::clamp(squares / sum / sum - 2 * of_label / sum + 1, 0., 2.);
    }
  });
  return scores;
}

// Of a share of n rows, the variance of its estimate: as the rows say, and where half a row more is right and half a row more
// wrong, which leaves some where all rows are alike.
double share_variance(double right, double n) { return right / n * (1 - right / n) / n; }
double share_variance_of_few(double right, double n) {
  const double p = (right + .5) / (n + 1);
  return p * (1 - p) / n;
}

// Counts by label and prediction.
struct QualityCounts {
  std::size_t k = 0;
  std::vector<std::size_t> right, labelled, predicted;
};

QualityCounts counts_of(std::span<const std::int64_t> labels, const Predictions& said, std::size_t k) {
  QualityCounts counts{k, std::vector<std::size_t>(k), std::vector<std::size_t>(k),
                       std::vector<std::size_t>(k)};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]),
               predicted = static_cast<std::size_t>(said.classes[i]);
    ++counts.labelled[label];
    ++counts.predicted[predicted];
    counts.right[label] += label == predicted;
  }
  return counts;
}

void add_classes(AssessQuality& found, const QualityCounts& counts, double level) {
  for (std::size_t c = 0; c < counts.k; ++c) {
    const std::size_t right = counts.right[c], labelled = counts.labelled[c], predicted = counts.predicted[c];
    record::ClassQuality one;
    one.index = c, one.n = labelled, one.predicted_n = predicted;
    if (predicted > 0) one.precision = share(right, predicted, level);
    if (labelled > 0) one.recall = share(right, labelled, level);
    if (const std::size_t either = labelled + predicted - right; either > 0) {
      const Measured overlap = share(right, either, level);
      const auto f1 = [](double j) { return 2 * j / (1 + j); };
      one.f1 = {f1(*overlap.value), f1(*overlap.low), f1(*overlap.high)};
    }
    found.classes.push_back(one);
  }
}

void add_balanced_accuracy(Quality& quality, const QualityCounts& counts,
                           std::span<const std::int64_t> labels, const Predictions& said, double level) {
  double classes = 0, sum = 0, below = 0, above = 0, of_rows = 0, few = 0;
  for (std::size_t c = 0; c < counts.k; ++c) {
    if (counts.labelled[c] == 0) continue;
    const auto right = static_cast<double>(counts.right[c]), rows = static_cast<double>(counts.labelled[c]);
    const double recall = right / rows;
    const Interval ends = wilson(counts.right[c], counts.labelled[c], level);
    ++classes;
    sum += recall;
    below += (recall - ends.low) * (recall - ends.low), above += (ends.high - recall) * (ends.high - recall);
    of_rows += share_variance(right, rows);
    few += std::max(0., share_variance_of_few(right, rows) - share_variance(right, rows));
  }
  few /= classes * classes;
  const double value = sum / classes;
  quality.few_rows[balanced_accuracy] = few;
  quality.found.balanced_accuracy =
      measured(value, value > 0 && value < 1
                          ? logit_interval(value, of_rows / (classes * classes) + few, labels.size(), level)
                          : Interval{std::max(0., value - std::sqrt(below) / classes),
                                     std::min(1., value + std::sqrt(above) / classes)});
  Rows& influence = quality.influence[balanced_accuracy];
  const auto n = static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    const auto rows = static_cast<double>(counts.labelled[label]);
    const double recall = static_cast<double>(counts.right[label]) / rows;
    influence.push_back(((said.classes[i] == labels[i] ? 1 : 0) - recall) * n / rows / classes);
  }
}

// What few rows add to the variance of a class's F1: that of the share J = tp / union with half a row more on either side, less
// that of the rows' influences. `rows`: labelled and predicted.
double f1_of_few(double right, double rows) {
  const double either = rows - right, f1 = 2 * right / rows;
  const double of_rows = (right * (2 - 2 * f1) * (2 - 2 * f1) + (rows - 2 * right) * f1 * f1) / (rows * rows);
  const double slope = 2 / std::pow(1 + (right + .5) / (either + 1), 2);  // of 2 J / (1 + J)
  return std::max(0., slope * slope * share_variance_of_few(right, either) - of_rows);
}

void add_macro_f1(Quality& quality, const QualityCounts& counts, std::span<const std::int64_t> labels,
                  const Predictions& said, double level) {
  Rows f1(counts.k), rows(counts.k);
  double classes = 0, sum = 0, below = 0, above = 0, few = 0;
  for (std::size_t c = 0; c < counts.k; ++c) {
    rows[c] = static_cast<double>(counts.labelled[c] + counts.predicted[c]);
    if (rows[c] == 0) continue;
    const Measured& one = quality.found.classes[c].f1;
    f1[c] = *one.value;
    ++classes, sum += f1[c];
    below += (*one.value - *one.low) * (*one.value - *one.low);
    above += (*one.high - *one.value) * (*one.high - *one.value);
    few += f1_of_few(static_cast<double>(counts.right[c]), rows[c]);
  }
  few /= classes * classes;
  quality.few_rows[macro_f1] = few;
  Rows& influence = quality.influence[macro_f1];
  const double scale = static_cast<double>(labels.size()) / classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]),
               predicted = static_cast<std::size_t>(said.classes[i]);
    influence.push_back(scale * ((label == predicted ? 2 : 0) / rows[label] - f1[label] / rows[label] -
                                 f1[predicted] / rows[predicted]));
  }
  const double value = sum / classes, variance = variance_of_mean(influence) + few;
  const Interval ends = variance > 0 && value > 0 && value < 1
                            ? logit_interval(value, variance, labels.size(), level)
                            : Interval{std::max(0., value - std::sqrt(below) / classes),
                                       std::min(1., value + std::sqrt(above) / classes)};
  quality.found.macro_f1 = measured(value, ends);
}

template <class T>
void add_ranking(Quality& quality, const Array& logits, std::span<const std::int64_t> labels,
                 const Rows& log_sum, double level) {
  const std::size_t n = labels.size(), k = logits.shape[1];
  if (n * k > most_ranked) return;
  const auto values = logits.view<T>();
  struct Ranked {
    double sum = 0, classes = 0, few = 0;
    std::size_t least = 0;
    Rows influence;
  };
  const std::size_t first = k == 2 ? 1 : 0, ranked = k - first;
  const auto map = [&](std::size_t begin, std::size_t end) {
    Ranked part{0, 0, 0, n, Rows(n)};
    Rows scores(n);
    std::vector<std::uint8_t> positive(n);
    for (std::size_t c = first + begin; c < first + end; ++c) {
      for (std::size_t i = 0; i < n; ++i) {
        scores[i] = double{values[i * k + c]} - log_sum[i];
        positive[i] = labels[i] == static_cast<std::int64_t>(c);
      }
      const auto one = auroc(scores, positive, level, part.influence);
      if (!one) continue;
      quality.found.classes[c].auroc = measured(one->value, one->interval);
      part.sum += one->value, part.few += one->few_rows;
      ++part.classes;
      part.least = std::min({part.least, one->positives, one->negatives});
    }
    return part;
  };
  const auto join = [](Ranked a, const Ranked& b) {
    a.sum += b.sum, a.classes += b.classes, a.few += b.few, a.least = std::min(a.least, b.least);
    for (std::size_t i = 0; i < a.influence.size(); ++i) a.influence[i] += b.influence[i];
    return a;
  };
  Ranked all = reduce_chunks<Ranked>(ranked, std::max<std::size_t>(1, ranked / 16), map, join);
  if (all.classes == 0) return;
  for (double& value : all.influence) value /= all.classes;
  const double few = quality.few_rows[ranking] = all.few / (all.classes * all.classes);
  if (k == 2) quality.found.classes[0].auroc = quality.found.classes[1].auroc;
  quality.found.auroc =
      k == 2 ? quality.found.classes[1].auroc
             : measured(all.sum / all.classes,
                        logit_interval(all.sum / all.classes, variance_of_mean(all.influence) + few,
                                       all.least, level));
  quality.influence[ranking] = std::move(all.influence);
}

void add_losses(Quality& quality, RowScores scores, double level) {
  const double loss = mean_of(scores.loss), variance = variance_of_mean(scores.loss);
  quality.found.log_loss.value = loss;
  if (loss > 0 && variance > 0) {
    const double factor = std::exp(normal_quantile(.5 + level / 2) * std::sqrt(variance) / loss);
    quality.found.log_loss = {loss, loss / factor, loss * factor};
  }
  const double square = mean_of(scores.square);
  quality.found.brier = measured(square, bounded_mean_interval(scores.square, 0, 2, level));
  quality.influence[log_loss] = less(std::move(scores.loss), loss);
  quality.influence[brier] = less(std::move(scores.square), square);
}

void add_calibration(Quality& quality, std::span<const std::int64_t> labels, const Predictions& said,
                     double level) {
  struct Bin {
    std::size_t n = 0, right = 0;
    double confidence = 0, off = 0, squares = 0;  // off: confidence - right
  };
  std::array<Bin, calibration_bins> bins{};
  constexpr auto width = static_cast<double>(calibration_bins);
  const auto bin_of = [&](double confidence) {
    return std::min(static_cast<std::size_t>(confidence * width), calibration_bins - 1);
  };
  const auto n = static_cast<double>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool right = said.classes[i] == labels[i];
    const double off = said.confidences[i] - (right ? 1 : 0);
    Bin& bin = bins[bin_of(said.confidences[i])];
    ++bin.n, bin.right += right, bin.confidence += said.confidences[i];
    bin.off += off, bin.squares += off * off;
  }
  double error = 0, noise = 0;
  for (std::size_t b = 0; b < calibration_bins; ++b) {
    const Bin& bin = bins[b];
    record::ReliabilityBin one{
        static_cast<double>(b) / width, static_cast<double>(b + 1) / width, bin.n, {}, {}};
    if (bin.n > 0) {
      const auto rows = static_cast<double>(bin.n);
      error += std::abs(bin.off) / n;
      noise += std::sqrt(2 * std::max(0., bin.squares - bin.off * bin.off / rows) / std::numbers::pi) / n;
      one.confidence = bin.confidence / rows;
      one.accuracy = share(bin.right, bin.n, level);
    }
    quality.found.reliability.push_back(one);
  }
  quality.calibration_noise = noise;
  Rows& influence = quality.influence[calibration];
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double off = said.confidences[i] - (said.classes[i] == labels[i] ? 1 : 0);
    influence.push_back((bins[bin_of(said.confidences[i])].off < 0 ? -off : off) - error);
  }
  const double reach = normal_quantile(.5 + level / 2) * std::sqrt(variance_of_mean(influence));
  quality.found.ece = {error, std::max(0., error - noise - reach), std::min(1., error + reach)};
  if (reach == 0) quality.found.ece.low.reset(), quality.found.ece.high.reset();  // one row says nothing
}

template <class T>
Quality computed(const Array& logits, std::span<const std::int64_t> labels, const Predictions& said,
                 double level) {
  const std::size_t k = logits.shape[1];
  Quality quality;
  quality.found.n = labels.size();
  RowScores scores = row_scores<T>(logits, labels);
  const QualityCounts counts = counts_of(labels, said, k);
  add_classes(quality.found, counts, level);
  add_balanced_accuracy(quality, counts, labels, said, level);
  add_macro_f1(quality, counts, labels, said, level);
  add_ranking<T>(quality, logits, labels, scores.log_sum, level);
  add_losses(quality, std::move(scores), level);
  add_calibration(quality, labels, said, level);
  if (k <= max_confusion_classes) quality.found.confusion = confusion_counts(labels, said.classes, k);
  return quality;
}

}  // namespace

Quality quality_of(const Array& logits, std::span<const std::int64_t> labels, const Predictions& said,
                   double level) {
  return logits.type == ElementType::f32 ? computed<float>(logits, labels, said, level)
                                         : computed<double>(logits, labels, said, level);
}

record::QualityChange quality_change(const Quality& before, const Quality& after, bool paired, double level) {
  record::QualityChange found;
  for (std::size_t m = 0; m < quality_metrics; ++m) {
    const Measured &a = before.found.*metrics[m], &b = after.found.*metrics[m];
    if (!a.value || !b.value) continue;
    Measured& change = found.*changes[m];
    change.value = *b.value - *a.value;
    if (!a.low || !b.low) continue;
    Rows apart = after.influence[m];
    if (paired)
      for (std::size_t i = 0; i < apart.size(); ++i) apart[i] -= before.influence[m][i];
    const double z = normal_quantile(.5 + level / 2);
    double below = std::hypot(*b.value - *b.low, *a.high - *a.value),
           above = std::hypot(*b.high - *b.value, *a.value - *a.low);
    double variance = paired             ? variance_of_mean(apart)
                      : m == calibration ? variance_of_mean(before.influence[m]) + variance_of_mean(apart)
                                         : 0;
    if (paired && variance > 0) variance += std::max(before.few_rows[m], after.few_rows[m]);
    if (variance > 0) below = above = z * std::sqrt(variance);
    if (variance > 0 && m == calibration) below += after.calibration_noise, above += before.calibration_noise;
    change.low = *change.value - below;
    change.high = *change.value + above;
    if (m != log_loss) {
      const double most = m == brier ? 2 : 1;
      change.low = std::max(-most, *change.low), change.high = std::min(most, *change.high);
    }
  }
  return found;
}

}  // namespace leeway::assess
