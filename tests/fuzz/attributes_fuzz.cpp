#include <algorithm>

#include "leeway/conds/conds.h"
#include "leeway/io/csv.h"
#include "tests/fuzz/fuzz.h"

using namespace leeway;

namespace {

// What is read record by record is what is read as a whole.
void compare(std::string_view text) {
  const CsvTable table = parse_csv(text, "file");
  CsvRecords records(text, "file");
  if (records.header() != table.header) std::abort();
  std::size_t row = 0;
  for (; records.next(); ++row)
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      if (row >= table.rows() || records.fields()[j] != table.columns[j][row]) std::abort();
  if (row != table.rows()) std::abort();
}

}  // namespace

// Any table whose first columns are a label and two attributes is planned and drawn; no row may be in two sets.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::guarded([&] { compare(text); });
  return fuzz::guarded([&] {
    const auto header = CsvRecords(text, "file").header();
    TableColumns columns{
        header.front(),
        {header.begin() + 1, header.begin() + std::ptrdiff_t(std::min<std::size_t>(header.size(), 3))},
        {},
        {}};
    const AttributeTable table = parse_attribute_table(text, "file", columns);
    const Cells cells(table);
    if (cells.size() > 10000) return;
    conds::ConDSOptions options;
    options.counts.train.fill(1);
    options.counts.validation.fill(0);
    options.counts.test = 1;
    conds::ConDSCase one;
    if (table.attributes.size() > 1) one = {0, 1, {}};
    const auto plan = conds::plan_conds(table, cells, cells.counts(table), one, options);
    if (!plan.lacking().empty()) return;
    const auto split = conds::ConDSSampler(table, cells, 1).draw(plan);
    std::vector<char> used(table.n());
    for (const std::size_t row : split.test) used.at(row) = 1;
    for (const std::size_t row : split.train)
      if (used.at(row) != 0) std::abort();
  });
}
