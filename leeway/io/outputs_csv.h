// Converts a CSV table of outputs to the arrays of an npz file (logits or probs, labels, features, groups,
// group_names, class_names, norms, ids) and describes how its columns were read (outputs_columns.h).
//
// If names are ambiguous, scores whose rows all sum to 1 (to two decimals) are probabilities; other rows of
// numbers in [0,1] are refused, the rest are logits. One column `score` is the probability of the positive
// class if all values are in [0,1], its logit if some are negative. Ids and other labels than numbers stay
// text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/io/outputs.h"

namespace leeway {

struct TableOfOutputs {
  ArrayMap arrays;
  std::string reading;  // one line; empty if all names are standard and every column is read
  std::vector<std::string> warnings;
};

[[nodiscard]] TableOfOutputs outputs_from_csv(std::string_view text, std::string_view name,
                                              const OutputsOptions& options = {});

// The label column alone.
[[nodiscard]] Array labels_from_csv(std::string_view text, std::string_view name,
                                    const OutputsOptions& options = {});

}  // namespace leeway
