#include "leeway/tasks/assess/detail/confidence.h"

#include <algorithm>

namespace leeway::assess {

std::vector<std::size_t> confidence_histogram(std::span<const double> confidences) {
  std::vector<std::size_t> counts(confidence_bins);
  for (const double confidence : confidences) {
    const auto bin = static_cast<std::size_t>(confidence * static_cast<double>(confidence_bins));
    ++counts[std::min(bin, confidence_bins - 1)];
  }
  return counts;
}

std::vector<double> class_shares(std::span<const std::int32_t> classes, std::size_t k) {
  std::vector<std::size_t> counts(k);
  for (const std::int32_t predicted : classes) ++counts[predicted];
  std::vector<double> shares(k);
  for (std::size_t j = 0; j < k; ++j)
    shares[j] = static_cast<double>(counts[j]) / static_cast<double>(classes.size());
  return shares;
}

}  // namespace leeway::assess
