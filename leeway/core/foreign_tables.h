// Peculiarities of tables that other programs write: Weka's columns, row names, numbers in class names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/csv.h"

namespace leeway {

// Weka's predictions, -classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution":
//
//   inst#,actual,predicted,error,distribution,
//   1,1:no,1:no,,*0.9,0.1
//
// Classes are NUMBER:NAME, a missing class is NUMBER:?, a star marks the largest score, and the columns after
// `distribution` have no names. Names these columns prob_CLASS and reduces fields to numbers and class names.
// Other tables are unchanged. Error: predictions without -distribution.
void read_weka_columns(CsvTable& table, std::string_view name);

// The name that R (none, rownames) and pandas (Unnamed: 0) give to a column of row names.
[[nodiscard]] bool is_row_name(std::string_view column);

// confidence, max_prob, ...: the score of the predicted class, whichever it is.
[[nodiscard]] bool is_confidence(std::string_view column);

// The numbers after a word that all names begin with: LABEL_1, LABEL_0 (Hugging Face) as 1, 0, and X4, X6 (R)
// as 4, 6. Empty if a name does not end in a number.
[[nodiscard]] std::vector<std::size_t> numbers_after_word(std::span<const std::string> names);
// At least two numbers: from 0 or 1 without a gap, in any order.
[[nodiscard]] bool counts_up(std::span<const std::size_t> numbers);

}  // namespace leeway
