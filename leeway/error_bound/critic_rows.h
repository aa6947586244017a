// The rows that critics are trained and measured on: which, and in which representation.
//
// A split puts the share `holdout` of n rows aside, at least one and not all (holdout 0: every row is in both
// parts). Rows are shuffled by Random keyed by seed and purpose; with classes given, every class keeps its
// share to within one row.
//
// Columns are centred and divided by their standard deviation over the training rows of both sets: with the
// bias that changes neither the class of critics nor an optimum, only the optimiser's path; a column that is
// constant becomes 0. Rows hold float32, cut off at 1e18: squares of gradients and scores stay numbers.
// Errors (Error): a single row to split, features that are needed and missing or have no column, no component or
// more than features.
// Cost: two passes over the representation; components: n d^2 and d^3 operations in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/error_bound/critic.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct Split {
  std::vector<std::size_t> training, holdout;
};
// `classes` (n), or empty.
[[nodiscard]] Split split_rows(const Sample& sample, double holdout, std::span<const std::int64_t> classes,
                               std::uint64_t seed, std::string_view purpose);

enum class Scaling { standard, none };  // none: as the file holds them, for the papers' recipe

struct CriticData {
  Split source, target;
  CriticRows training, holdout;
  std::vector<double> centre, scale;  // (d): x = (value - centre) / scale
};
[[nodiscard]] CriticData critic_data(const Sample& source, const Sample& target, const Dis2Options& options,
                                     Scaling scaling);

// Classes that the classifier under test predicts: the lowest of the best.
[[nodiscard]] std::vector<std::int32_t> predictions(const Sample& sample);

}  // namespace leeway::error_bound
