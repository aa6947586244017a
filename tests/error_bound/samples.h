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

}  // namespace leeway::error_bound
