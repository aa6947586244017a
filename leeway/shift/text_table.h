// A shift of one column of texts in a CSV file, the rest of it as it stands.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/shift/text.h"

namespace leeway::shift {

struct TextColumns {
  std::string text = "text";
  std::string label = "label";  // of shifts that need it
  // What the label may say, numbers by their value, letters in either case.
  std::vector<std::string> positive = {"1", "pos", "positive"}, negative = {"0", "-1", "neg", "negative"};
};

// Whether a label is one of the values: numbers by their value, letters in either case.
[[nodiscard]] bool is_among(std::string_view label, const std::vector<std::string>& values);

// Two texts, the row that they stand for, and their Levenshtein distance.
struct ChangedText {
  std::size_t row = 0, distance = 0;
  std::string before, after;
};

struct TableChange {
  std::size_t n = 0, columns = 0;  // rows, columns of the table
  std::size_t n_changed = 0;       // rows whose text is another
  std::size_t n_overwritten = 0;   // rows of which a member that replaces words had leave to replace all
  std::size_t characters = 0, words = 0;  // of all texts before the change
  std::size_t distance = 0;               // sum over rows: fewest characters inserted, deleted or replaced
  std::size_t words_distance = 0;         // the same of words
  std::vector<ChangedText> sample;        // of the rows that changed, at random, in order
};

// Reads a CSV text (csv.h; `name` opens messages) and gives the changed one to `write`, piece by piece. A byte is another only
// within a text that changed: quotes, line ends and other columns stay. A changed cell is quoted where it was, and where it has
// to be. Row i is the i-th record after the header. `sampled`: how many changed rows to keep.
//
// Errors (Error): those of CsvRecords; a missing column, a label that is neither positive nor negative, no rows, those of
// TextShift. Cost: one pass, rows in parallel; in memory at most 2,048 of them, 16 MiB of texts before and after, but
// at least one; the distances cost most (edit_distance.h).
// Determinism: the same for any number of threads. Interrupted is thrown when `progress`, which counts bytes, says so.
[[nodiscard]] TableChange shift_table(std::string_view csv, std::string_view name, const TextShift& member,
                                      const TextOptions& options, const TextColumns& columns,
                                      std::size_t sampled, const std::function<void(std::string_view)>& write,
                                      Progress* progress);

}  // namespace leeway::shift
