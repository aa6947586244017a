// Small sets of outputs for the tests of estimators.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

inline Sample sample_of(std::size_t k, std::vector<double> logits, std::vector<std::int64_t> labels = {},
                        const char* name = "source") {
  const std::size_t n = logits.size() / k;
  return {name, make_array<double>({n, k}, std::move(logits)), std::move(labels), std::nullopt};
}

inline std::vector<double> logits_of(const Sample& sample) { return to_f64(sample.logits.joined(), ""); }

// Normal logits, the label's raised by `skill`; a step above 0 rounds them to its multiples: ties.
inline Sample drawn(std::size_t n, std::size_t k, double skill, std::uint64_t seed, double step = 0) {
  Random random(seed, stream("estimator test"));
  std::vector<double> logits(n * k);
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<std::int64_t>(random.below(k));
    for (std::size_t j = 0; j < k; ++j) {
      const double value = random.normal() + (static_cast<std::int64_t>(j) == labels[i] ? skill : 0);
      logits[i * k + j] = step > 0 ? step * std::round(value / step) : value;
    }
  }
  return sample_of(k, std::move(logits), std::move(labels));
}

// Normal logits, a random class raised by margin + log k; labels drawn from the softmax, which is calibrated therefore.
inline Sample calibrated(std::size_t n, std::size_t k, double margin, std::uint64_t seed) {
  Random random(seed, stream("estimates at rest"));
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t top = random.below(k);
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      logits.push_back(random.normal() + (j == top ? margin + std::log(k) : 0));
      sum += std::exp(logits.back());
    }
    double left = random.uniform() * sum;
    std::int64_t label = -1;
    for (std::size_t j = 0; j < k && left >= 0; ++j, ++label) left -= std::exp(logits[i * k + j]);
    labels.push_back(label);
  }
  return sample_of(k, std::move(logits), std::move(labels));
}

}  // namespace leeway::error_bound
