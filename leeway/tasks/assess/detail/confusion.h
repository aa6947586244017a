// What the predictions change into: clean against shifted predicted class, and the samples that flip.
//
// clean and shifted are the predicted classes of the same n rows, each in 0..k-1. A row flips where the two
// differ. Cost: a pass over the rows. No randomness; ties among equal flips go to the lower row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::assess {

inline constexpr std::size_t max_confusion_classes =
    100;  // beyond that only the most frequent changes are kept
inline constexpr std::size_t max_top_flips = 50;

// counts[i * k + j] rows were predicted as i clean and as j shifted.
[[nodiscard]] std::vector<std::size_t> confusion_counts(std::span<const std::int32_t> clean,
                                                        std::span<const std::int32_t> shifted, std::size_t k);

struct TopFlip {
  std::int32_t from = 0, to = 0;
  std::size_t count = 0;
};
// The most frequent changes of class, at most max_top_flips: by count, then by class.
[[nodiscard]] std::vector<TopFlip> top_flips(std::span<const std::int32_t> clean,
                                             std::span<const std::int32_t> shifted);

struct PredictedPair {
  std::span<const std::int32_t> clean, shifted;
  std::span<const double> clean_confidences, shifted_confidences;
};
// Up to `count` rows that flip, spread over the changes of class: first the most confident row of every
// (clean, shifted) pair of classes, then the second of every pair, and so on; within a round by confidence,
// the product of both.
[[nodiscard]] std::vector<std::size_t> choose_flips(const PredictedPair& pair, std::size_t count);

}  // namespace leeway::assess
