// Converts a CSV table of outputs to the arrays of an npz file (logits or probs, labels, features, groups,
// group_names, class_names, norms, ids) and describes how its columns were read (outputs_columns.h).
//
// Where names are ambiguous, scores whose rows all sum to 1 (to two decimals) are probabilities; other rows
// of numbers from 0 to 1 are refused; the rest are logits. One column `score` is probabilities of the
// positive class if all are in [0,1], logits if some are negative. Labels that are not numbers, and ids, stay
// text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/outputs.h"

namespace leeway {

struct TableOfOutputs {
  ArrayMap arrays;
  std::string reading;  // one line; empty where all names are the standard ones and every column was read
  std::vector<std::string> warnings;  // what was decided by values
};

[[nodiscard]] TableOfOutputs outputs_from_csv(std::string_view text, std::string_view name,
                                              const OutputsOptions& options = {});

// The label column alone.
[[nodiscard]] Array labels_from_csv(std::string_view text, std::string_view name,
                                    const OutputsOptions& options = {});

}  // namespace leeway
