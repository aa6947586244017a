// A table of outputs as the arrays that an npz file would hold: logits or probs, labels, features, groups, group_names,
// class_names, norms, ids; and in words how its columns were read (outputs_columns.h says how they are known).
//
// Where names leave it open, scores whose rows all sum to 1 are probabilities, to the rounding of two decimals; rows of
// numbers from 0 to 1 that do not are refused, and all others are logits. One column called score holds probabilities of
// the positive class where all are within 0 and 1, logits where some are negative. Labels that are no numbers stay text,
// and so do ids. Where classes are named by numbers, labels are those numbers.
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
