#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/data/data.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Facts files_of(const DataFiles& files) {
  Facts facts;
  const auto& [images, attributes, sheet, manifest] = files;
  for (const auto& [name, file] :
       {std::pair("images", &images), {"attributes", &attributes}, {"sheet", &sheet}})
    if (*file) facts.emplace_back(name, fmt::format("{}, {}", (*file)->path, bytes((*file)->bytes)));
  if (manifest) facts.emplace_back("manifest", *manifest);
  return facts;
}

}  // namespace

View view(const DataRender& record) {
  return plain_view("rendered images", record.envelope, term_list(files_of(record.results.front().files)));
}

View view(const DataLoad& record) {
  using One = LoadedColumn;
  const LoadedData& result = record.results.front();
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Column"), &One::name},
      {number_column("Values"), &One::n_values},
      {text_column("Which"), [](const One& one) {
         return one.n_values > 6 ? dash_cell("more than six values")
                                 : text_cell(fmt::format("{}", fmt::join(one.values, ", ")));
       }}};
  Facts facts = files_of(result.files);
  if (result.left_out > 0)
    facts.emplace_back("left out", fmt::format("{} rows outside the protocol or the split", result.left_out));
  return plain_view(
      "a published data set", record.envelope,
      term_list(std::move(facts)) + table_of("Columns of the table", columns, result.columns).block());
}

}  // namespace leeway::tasks
