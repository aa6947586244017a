// Recognizes the columns of tables of outputs by their names.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/io/csv.h"

namespace leeway {

enum class ScoreKind { logits, probs, open };  // open: the values decide

inline constexpr std::array<std::string_view, 4> standard_label_names{"y_true", "label", "labels", "y"};
[[nodiscard]] bool is_standard_label(std::string_view column);
// A standard name in another case or with other punctuation, or target, class, truth, gold, ...
[[nodiscard]] bool is_label(std::string_view column);
// One typing mistake away from label, labels, y_true or target.
[[nodiscard]] bool is_misspelt_label(std::string_view column);
// A name of scores without a class: proba, y_score, predict_proba, ...
[[nodiscard]] bool is_scores(std::string_view name);
// A field without a value: empty, nan, na, null, none, ?, -.
[[nodiscard]] bool is_missing(std::string_view field);
// y_pred, prediction, ...
[[nodiscard]] bool is_prediction(std::string_view column);
// confidence, max_prob, ...: the score of the predicted class, whichever it is.
[[nodiscard]] bool is_confidence(std::string_view column);

// no and yes, neg and pos, false and true, ..., in any case.
[[nodiscard]] bool are_negative_and_positive(std::string_view first, std::string_view second);
[[nodiscard]] bool is_negative(std::string_view name);  // the first of such two, or 0

// time, timestamp, datetime, date, event_time, created_at, ...
[[nodiscard]] bool is_time(std::string_view column);

// What a star in `pattern` stands for, or "" for the name itself; nothing if `pattern` does not match `name`.
[[nodiscard]] std::optional<std::string> star_text(std::string_view pattern, std::string_view name);

// The whole text as a number without sign.
[[nodiscard]] std::optional<std::size_t> whole_number(std::string_view text);
// "2019.0", as pandas writes a whole number beside missing ones, as "2019"; other texts as they are.
[[nodiscard]] std::string_view without_zeros(std::string_view text);
[[nodiscard]] bool are_words(const std::set<std::string>& values);

// "Prob_cat" as "prob_" (lower case) and "cat"; "score" as "score" and ""; nothing without a prefix.
struct ScoreName {
  std::string prefix;
  ScoreKind kind;
  std::string suffix;
};
[[nodiscard]] std::optional<ScoreName> split_score_name(std::string_view column);

// Peculiarities of tables that other programs write: Weka's columns, row names, numbers in class names.

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

// The numbers after a word that all names begin with: LABEL_1, LABEL_0 (Hugging Face) as 1, 0, and X4, X6 (R)
// as 4, 6. Empty if a name does not end in a number.
[[nodiscard]] std::vector<std::size_t> numbers_after_word(std::span<const std::string> names);
// At least two numbers: from 0 or 1 without a gap, in any order.
[[nodiscard]] bool counts_up(std::span<const std::size_t> numbers);

}  // namespace leeway
