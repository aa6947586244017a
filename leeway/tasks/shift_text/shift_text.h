// leeway shift text: a CSV file with one column of texts shifted (shift/text.h), all else unchanged. Keys:
// leeway schema shift-text.
// OptionError: an unknown text shift, a strength or option that it does not take. Errors (Error): those of
// shift/text_table.h and shift/text.h. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/shift/text_table.h"

namespace leeway::tasks {

inline constexpr std::string_view shift_text_schema = "leeway.shift-text/3";

// Nothing where an option was not given: a shift that has no use for it refuses it.
struct ShiftTextOptions {
  std::string column = "text";
  std::optional<double> strength;
  std::optional<std::string> label, mode, words;
  std::vector<std::string> positive, negative;  // empty: the usual ones
  bool sheet = false;
};

struct ShiftedTexts {
  std::string shift;
  double strength = 0;
  std::string strength_means;
  std::optional<std::size_t> edits;
  std::string column;
  std::optional<std::string> label, mode, words;  // of shifts that have a use for it
  std::size_t n = 0, n_changed = 0;
  std::optional<std::size_t> n_overwritten;  // of shifts that replace words
  double mean_characters = 0, mean_words = 0, mean_distance = 0, mean_words_changed = 0;
  std::string out;
  std::vector<shift::ChangedText> sheet;
};

using ShiftText = RecordOf<shift_text_schema, ShiftTextOptions, ShiftedTexts>;

void fields(ShiftTextOptions& options, Fields& f);
void fields(ShiftedTexts& set, Fields& f);

// How many texts changed and by how much; whether words were left in them.
[[nodiscard]] std::string headline_of(const ShiftText& record);
[[nodiscard]] std::vector<std::string> findings_of(const ShiftText& record);

struct ShiftTextTask {
  std::string shift, data, out;  // CSV files; without `out` none is written
  ShiftTextOptions options = {};
  std::uint64_t seed = 0;
  // Is told of each file that was read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
  std::optional<std::string> text = {};        // of a CSV file that `data` only names
  std::function<void(std::string)> take = {};  // is given the text of the changed file
};

[[nodiscard]] ShiftText shift_text(const ShiftTextTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const ShiftText& record);

}  // namespace leeway::tasks
