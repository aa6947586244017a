// How sure the classifier is, before and after: histograms of confidence, and the shares of predicted
// classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::assess {

inline constexpr std::size_t confidence_bins = 20;  // of equal width over [0,1]

// Counts for the bins [j/20, (j+1)/20); the last one holds 1, too. Confidences lie in [0,1].
[[nodiscard]] std::vector<std::size_t> confidence_histogram(std::span<const double> confidences);

// Share of rows predicted as each of k classes.
[[nodiscard]] std::vector<double> class_shares(std::span<const std::int32_t> classes, std::size_t k);

}  // namespace leeway::assess
