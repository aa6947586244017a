#include "leeway/tasks/assess/detail/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/two_samples.h"

namespace leeway::assess {
namespace {

constexpr double unlikely = 2.6;  // standard errors
constexpr std::size_t most_steps = 500, most_products = 200'000'000;

// What the source says of each of its labels.
struct ByLabel {
  struct Share {
    std::size_t label, predicted;
    double share;  // of the label's rows
  };
  std::vector<Share> shares;  // by label, then by prediction; those that are not 0
  std::vector<double> rows, confidence, variance;
};

ByLabel by_label(const AnswerEvidence& e) {
  ByLabel known{{}, std::vector<double>(e.k), std::vector<double>(e.k), std::vector<double>(e.k)};
  std::map<std::pair<std::size_t, std::size_t>, double> counts;
  for (std::size_t row = 0; row < e.labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(e.labels[row]);
    const double confidence = e.before.confidences[row];
    ++known.rows[label];
    ++counts[{label, static_cast<std::size_t>(e.before.classes[row])}];
    known.confidence[label] += confidence;
    known.variance[label] += confidence * confidence;
  }
  for (std::size_t j = 0; j < e.k; ++j) {
    if (known.rows[j] == 0) continue;
    known.confidence[j] /= known.rows[j];
    known.variance[j] = known.variance[j] / known.rows[j] - known.confidence[j] * known.confidence[j];
  }
  for (const auto& [pair, count] : counts)
    known.shares.push_back({pair.first, pair.second, count / known.rows[pair.first]});
  return known;
}

// Shares of predictions that the labels in this mix would have.
std::vector<double> mixed(const ByLabel& known, const std::vector<double>& mix) {
  std::vector<double> shares(mix.size());
  for (const auto& [label, predicted, share] : known.shares) shares[predicted] += mix[label] * share;
  return shares;
}

// The mix of the source's labels that fits the target's shares of predictions best.
std::vector<double> fitted_mix(const ByLabel& known, const std::vector<double>& target) {
  const std::size_t k = target.size();
  double rows = 0;
  for (const double count : known.rows) rows += count;
  std::vector<double> mix(k);
  for (std::size_t j = 0; j < k; ++j) mix[j] = known.rows[j] / rows;
  const std::size_t steps = std::clamp<std::size_t>(most_products / (k + known.shares.size()), 1, most_steps);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<double> shares = mixed(known, mix);
    std::vector<double> gain(k);
    for (const auto& [label, predicted, share] : known.shares)
      if (shares[predicted] > 0) gain[label] += target[predicted] * share / shares[predicted];
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += mix[j] *= gain[j];
    if (sum <= 0) break;
    for (double& share : mix) share /= sum;
  }
  return mix;
}

double variance_of(const Predictions& said) {
  double sum = 0;
  for (const double confidence : said.confidences)
    sum += (confidence - said.mean_confidence) * (confidence - said.mean_confidence);
  return sum / static_cast<double>(said.confidences.size());
}

bool explained_by_mix(const AnswerEvidence& e) {
  const ByLabel known = by_label(e);
  const auto n = static_cast<double>(e.labels.size()), m = static_cast<double>(e.after.classes.size());
  std::vector<double> target(e.k);
  for (const std::int32_t predicted : e.after.classes) target[static_cast<std::size_t>(predicted)] += 1 / m;
  const std::vector<double> mix = fitted_mix(known, target), shares = mixed(known, mix);
  double apart = 0, noise = 0, confidence = 0, variance = variance_of(e.after) / m;
  for (std::size_t j = 0; j < e.k; ++j) {
    apart += std::abs(shares[j] - target[j]) / 2;
    noise += std::sqrt(target[j] * (1 - target[j]) * (1 / n + 1 / m)) / 2;
    confidence += mix[j] * known.confidence[j];
    if (known.rows[j] > 0) variance += mix[j] * mix[j] * known.variance[j] / known.rows[j];
  }
  return apart <= slack + noise &&
         std::abs(e.after.mean_confidence - confidence) <= std::max(slack, unlikely * std::sqrt(variance));
}

}  // namespace

record::LikelyError likely_error(const AnswerEvidence& e) {
  const double p = e.drift.classes.p_alone;
  const std::string words = record::p_words(p), chance = "p " + (words[0] == '<' ? words : "= " + words);
  record::LikelyError answer;
  std::vector<error_bound::Estimate> list = e.estimates.estimates;
  if (p > moved_p) {
    answer.method = "cot";
    answer.reason =
        fmt::format("the mix of predicted classes is the source's for all that a test sees ({})", chance);
  } else if (explained_by_mix(e)) {
    answer.method = "atc-ne";
    answer.reason = fmt::format(
        "the mix of predicted classes moved ({}) as it does where only the mix of true classes moves, which "
        "cot "
        "would take for error",
        chance);
    std::erase_if(list, [](const error_bound::Estimate& one) { return one.estimator->transport; });
  } else {
    answer.method = "cot";
    answer.reason = fmt::format(
        "predictions moved ({}) as no other mix of the source's classes explains, so the inputs changed",
        chance);
  }
  const auto chosen = std::ranges::find_if(
      list, [&](const error_bound::Estimate& one) { return one.estimator->name == answer.method; });
  const double s = e.estimates.source_error;
  if (e.changed) {
    const double low = std::max(0., *e.changed - s), high = std::min(1., *e.changed + s),
                 error = std::clamp(chosen->error, low, high);
    const Interval sampling =
        error_bound::sampling_interval(error, e.after.classes.size(), s, e.labels.size(), e.level);
    answer.reason +=
        fmt::format("; {} of predictions changed, so the error is within {} of that, the error on the source",
                    percent(*e.changed, 1), percent(s, 1));
    answer.error = {error, sampling.low, sampling.high};
    answer.low = std::min(low, sampling.low), answer.high = std::max(high, sampling.high);
    return answer;
  }
  const auto [lowest, highest] = std::ranges::minmax(list, {}, &error_bound::Estimate::error);
  const Interval sampling = chosen->interval.value_or(
      error_bound::sampling_interval(chosen->error, e.after.classes.size(), s, e.labels.size(), e.level));
  answer.error = {chosen->error, sampling.low, sampling.high};
  answer.low = std::min(lowest.error, sampling.low);
  answer.high = std::max(highest.error, sampling.high);
  return answer;
}

}  // namespace leeway::assess
