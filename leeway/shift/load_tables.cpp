// Data sets whose tables of attributes are read; their pictures are JPEG and stay where they are.
//
// CelebA (Liu et al., 2015), list_attr_celeba.txt: the number of pictures, a line of 40 names, then a line for each
//   picture: its file and 1 or -1 for every name. The protocol's four columns come first.
// WILDS (Koh et al., 2021). iWildCam, metadata.csv: split, y, location_remapped, datetime (YYYY-MM-DD HH:MM:SS), filename. FMoW,
//   rgb_metadata.csv: split, category, country_code, timestamp; country_code_mapping.csv: alpha-3, region.
//   Camelyon17, metadata.csv: tumor, center, split, slide, patient, node. Other columns are not looked at; an empty field
//   becomes "unknown".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "leeway/core/csv.h"
#include "leeway/core/csv_records.h"
#include "leeway/shift/load_columns.h"

namespace leeway::shift {
namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

// The next line without its end; nothing at the end of the text.
std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::size_t place_of(const std::vector<std::string_view>& names, std::string_view name,
                     std::string_view file) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) refuse(file, fmt::format("an attribute {}", in_quotes(name)), "none");
  return static_cast<std::size_t>(found - names.begin());
}

// A column of the result: its name, the file's column, and what becomes of its text.
struct Taken {
  std::string name, from;
  std::size_t begin = 0, count = std::string::npos;  // these bytes of it
};

Loaded columns_of_csv(const std::filesystem::path& path, const std::vector<Taken>& taken,
                      const std::map<std::string, std::string, std::less<>>* renamed = nullptr) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  CsvRecords records(text_of(file), name);
  std::vector<std::size_t> places;
  std::vector<TextColumn> columns;
  for (const Taken& one : taken) {
    const auto found = std::ranges::find(records.header(), one.from);
    if (found == records.header().end())
      refuse(name, fmt::format("a column {}", in_quotes(one.from)), "none");
    places.push_back(static_cast<std::size_t>(found - records.header().begin()));
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

Loaded parse_celeba(std::string_view text, std::string_view name) {
  const auto count = next_line(text), header = next_line(text);
  const auto n = count ? parse_number(*count) : std::nullopt;
  // A line for each picture, of two bytes or more.
  if (!header || !n || !(*n >= 1 && *n <= static_cast<double>(text.size()) / 2) ||
      *n != static_cast<double>(static_cast<std::size_t>(*n)))
    refuse(name, "the number of pictures, then the names of attributes",
           count ? in_quotes(*count) : std::string("an empty file"));
  const auto names = words_of(*header);
  struct Protocol {
    std::string_view column, attribute;
    std::array<std::string, 2> values;  // of 1 and of -1
  };
  const std::array<Protocol, 4> protocol = {
      {{"gender", "Male", {"male", "female"}},
       {"black_hair", "Black_Hair", {"black", "others"}},
       {"smiling", "Smiling", {"smiling", "no smiling"}},
       {"straight_hair", "Straight_Hair", {"straight hair", "others"}}}};
  Loaded set;
  set.n = static_cast<std::size_t>(*n);
  std::vector<std::size_t> places;
  for (const Protocol& one : protocol) {
    places.push_back(place_of(names, one.attribute, name));
    set.columns.push_back({std::string(one.column), {one.values[0], one.values[1]}, {}});
  }
  for (std::size_t a = 0; a < names.size(); ++a) {
    places.push_back(a);
    set.columns.push_back({printable(names[a]), {"1", "-1"}, {}});
  }
  LoadedColumn image{"image", {}, {}};
  for (std::size_t row = 0; row < set.n; ++row) {
    const auto line = next_line(text);
    const auto words = line ? words_of(*line) : std::vector<std::string_view>();
    if (words.size() != names.size() + 1)
      refuse(name, fmt::format("a file and {} values at row {}", names.size(), row),
             line ? fmt::format("{} words", words.size()) : "the end");
    image.values.push_back(printable(words[0], 200));
    image.codes.push_back(static_cast<std::uint32_t>(row));
    for (std::size_t c = 0; c < places.size(); ++c) {
      const std::string_view value = words[places[c] + 1];
      if (value != "1" && value != "-1")
        refuse(name, "1 or -1", fmt::format("{} at row {}", in_quotes(value), row));
      set.columns[c].codes.push_back(value == "1" ? 0 : 1);
    }
  }
  while (const auto line = next_line(text))
    if (!trimmed(*line).empty()) refuse(name, fmt::format("{} pictures", set.n), "more lines");
  set.columns.push_back(std::move(image));
  return set;
}

Loaded load_celeba(const Paths& paths) {
  return parse_celeba(text_of(map_file(paths[0])), display_name(paths[0]));
}

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
      if (const std::string& where = mapping.columns[*region][row]; !where.empty())
        regions[mapping.columns[*code][row]] = where;
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

}  // namespace leeway::shift
