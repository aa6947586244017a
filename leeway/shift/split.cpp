#include "leeway/shift/split.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "leeway/core/csv.h"
#include "leeway/core/csv_records.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::shift {

RowSplit read_split(const std::filesystem::path& path, std::size_t n) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  CsvRecords records({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()}, name);
  if (records.header() != std::vector<std::string>{"index", "split"})
    refuse(name, "columns index and split", fmt::format("{} others", records.header().size()));
  RowSplit split;
  for (; records.next(); ++split.rows) {
    const auto index = parse_number(records.fields()[0]);
    if (!index || !(*index >= 0 && *index < static_cast<double>(n)) || *index != std::floor(*index))
      refuse(name, fmt::format("an index from 0 to {}", n - 1),
             fmt::format("{} at row {}", in_quotes(records.fields()[0]), split.rows));
    const std::string_view set = records.fields()[1];
    if (set != "train" && set != "val" && set != "test")
      refuse(name, "train, val or test", fmt::format("{} at row {}", in_quotes(set), split.rows));
    auto& rows = set == "train" ? split.train : set == "val" ? split.validation : split.test;
    rows.push_back(static_cast<std::size_t>(*index));
  }
  return split;
}

}  // namespace leeway::shift
