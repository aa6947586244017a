#include <fmt/format.h>

#include "leeway/tasks/sections.h"
#include "leeway/tasks/shift/shift.h"

namespace leeway::tasks {

View view(const Shift& record) {
  using One = ShiftedSet;
  const One& first = record.results.front();
  std::vector<ColumnOf<One>> columns = {
      {text_column("Shift"), &One::shift},
      {number_column("Strength", first.strength_means),
       [](const One& one) {
         return one.strength   ? significant_cell(one.strength, 6)
                : one.severity ? count_cell(*one.severity)
                               : dash_cell("the shift has no strength");
       }},
      {number_column("Images"), &One::n},
      {number_column("Of", "Images of the source"), &One::n_source},
      {number_column("Mean change", "Mean absolute change of a pixel"),
       [](const One& one) { return fixed_cell(one.mean_change, 4, "the shift does not change pixels"); }}};
  if (record.results.size() > 1) columns.push_back({text_column("File"), &One::out});
  std::vector<std::string> lines;
  if (first.strength && !first.strength_means.empty())
    lines.push_back("Strength: " + first.strength_means + ".");
  if (first.severity)
    lines.push_back(fmt::format(
        "Severity {}; {} variant, constants of {}{}{}.", *first.severity, first.use->variant, first.use->set,
        first.use->lengths == 1 ? "" : fmt::format(", lengths times {:.3g}", first.use->lengths),
        first.shift == "frost" ? ", frost " + first.use->frost : ""));
  if (!first.defined.value_or(true))
    lines.emplace_back("Not defined on grayscale images, which are unchanged.");
  const std::vector<ColumnOf<RowsOfClass>> classes = {
      {number_column("Class"), [](const auto& rows) { return text_cell(fmt::format("{}", rows.label)); }},
      {number_column(first.label_noise ? "Rows after" : "Rows kept"),
       [](const auto& rows) { return count_cell(rows.n); }},
      {number_column("Of"), [](const auto& rows) { return count_cell(rows.n_source); }}};
  const std::vector<ColumnOf<NoisyGroup>> groups = {
      {text_column("Group"),
       [](const auto& one) { return text_cell(one.group.empty() ? "all" : one.group); }},
      {number_column("Rate", "Probability that a label is changed"),
       [](const auto& one) { return percent_cell(one.rate, 1); }},
      {number_column("Labels changed"), [](const auto& one) { return count_cell(one.changed); }},
      {number_column("Of"), [](const auto& one) { return count_cell(one.n); }}};
  const LabelNoise noise = first.label_noise.value_or(LabelNoise{});
  return plain_view("shifted images", record.envelope,
                    table_of("Shifted images", columns, record.results).block() +
                        paragraphs(std::move(lines)) +
                        table_of("Labels changed", groups, noise.groups).block() +
                        table_of("Rows by class", classes, first.rows_of_class).block());
}

}  // namespace leeway::tasks
