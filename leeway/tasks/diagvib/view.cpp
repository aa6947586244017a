#include <fmt/format.h>

#include "leeway/tasks/diagvib/diagvib.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const DataDiagvib& record) {
  struct Row {
    const DiagvibFile* file;
    const DiagvibEnvironment* one;
  };
  std::vector<Row> rows;
  Blocks pairs;
  for (const DiagvibFile& file : record.results) {
    for (const DiagvibEnvironment& one : file.environments) rows.push_back({&file, &one});
    if (!file.environments.empty()) continue;
    std::vector<Column> heads{text_column("Digit")};
    for (const std::string& name : file.learning_classes) heads.push_back(number_column(name));
    Table table(fmt::format("{}: {} images, mutual information of digit and {} {:.4f} nats", file.part,
                            file.n, record.options.learning_factor, *file.mutual_information),
                std::move(heads));
    for (std::size_t p = 0; p < file.pairs.size(); ++p) {
      std::vector<Cell> cells{text_cell(record.classes[p])};
      for (const std::size_t n : file.pairs[p]) cells.push_back(count_cell(n));
      table.add(std::move(cells));
    }
    pairs += table.block();
  }
  const auto text = [](std::string DiagvibEnvironment::*member) {
    return [member](const Row& row) { return text_cell(row.one->*member); };
  };
  using Environment = DiagvibEnvironment;
  const std::vector<ColumnOf<Row>> columns = {
      {text_column("Part"), [](const Row& row) { return text_cell(row.file->part); }},
      {number_column("Environment"), [](const Row& row) { return count_cell(row.one->number); }},
      {text_column("Hue"), text(&Environment::hue)},
      {text_column("Lightness"), text(&Environment::lightness)},
      {text_column("Position"), text(&Environment::position)},
      {text_column("Scale"), text(&Environment::scale)},
      {text_column("Texture"), text(&Environment::texture)},
      {number_column("n"), [](const Row& row) { return count_cell(row.one->n); }},
      {text_column("Rows"), [](const Row& row) { return text_cell(row.file->pairing); }}};
  return plain_view("DiagViB environments", record.envelope,
                    std::move(pairs) + table_of("Environments", columns, rows).block(2));
}

}  // namespace leeway::tasks
