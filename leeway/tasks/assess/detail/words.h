// The sentences of an assessment, in plain English.
//
// Shares are in percent, with digits down to the width of the interval (1.8 points wide: whole percents, its
// ends with one digit more). "Down from" and "more" need an interval without 0. A model named "model" is "the
// model".
#pragma once

#include <string>
#include <vector>

#include "leeway/tasks/assess/detail/summary.h"

namespace leeway::assess {

struct WordsOptions {
  std::string unit = "samples";
  double level = .95;
};

// The worst result with its interval, and the other models on the same target. Order: labelled results, then
// paired ones, then those with confidences only; within these by loss of accuracy, lowest accuracy (no source
// labels), share of flips, or loss of confidence. Without labels: the range of the estimates and the
// recommended one (bounds.h), the error on the source, the bound, and drift (drift.h). Names targets with the
// source's number of rows that are not taken as pairs, with the reason. Not empty.
[[nodiscard]] std::string headline(const std::vector<Summary>& summaries,
                                   const std::vector<tasks::AssessComparison>& comparisons,
                                   const WordsOptions& options = {});

// One sentence a result, in the headline's order, with the class and the group that are clearly weaker.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Summary>& summaries,
                                                const WordsOptions& options = {});

[[nodiscard]] std::string share_text(const Measured& share);     // "74%", digits by its interval
[[nodiscard]] std::string interval_text(const Measured& share);  // "73.1 to 74.9"
[[nodiscard]] std::string whole_percent(double share);           // "74%", "under 1%", "over 99%"

}  // namespace leeway::assess
