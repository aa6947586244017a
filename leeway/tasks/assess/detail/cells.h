// Accuracy and agreement by class and by group, worst first; flips; the weakest sub-groups.
//
// A cell holds the rows of one class (by label, else by clean prediction), of one level of an attribute, or,
// with labels, of one class and level ("class / background", "1 / water"), as in worst-group accuracy. Sorted
// by accuracy (agreement without labels), ties by class or order of levels, cells without rows last. Small
// cells stay; their intervals are wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

inline constexpr std::size_t max_cells_per_attribute = 1000;  // the worst are kept

// The rows of one side. `labels` is empty where there are none; rows of no_label are in no cell.
struct Side {
  std::span<const std::int32_t> predicted;
  std::span<const std::int64_t> labels;
  const std::vector<GroupColumn>* groups = nullptr;
};

struct CellOptions {
  bool paired = false;
  double level = .95;
  std::vector<std::string> class_names;  // k
};

// Empty without labels and without pairs: then nothing is known of a class.
[[nodiscard]] std::vector<tasks::AssessCell> class_cells(const Side& source, const Side& target,
                                                         const CellOptions& options);

// Empty without groups on the target, and without labels and pairs.
[[nodiscard]] std::vector<tasks::AssessCell> group_cells(const Side& source, const Side& target,
                                                         const CellOptions& options);

// Clean against shifted predicted class, and the samples that flip.
// `clean` and `shifted` are predicted classes of the same n rows, each in 0..k-1; a row flips where they
// differ. Cost: a sort of the rows that flip. No randomness; ties among equal flips go to the lower row.

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

// The groups and pairs of groups where a model is weakest, with valid intervals.
//
// The lowest of many accuracies is low by chance, too. So a random half of the rows finds the `listed`
// sub-groups whose accuracy has the lowest upper end (Wilson, at the level); the other half measures them:
// Clopper-Pearson, and the difference to its other rows (Newcombe), each at 1 - (1 - level) / listed found.
// All hold at once with probability `level`, for any number searched. A sub-group is a value of a column, or
// of two columns, with at least `least` rows in each half, whichever rows are right.
// Deterministic; the order of rows changes a row's half. Cost: a pass over the rows for each pair of columns.

struct SubgroupOptions {
  std::size_t least = 20, listed = 5;
  double level = .95;
  std::uint64_t seed = 0;
};

// `correct` has one entry a row, as have the columns.
[[nodiscard]] tasks::AssessSubgroups weakest_subgroups(const std::vector<GroupColumn>& columns,
                                                       std::span<const std::uint8_t> correct,
                                                       const SubgroupOptions& options = {});

}  // namespace leeway::assess
