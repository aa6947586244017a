#include "leeway/data/split.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "leeway/core/csv.h"
#include "leeway/core/csv_records.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::data {

RowSplit read_split(const std::filesystem::path& path, std::size_t n) {
  const std::string name = display_name(path);
  const MappedFile file = csv_file(map_file(path), name);
  CsvRecords records(file.text(), name);
  if (records.header() != std::vector<std::string>{"index", "split"})
    refuse(name, "columns index and split", fmt::format("{} others", records.header().size()));
  RowSplit split;
  std::vector<std::uint8_t> set_of(n);  // by number; 0: none yet
  for (; records.next(); ++split.rows) {
    const auto index = parse_number(records.fields()[0]);
    if (!index || !(*index >= 0 && *index < static_cast<double>(n)) || *index != std::floor(*index))
      refuse(name, fmt::format("an index from 0 to {}", n - 1),
             fmt::format("{} at row {}", in_quotes(records.fields()[0]), split.rows));
    const std::string_view set = records.fields()[1];
    if (set != "train" && set != "val" && set != "test")
      refuse(name, "train, val or test", fmt::format("{} at row {}", in_quotes(set), split.rows));
    const std::uint8_t number = set == "train" ? 1 : set == "val" ? 2 : 3;
    auto& rows = number == 1 ? split.train : number == 2 ? split.validation : split.test;
    const auto row = static_cast<std::size_t>(*index);
    if (set_of[row] != 0 && set_of[row] != number)
      refuse(name, "each index in one set only", fmt::format("{} in two, again at row {}", row, split.rows));
    set_of[row] = number;
    rows.push_back(row);
  }
  return split;
}

}  // namespace leeway::data
