// Data sets of which only the tables (CSV) are read: WILDS (Koh et al., 2021). Empty fields become "unknown".
//
//   iWildCam    metadata.csv: split, y, location_remapped, datetime (YYYY-MM-DD HH:MM:SS.000), filename
//   FMoW        rgb_metadata.csv: split, category, country_code, timestamp;
//               country_code_mapping.csv: alpha-3, region
//   Camelyon17  metadata.csv: tumor, center, split, slide, patient, node

#include <algorithm>
#include <map>

#include "leeway/core/csv.h"
#include "leeway/core/csv_records.h"
#include "leeway/data/detail/load_columns.h"

namespace leeway::data {
namespace {

// A column of the result: its name, the file's column, and what becomes of its text.
struct Taken {
  std::string name, from;
  std::size_t begin = 0, count = std::string::npos;  // these bytes of it
};

Loaded columns_of_csv(const std::filesystem::path& path, const std::vector<Taken>& taken,
                      const std::map<std::string, std::string, std::less<>>* renamed = nullptr) {
  const std::string name = display_name(path);
  const MappedFile file = csv_file(map_file(path), name);
  CsvRecords records(file.text(), name);
  std::vector<std::size_t> places;
  std::vector<TextColumn> columns;
  for (const Taken& one : taken) {
    places.push_back(records.column(one.from));
    columns.emplace_back(one.name);
  }
  Loaded set;
  for (; records.next(); ++set.n)
    for (std::size_t c = 0; c < taken.size(); ++c) {
      const std::string_view field = trimmed(records.fields()[places[c]]);
      std::string_view value = field.substr(std::min(taken[c].begin, field.size()), taken[c].count);
      if (value.empty()) value = "unknown";
      if (renamed != nullptr && taken[c].name == "region") {
        const auto region = renamed->find(value);
        value = region == renamed->end() ? std::string_view("Other") : std::string_view(region->second);
      }
      columns[c].add(value);
    }
  for (TextColumn& column : columns) set.columns.push_back(column.finish());
  return set;
}

}  // namespace

Loaded load_iwildcam(const Paths& paths) {
  return columns_of_csv(paths[0], {{"y", "y"},
                                   {"location", "location_remapped"},
                                   {"split", "split"},
                                   {"year", "datetime", 0, 4},
                                   {"month", "datetime", 5, 2},
                                   {"hour", "datetime", 11, 2},
                                   {"image", "filename"}});
}

Loaded load_fmow(const Paths& paths) {
  std::map<std::string, std::string, std::less<>> regions;
  if (paths.size() == 2) {
    const CsvTable mapping = read_csv(paths[1]);
    const auto code = mapping.find("alpha-3"), region = mapping.find("region");
    if (!code || !region) refuse(display_name(paths[1]), "columns alpha-3 and region", "others");
    for (std::size_t row = 0; row < mapping.rows(); ++row)
      if (const std::string_view where = mapping.columns[*region][row]; !where.empty())
        regions[std::string(mapping.columns[*code][row])] = where;
  }
  std::vector<Taken> columns = {
      {"category", "category"}, {"country", "country_code"}, {"year", "timestamp", 0, 4}, {"split", "split"}};
  if (paths.size() == 2) columns.insert(columns.begin() + 1, {"region", "country_code"});
  return columns_of_csv(paths[0], columns, &regions);
}

Loaded load_camelyon17(const Paths& paths) {
  return columns_of_csv(paths[0], {{"tumor", "tumor"},
                                   {"center", "center"},
                                   {"split", "split"},
                                   {"slide", "slide"},
                                   {"patient", "patient"},
                                   {"node", "node"}});
}

}  // namespace leeway::data
