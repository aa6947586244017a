#include "leeway/tasks/assess/detail/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/parallel.h"
#include "leeway/tasks/assess/detail/auroc.h"
#include "leeway/tasks/assess/detail/cells.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {
namespace {

using tasks::AssessQuality;
using tasks::quality_measures;
using Values = std::vector<double>;

enum Metric : std::size_t { balanced_accuracy, macro_f1, ranking, log_loss, brier, calibration };

double mean_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

// Of every row: log sum_j exp F_ij, the same without the largest, -log p_iy, sum_j (p_ij - [j = y])^2.
struct RowScores {
  Values log_sum, log_rest, loss, square;
};

// log sum_j exp F_j without F_top, which is so much larger that the others' shares underflow.
template <class T>
double log_sum_of_others(std::span<const T> row, std::size_t top) {
  double second = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j)
    if (j != top) second = std::max(second, double{row[j]});
  for (std::size_t j = 0; j < row.size(); ++j)
    if (j != top) sum += std::exp(double{row[j]} - second);
  return second + std::log(sum);
}

template <class T>
RowScores row_scores(const Array& logits, std::span<const std::int64_t> labels) {
  constexpr std::size_t chunk = 1024;
  const std::size_t n = labels.size(), k = logits.shape[1];
  const auto values = logits.view<T>();
  RowScores scores{Values(n), Values(n), Values(n), Values(n)};
  parallel_for((n + chunk - 1) / chunk, [&](std::size_t c) {
    for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) {
      const auto row = values.subspan(i * k, k);
      const auto label = static_cast<std::size_t>(labels[i]);
      const auto largest = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
      const double top = row[largest];
      double sum = 0, rest = 0, squares = 0, of_label = 0;
      for (std::size_t j = 0; j < k; ++j) {
        const double e = std::exp(double{row[j]} - top);
        sum += e, squares += e * e;
        if (j != largest) rest += e;
        if (j == label) of_label = e;
      }
      scores.log_sum[i] = top + std::log(sum);
      scores.log_rest[i] = rest > 1e-300 ? top + std::log(rest) : log_sum_of_others(row, largest);
      scores.loss[i] = label == largest ? std::log1p(std::exp(scores.log_rest[i] - top))
                                        : std::log(sum) - (double{row[label]} - top);
      scores.square[i] = std::clamp(squares / sum / sum - 2 * of_label / sum + 1, 0., 2.);
    }
  });
  return scores;
}

struct QualityCounts {
  std::size_t n = 0, k = 0;
  std::vector<std::size_t> right, labelled, predicted;
};

QualityCounts counts_of(std::span<const std::int64_t> labels, const Predictions& said, std::size_t k) {
  QualityCounts counts{labels.size(), k, std::vector<std::size_t>(k), std::vector<std::size_t>(k),
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
    tasks::ClassQuality one;
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

// Mean recall of the classes with rows: a stratum for each label.
void add_balanced_accuracy(Quality& quality, const QualityCounts& counts, const Predictions& said) {
  double classes = 0, sum = 0;
  for (std::size_t c = 0; c < counts.k; ++c) {
    if (counts.labelled[c] == 0) continue;
    ++classes, sum += static_cast<double>(counts.right[c]) / static_cast<double>(counts.labelled[c]);
  }
  quality.found.balanced_accuracy.value = sum / classes;
  QualityRows& rows = quality.rows[balanced_accuracy];
  rows.ranges.assign(counts.k, {0, 1 / classes});
  for (std::size_t i = 0; i < quality.labels.size(); ++i)
    rows.values.push_back(said.classes[i] == quality.labels[i] ? 1 / classes : 0);
}

// The mean of the classes that are a label or predicted, and the rows' influences on it.
void add_macro_f1(Quality& quality, const QualityCounts& counts, const Predictions& said) {
  Values f1(counts.k), scale(counts.k);  // scale: n / (rows labelled and predicted as c) / classes
  const auto n = static_cast<double>(quality.labels.size());
  double classes = 0, sum = 0;
  for (std::size_t c = 0; c < counts.k; ++c) {
    const std::size_t rows = counts.labelled[c] + counts.predicted[c];
    if (rows == 0) continue;
    f1[c] = *quality.found.classes[c].f1.value;
    scale[c] = n / static_cast<double>(rows);
    ++classes, sum += f1[c];
  }
  const double value = sum / classes;
  quality.found.macro_f1.value = value;
  // Right as y: scale_y (2 - 2 f1_y); wrong: less scale f1 of label and prediction.
  double most = 0, largest = 0, second = 0;
  for (std::size_t c = 0; c < counts.k; ++c) {
    scale[c] /= classes;
    most = std::max(most, scale[c] * (2 - 2 * f1[c]));
    const double lost = scale[c] * f1[c];
    if (lost > largest)
      second = largest, largest = lost;
    else
      second = std::max(second, lost);
  }
  QualityRows& rows = quality.rows[macro_f1];
  rows.ranges = {{value - largest - second, value + most}};
  for (std::size_t i = 0; i < quality.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(quality.labels[i]),
               predicted = static_cast<std::size_t>(said.classes[i]);
    rows.values.push_back(value + (label == predicted ? 2 * scale[label] : 0) - f1[label] * scale[label] -
                          f1[predicted] * scale[predicted]);
  }
}

// Of what a row adds to the mean of `classes` AUROCs: of label y it is a positive of y and a negative of the others, with
// placements from 0 to 1.
Interval range_of_influence(const std::vector<tasks::ClassQuality>& found, const QualityCounts& counts,
                            double classes) {
  Interval of_negatives, range;
  Values positives(counts.k), negatives(counts.k), a(counts.k);
  for (std::size_t c = 0; c < counts.k; ++c) {
    if (!found[c].auroc.value) continue;
    const std::size_t rows = counts.labelled[c];
    a[c] = *found[c].auroc.value;
    positives[c] = 1 / static_cast<double>(rows), negatives[c] = 1 / static_cast<double>(counts.n - rows);
    of_negatives.low -= a[c] * negatives[c], of_negatives.high += (1 - a[c]) * negatives[c];
  }
  for (std::size_t y = 0; y < counts.k; ++y) {
    range.low = std::min(range.low, of_negatives.low - a[y] * (positives[y] - negatives[y]));
    range.high = std::max(range.high, of_negatives.high + (1 - a[y]) * (positives[y] - negatives[y]));
  }
  const double scale = static_cast<double>(counts.n) / classes;
  return {scale * range.low, scale * range.high};
}

// What the rows of each class add to the mean of the classes' AUROC, and the range of that.
template <class T>
void add_ranking(Quality& quality, const Array& logits, const QualityCounts& counts, const RowScores& scores,
                 double level) {
  const std::span<const std::int64_t> labels = quality.labels;
  const std::size_t n = labels.size(), k = counts.k;
  if (n * k > most_ranked) return;
  const auto values = logits.view<T>();
  const auto log_odds = [&](std::size_t i, std::size_t c) {
    const double F = values[i * k + c], below = F - scores.log_sum[i];  // log p
    return below > -std::numbers::ln2 ? F - scores.log_rest[i] : below - std::log1p(-std::exp(below));
  };
  struct Ranked {
    double sum = 0, classes = 0;
    Values influence;
  };
  const std::size_t first = k == 2 ? 1 : 0, ranked = k - first;
  const auto map = [&](std::size_t begin, std::size_t end) {
    Ranked part{0, 0, Values(n)};
    Values odds(n);
    std::vector<std::int64_t> positive(n);
    for (std::size_t c = first + begin; c < first + end; ++c) {
      for (std::size_t i = 0; i < n; ++i)
        odds[i] = log_odds(i, c), positive[i] = labels[i] == static_cast<std::int64_t>(c);
      auto one = auroc(odds, positive);
      if (!one) continue;
      const double a = one->value;
      const std::array<Interval, 2> ranges{{{-a, 1 - a}, {0, 1}}};
      for (std::size_t i = 0; i < n; ++i) {
        const double off = one->placements[i] - a,
                     rows = static_cast<double>(positive[i] != 0 ? one->positives : one->negatives);
        part.influence[i] += off * static_cast<double>(n) / rows;
        if (positive[i] == 0) one->placements[i] = off;
      }
      const Interval ends = stratified_mean_interval(one->placements, positive, ranges, level);
      quality.found.classes[c].auroc = {a, std::max(0., ends.low), std::min(1., ends.high)};
      part.sum += a, ++part.classes;
      if (k == 2) quality.rows[ranking] = {std::move(one->placements), {ranges[0], ranges[1]}};
    }
    return part;
  };
  const auto join = [](Ranked a, const Ranked& b) {
    a.sum += b.sum, a.classes += b.classes;
    for (std::size_t i = 0; i < a.influence.size(); ++i) a.influence[i] += b.influence[i];
    return a;
  };
  Ranked all = reduce_chunks<Ranked>(ranked, std::max<std::size_t>(1, ranked / 16), map, join);
  if (all.classes == 0) return;
  const double value = all.sum / all.classes;
  quality.found.auroc.value = value;
  if (k == 2) {
    quality.found.classes[0].auroc = quality.found.classes[1].auroc;
    return;
  }
  const Interval range = range_of_influence(quality.found.classes, counts, all.classes);
  for (double& influence : all.influence) influence = value + influence / all.classes;
  quality.rows[ranking] = {std::move(all.influence), {{value + range.low, value + range.high}}};
}

void add_losses(Quality& quality, RowScores scores) {
  quality.found.log_loss.value = mean_of(scores.loss), quality.found.brier.value = mean_of(scores.square);
  const double most = *std::ranges::max_element(scores.loss);
  quality.rows[log_loss] = {std::move(scores.loss), {{0, most}}};
  quality.rows[brier] = {std::move(scores.square), {{0, 2}}};
}

void add_calibration(Quality& quality, const Predictions& said, double level) {
  const std::span<const std::int64_t> labels = quality.labels;
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
    tasks::ReliabilityBin one{
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
  quality.found.ece.value = error;
  QualityRows& rows = quality.rows[calibration];
  rows.ranges = {{-1, 1}};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double off = said.confidences[i] - (said.classes[i] == labels[i] ? 1 : 0);
    rows.values.push_back(bins[bin_of(said.confidences[i])].off < 0 ? -off : off);
  }
}

// "fewer than 10 rows of class b"; empty where every class has `least` rows.
std::string few_rows(const QualityCounts& counts, std::size_t least, std::span<const std::string> names) {
  std::size_t few = 0, without = 0, first = 0;
  for (std::size_t c = counts.k; c-- > 0;) {
    if (counts.labelled[c] >= least) continue;
    ++few;
    if (counts.labelled[c] == 0 || without == 0) first = c;
    without += counts.labelled[c] == 0;
  }
  if (few == 0) return "";
  std::string text = without > 0 ? "no rows" : fmt::format("fewer than {} rows", least);
  const std::string number = fmt::format("class {}", first);
  text += " of " + (names.empty() || names[first] == number ? number : "class " + names[first]);
  if (few > 1) text += fmt::format(", and too few of {} more", few - 1);
  return without > 0 ? fmt::format("{}; the mean excludes {} of {} classes", text, without, counts.k) : text;
}

void add_reasons(Quality& quality, const QualityCounts& counts, std::span<const std::string> names) {
  quality.without_interval[balanced_accuracy] = few_rows(counts, 1, names);
  quality.without_interval[macro_f1] = quality.without_interval[ranking] =
      few_rows(counts, least_rows, names);
  if (const auto all = std::ranges::find(counts.labelled, quality.labels.size());
      all != counts.labelled.end()) {
    const auto only = static_cast<std::size_t>(all - counts.labelled.begin());
    quality.without_interval[ranking] =
        fmt::format("all labels are {}, but AUROC requires two classes",
                    names.empty() ? fmt::format("class {}", only) : names[only]);
  }
  if (quality.labels.size() * counts.k > most_ranked)
    quality.without_interval[ranking] = fmt::format("more than {} scores", most_ranked);
  const std::size_t errors =
      quality.labels.size() - std::accumulate(counts.right.begin(), counts.right.end(), std::size_t{0});
  if (errors < least_errors)
    quality.without_interval[log_loss] =
        errors == 0 ? "no error observed" : fmt::format("fewer than {} errors", least_errors);
  else if (!std::isfinite(*quality.found.log_loss.value))
    quality.without_interval[log_loss] = "the log loss is infinite";
}

Interval interval_of(const QualityRows& rows, std::span<const std::int64_t> labels, double level) {
  return stratified_mean_interval(
      rows.values, rows.ranges.size() == 1 ? std::span<const std::int64_t>() : labels, rows.ranges, level);
}

void add_intervals(Quality& quality, double level) {
  for (std::size_t m = 0; m < quality_metrics; ++m) {
    if (!quality.without_interval[m].empty()) continue;
    quality.ends[m] = interval_of(quality.rows[m], quality.labels, level);
    Measured& found = quality.found.*quality_measures[m].value;
    const double chance = m == calibration ? quality.calibration_noise : 0;
    found.low = std::max(0., quality.ends[m].low - chance);
    found.high = std::min(quality_measures[m].range.most, quality.ends[m].high);
  }
}

template <class T>
Quality computed(const Array& logits, std::span<const std::int64_t> labels, const Predictions& said,
                 double level, std::span<const std::string> names) {
  const std::size_t k = logits.shape[1];
  Quality quality;
  quality.found.n = labels.size();
  quality.labels.assign(labels.begin(), labels.end());
  RowScores scores = row_scores<T>(logits, labels);
  const QualityCounts counts = counts_of(labels, said, k);
  add_classes(quality.found, counts, level);
  add_balanced_accuracy(quality, counts, said);
  add_macro_f1(quality, counts, said);
  add_ranking<T>(quality, logits, counts, scores, level);
  add_losses(quality, std::move(scores));
  add_calibration(quality, said, level);
  add_reasons(quality, counts, names);
  add_intervals(quality, level);
  if (k <= max_confusion_classes) quality.found.confusion = confusion_counts(labels, said.classes, k);
  return quality;
}

}  // namespace

Quality quality_of(const Array& logits, std::span<const std::int64_t> labels, const Predictions& said,
                   double level, std::span<const std::string> names) {
  return logits.type == ElementType::f32 ? computed<float>(logits, labels, said, level, names)
                                         : computed<double>(logits, labels, said, level, names);
}

std::map<std::string, std::string> interval_gaps(const Quality* before, const Quality* after) {
  std::map<std::string, std::string> gaps;
  for (std::size_t m = 0; m < quality_metrics; ++m) {
    const auto say = [&](const std::string& part, const std::string& reason, bool of_value) {
      const std::string key = part + "." + quality_measures[m].key;
      if (of_value) gaps[key] = reason;
      if (!reason.empty()) gaps[key + "_low"] = gaps[key + "_high"] = reason;
    };
    const auto missing = [&](const Quality* set) {
      return set && !(set->found.*quality_measures[m].value).value;
    };
    if (before) say("source_quality", before->without_interval[m], missing(before));
    if (after) say("quality", after->without_interval[m], missing(after));
    if (!before || !after) continue;
    const std::string &own = after->without_interval[m], &source = before->without_interval[m];
    say("quality_change", source.empty() ? own : "source: " + source, missing(before) || missing(after));
    if (missing(after) && !missing(before))
      gaps[fmt::format("quality_change.{}", quality_measures[m].key)] = own;
  }
  return gaps;
}

tasks::QualityChange quality_change(const Quality& before, const Quality& after, bool paired, double level) {
  tasks::QualityChange found;
  const bool same_labels = std::ranges::equal(before.labels, after.labels);
  for (std::size_t m = 0; m < quality_metrics; ++m) {
    const Measured &a = before.found.*quality_measures[m].value, &b = after.found.*quality_measures[m].value;
    if (!a.value || !b.value) continue;
    Measured& change = found.*quality_measures[m].value;
    change.value = *b.value - *a.value;
    if (!a.low || !b.low) continue;
    const Interval &from = before.ends[m], &to = after.ends[m];
    Interval ends{*change.value - std::hypot(*b.value - to.low, from.high - *a.value),
                  *change.value + std::hypot(to.high - *b.value, *a.value - from.low)};
    if (paired && same_labels) {
      QualityRows apart = after.rows[m];
      const QualityRows& less = before.rows[m];
      for (std::size_t i = 0; i < apart.values.size(); ++i) apart.values[i] -= less.values[i];
      for (std::size_t s = 0; s < apart.ranges.size(); ++s)
        apart.ranges[s].low -= less.ranges[s].high, apart.ranges[s].high -= less.ranges[s].low;
      const Interval same = interval_of(apart, after.labels, level);
      if (same.high - same.low < ends.high - ends.low) ends = same;
    }
    if (m == calibration) ends.low -= after.calibration_noise, ends.high += before.calibration_noise;
    change.low = std::max(-quality_measures[m].range.most, ends.low),
    change.high = std::min(quality_measures[m].range.most, ends.high);
  }
  return found;
}

}  // namespace leeway::assess
