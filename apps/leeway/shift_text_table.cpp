#include <fmt/format.h>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/shift/text_difference.h"

namespace leeway::app {
namespace {

std::string sheet_of(const record::ShiftedTexts& set) {
  if (set.sheet.empty()) return "";
  std::string text = "\n[gone] and {new}:\n";
  for (const record::TextLine& line : set.sheet) {
    const shift::TextPair pair = shift::marked(line.before, line.after);
    text += fmt::format("row {}, distance {}\n  before  {}\n  after   {}\n", line.row, line.distance,
                        shown(pair.before), shown(pair.after));
  }
  return text;
}

}  // namespace

std::string table_of(const record::ShiftText& record) {
  const record::ShiftedTexts& set = record.results.front();
  std::string text = words_of(record.envelope) + "\n" +
                     fmt::format("{} of strength {:g} ({}), seed {}\n", set.shift, set.strength,
                                 set.strength_means, record.envelope.seed);
  TextTable table({left("mean of a text", 14), right("before", 10), right("changed", 10)});
  table.add("characters", fmt::format("{:.2f}", set.mean_characters),
            fmt::format("{:.2f}", set.mean_distance));
  table.add("words", fmt::format("{:.2f}", set.mean_words), fmt::format("{:.2f}", set.mean_words_changed));
  return text + table.text() + sheet_of(set);
}

}  // namespace leeway::app
