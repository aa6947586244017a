#include "leeway/tasks/conds_draw/conds_draw.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const CondsDraw& record) {
  using Case = CondsCase;
  const std::vector<ColumnOf<Case>> columns = {
      {text_column("Case"), &Case::name},
      {number_column("Train"), &Case::n_train},
      {number_column("Validation"), &Case::n_validation},
      {number_column("Test"), &Case::n_test},
      {number_column("Lacking", "Cells with too few rows"), &Case::cells_lacking},
      {text_column("Shifts"), [](const Case& one) { return text_cell(shifts_text(one.shifts)); }}};
  Blocks lead = table_of("Cases", columns, record.results).block();
  const Case& first = record.results.front();
  if (record.results.size() > 1) return plain_view("concurrent shifts", record.envelope, std::move(lead));
  std::vector<Column> heads{text_column(record.label.name)};
  for (const CondsColumn& attribute : record.attributes) heads.push_back(text_column(attribute.name));
  for (const char* title : {"Available", "Train", "Counterexamples", "Validation", "Test", "Lacks"})
    heads.push_back(number_column(title));
  Table table("Cells", std::move(heads));
  for (const auto& [values, cell] : first.cells) {
    std::vector<Cell> row;
    for (const std::string& value : values) row.push_back(text_cell(value));
    for (const std::size_t n :
         {cell.available, cell.train, cell.counterexamples, cell.validation, cell.test, cell.lacks()})
      row.push_back(count_cell(n));
    table.add(std::move(row));
  }
  return plain_view("concurrent shifts", record.envelope, std::move(lead) + table.block());
}

}  // namespace leeway::tasks
