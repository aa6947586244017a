#include <fmt/format.h>

#include "leeway/tasks/sections.h"
#include "leeway/tasks/shift_text/shift_text.h"

namespace leeway::tasks {

View view(const ShiftText& record) {
  const ShiftedTexts& set = record.results.front();
  Table table(fmt::format("{} of strength {:g}: {}", set.shift, set.strength, set.strength_means),
              {text_column("Mean per text"), number_column("Before"), number_column("Changed")});
  table.add({text_cell("characters"), fixed_cell(set.mean_characters, 2), fixed_cell(set.mean_distance, 2)});
  table.add({text_cell("words"), fixed_cell(set.mean_words, 2), fixed_cell(set.mean_words_changed, 2)});
  Blocks sheet;
  for (const shift::ChangedText& line : set.sheet) {
    const shift::TextPair pair = shift::marked(line.before, line.after);
    sheet += term_list({{fmt::format("row {}", line.row), fmt::format("distance {}", line.distance)},
                        {"  before", pair.before},
                        {"  after", pair.after}});
  }
  if (!sheet.empty()) sheet = subheading("[gone] and {new}") + std::move(sheet);
  return plain_view("shifted texts", record.envelope, table.block() + std::move(sheet));
}

}  // namespace leeway::tasks
