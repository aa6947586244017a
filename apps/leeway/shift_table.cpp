#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/shift/text_table.h"

namespace leeway::app {
namespace {

std::string use_text(const record::CorruptionUse& use, const std::string& name) {
  return fmt::format(", {} variant, constants of {}{}{}", use.variant, use.set,
                     use.lengths == 1 ? "" : fmt::format(", lengths times {:.3g}", use.lengths),
                     name == "frost" ? ", frost " + use.frost : "");
}

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

// A line each of several sets.
static std::string sets_text(const record::Shift& record) {
  TextTable table(
      {left("shift"), right("strength", 9), right("images", 8), right("mean change", 12), left("file")});
  for (const record::ShiftedSet& set : record.results)
    table.add(set.shift,
              set.strength   ? fmt::format("{:g}", *set.strength)
              : set.severity ? std::to_string(*set.severity)
                             : "-",
              set.n, set.mean_change ? fmt::format("{:.4f}", *set.mean_change) : "-", set.out);
  return table.text();
}

std::string table_of(const record::Shift& record) {
  if (record.results.size() > 1) return sets_text(record);
  const record::ShiftedSet& set = record.results.front();
  std::string text = fmt::format("{}, seed {}: {} of {} images, shape {}\n", set.shift, record.envelope.seed,
                                 set.n, set.n_source, fmt::join(set.shape, " x "));
  if (set.strength) text += fmt::format("strength {} ({})\n", *set.strength, set.strength_means);
  if (set.severity) text += fmt::format("severity {}{}\n", *set.severity, use_text(*set.use, set.shift));
  if (!set.defined.value_or(true)) text += "not defined on gray images, which are unchanged\n";
  if (set.mean_change) text += fmt::format("mean change of a pixel {:.4f}\n", *set.mean_change);
  if (set.rows_of_class.empty()) return text;
  TextTable table({right("class", 8), right("rows kept", 10), right("of", 10)});
  for (const record::RowsOfClass& rows : set.rows_of_class) table.add(rows.label, rows.n, rows.n_source);
  return text + table.text();
}

std::string table_of(const record::ShiftText& record) {
  const record::ShiftedTexts& set = record.results.front();
  std::string text = words_of(record.envelope) + "\n" +
                     fmt::format("{} of strength {:g} ({}), seed {}\n", set.shift, set.strength,
                                 set.strength_means, record.envelope.seed);
  TextTable table({left("mean per text", 14), right("before", 10), right("changed", 10)});
  table.add("characters", fmt::format("{:.2f}", set.mean_characters),
            fmt::format("{:.2f}", set.mean_distance));
  table.add("words", fmt::format("{:.2f}", set.mean_words), fmt::format("{:.2f}", set.mean_words_changed));
  return text + table.text() + sheet_of(set);
}

}  // namespace leeway::app
