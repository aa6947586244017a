// The sentences of an assessment, in plain English.
//
// Numbers: a share is printed in percent; its digits stop where its interval begins (an interval 1.8 points
// wide: whole percents, its ends with one digit more). "Down from" and "more" stand only where the interval
// of the difference leaves out 0. A model named "model" is "the model".
#pragma once

#include <string>
#include <vector>

#include "leeway/tasks/assess/detail/summary.h"

namespace leeway::assess {

struct WordsOptions {
  std::string unit = "samples";
  double level = .95;
};

// The worst result with its interval, and what the other models do on the same target. Labelled results go
// before paired ones, these before those of which only confidences are known; within them the largest loss of
// accuracy, the lowest accuracy (no source labels), the largest share of flips, or the largest loss of
// confidence. Without labels it says what is known: the range of the estimates and the one to read (answer.h), the error on the source, the bound,
// and what drifted (drift.h).
// Targets of as many rows as their source that are not taken for pairs are named with the reason. Not empty.
[[nodiscard]] std::string headline(const std::vector<Summary>& summaries,
                                   const std::vector<Comparison>& comparisons,
                                   const WordsOptions& options = {});

// One sentence a result, in the headline's order, with the class and the group that are clearly weaker than the
// whole.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Summary>& summaries,
                                                const WordsOptions& options = {});

[[nodiscard]] std::string percent(const Share& share);        // "74%", digits by its interval
[[nodiscard]] std::string interval_text(const Share& share);  // "73.1 to 74.9"
[[nodiscard]] std::string whole_percent(double share);        // "74%", "under 1%", "over 99%"

}  // namespace leeway::assess
