// Clean against shifted predicted class, and the samples that flip.
// `clean` and `shifted` are predicted classes of the same n rows, each in 0..k-1; a row flips where they
// differ. Cost: a sort of the rows that flip. No randomness; ties among equal flips go to the lower row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

inline constexpr std::size_t max_confusion_classes =
    100;  // beyond that only the most frequent changes are kept
inline constexpr std::size_t max_top_flips = 50;

// counts[i][j] rows are i in `first`, predictions or labels, and were predicted as j.
template <class Classes>
[[nodiscard]] std::vector<std::vector<std::size_t>> confusion_counts(const Classes& first,
                                                                     std::span<const std::int32_t> predicted,
                                                                     std::size_t k) {
  std::vector<std::vector<std::size_t>> counts(k, std::vector<std::size_t>(k));
  for (std::size_t i = 0; i < predicted.size(); ++i)
    ++counts[static_cast<std::size_t>(first[i])][static_cast<std::size_t>(predicted[i])];
  return counts;
}

// The most frequent changes of class, at most max_top_flips: by count, then by class.
[[nodiscard]] std::vector<tasks::AssessTopFlip> top_flips(std::span<const std::int32_t> clean,
                                                          std::span<const std::int32_t> shifted);

// Up to `count` rows that flip, spread over the (clean, shifted) pairs of classes: the most confident row of
// every pair, then the second of every pair, ...; within a round by the product of both confidences.
[[nodiscard]] std::vector<std::size_t> choose_flips(const TargetRows& rows, std::size_t count);

}  // namespace leeway::assess
