// Part of the record of leeway assess: results that differ by the seed alone, folded.
//
// A model or target called NAME#NUMBER is one of several seeds of NAME. Of m >= 2 seeds of one model and target, a quantity x
// with mean x̄ and standard deviation s (m - 1 in the denominator) has the interval x̄ ± t s / sqrt(m), t the quantile of
// Student's distribution with m - 1 degrees of freedom, cut at the ends of the quantity's range. It says where the mean over
// further seeds lies, if they scatter normally, on these rows; that the rows are a sample stands in each result's own interval.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/record/fields.h"

namespace leeway::record {

struct AssessResult;

struct SeedsOfOne {
  std::string model, target;  // without their numbers
  std::vector<std::size_t> results;
  Measured accuracy, accuracy_change, afr_pred, pa;  // those that every seed has
};

struct AssessSeeds {
  std::vector<SeedsOfOne> sets;
};

void fields(AssessSeeds& seeds, Fields& f);

// In the order of the first result of each; those of a single seed are left out, and nothing where there are no others.
[[nodiscard]] std::optional<AssessSeeds> over_seeds(const std::vector<AssessResult>& results, double level);

}  // namespace leeway::record
