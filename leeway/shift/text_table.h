// Shifts one text column of a CSV file; the other columns stay unchanged.
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

// Reads a CSV text (csv.h; `name` opens messages) and passes the changed one to `write`, piece by piece. Only
// changed texts differ in bytes; they are quoted if they were or must be. Row i is the i-th record after the
// header. `sampled`: how many changed rows to keep.
//
// Errors (Error): those of CsvRecords and TextShift; a missing column, a label neither positive nor negative,
// no rows. Cost: one pass, rows in parallel; mostly edit distances (core/characters.h). Memory: at most 2,048
// rows and 16 MiB of texts before and after, but at least one row. Deterministic for any number of threads.
// Throws Interrupted when `progress`, which counts bytes, requests it.
[[nodiscard]] TableChange shift_table(std::string_view csv, std::string_view name, const TextShift& member,
                                      const TextOptions& options, const TextColumns& columns,
                                      std::size_t sampled, const std::function<void(std::string_view)>& write,
                                      Progress* progress);

// Two texts side by side, for readers.
struct TextPair {
  std::string before, after;
};

// The parts around the first difference: from at most a quarter of `limit` characters before it on, `limit` characters; "..."
// stands where something is left out. Both texts are UTF-8.
[[nodiscard]] TextPair excerpts(std::string_view before, std::string_view after, std::size_t limit);

// Words that the other text lacks in [brackets] in the first and in {braces} in the second, by a longest common subsequence of
// words and white space. Cost: the product of their numbers.
[[nodiscard]] TextPair marked(std::string_view before, std::string_view after);

}  // namespace leeway::shift
