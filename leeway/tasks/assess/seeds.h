// Part of the record of leeway assess: mean results over seeds.
//
// A model or target called NAME#NUMBER is one of several seeds of NAME. For m >= 2 seeds of one model and
// target, a quantity with mean x̄ and standard deviation s (denominator m - 1) has the interval x̄ ± t s /
// sqrt(m), t from Student's distribution with m - 1 degrees of freedom, cut to the quantity's range. The
// interval covers the mean over further seeds on the same rows, if seeds scatter normally; each result's own
// interval covers the sampling of rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"

namespace leeway::tasks {

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

}  // namespace leeway::tasks
