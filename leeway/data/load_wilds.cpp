// WILDS (Koh et al., 2021): metadata, official splits and pictures by their published paths. A folder is read
// with its pictures, a metadata file alone as a table. Empty fields become "unknown".
//
//   iWildCam    metadata.csv: split, y, location_remapped, datetime (YYYY-MM-DD HH:MM:SS.000), filename;
//               pictures train/FILENAME
//   FMoW        rgb_metadata.csv: split, category, country_code, timestamp; country_code_mapping.csv: alpha-3,
//               region; pictures images/rgb_img_ROW.png, where ROW counts all rows of the metadata. Rows of
//               the split seq are left out. Years before 2013 are the train, id_val and id_test of their split,
//               2013 to 2015 val, from 2016 on test; rows of another split in these years are "unused".
//   Camelyon17  metadata.csv: tumor, center, split, slide, patient, node, x_coord, y_coord; pictures
//               patches/patient_P_node_N/patch_patient_P_node_N_x_X_y_Y.png. Center 1 is val, 2 test; in
//               others split 0 is train, 1 id_val.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/data/resize.h"
#include "leeway/io/csv.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

using Values = std::vector<std::string>;

// What is read of a data set: of each record of its table the fields `from`, of which `values` makes those of
// `columns`; none leave the record out. `where` opens error messages.
struct WildsSet {
  const char *table, *pictures;
  Values from, columns;
  std::function<Values(const Values& of, std::size_t row, const std::string& where)> values;
};

Loaded read_wilds(const fs::path& path, const WildsSet& wilds) {
  const fs::path table = is_folder(path) ? path / wilds.table : path;
  const std::string name = display_name(table);
  const MappedFile file = csv_file(map_file(table), name);
  CsvRecords records(file.text(), name);
  std::vector<std::size_t> places;
  for (const std::string& column : wilds.from) places.push_back(records.column(column));
  std::vector<TextColumn> columns(wilds.columns.begin(), wilds.columns.end());
  Values fields(places.size());
  Loaded set;
  for (std::size_t row = 0; records.next(); ++row) {
    for (std::size_t c = 0; c < places.size(); ++c) fields[c] = trimmed(records.fields()[places[c]]);
    const Values values = wilds.values(fields, row, fmt::format("{}: row {}", name, row));
    for (std::size_t c = 0; c < values.size(); ++c) columns[c].add(values[c].empty() ? "unknown" : values[c]);
    set.n += values.empty() ? 0 : 1;
  }
  for (TextColumn& column : columns) set.columns.push_back(column.finish());
  if (is_folder(path) && set.n > 0) add_pictures_of_folder(set, path / wilds.pictures, table);
  return set;
}

std::string part_of(const std::string& text, std::size_t begin, std::size_t count) {
  return text.substr(std::min(begin, text.size()), count);
}

std::string fmow_split(const std::string& split, const std::string& year, const std::string& where) {
  if (split != "train" && split != "val" && split != "test")
    refuse(where, "the split train, val, test or seq", in_quotes(split));
  if (year < "2013") return split == "train" ? split : "id_" + split;
  return split == (year < "2016" ? "val" : "test") ? split : "unused";
}

std::string camelyon_split(const std::string& split, const std::string& center, const std::string& where) {
  if (center == "1") return "val";
  if (center == "2") return "test";
  if (split != "0" && split != "1") refuse(where, "the split 0 or 1", in_quotes(split));
  return split == "0" ? "train" : "id_val";
}

std::map<std::string, std::string> read_regions(const fs::path& file) {
  std::map<std::string, std::string> regions;
  const CsvTable mapping = read_csv(file);
  const auto code = mapping.find("alpha-3"), region = mapping.find("region");
  if (!code || !region) refuse(display_name(file), "columns alpha-3 and region", "others");
  for (std::size_t row = 0; row < mapping.rows(); ++row)
    if (const std::string_view where = mapping.columns[*region][row]; !where.empty())
      regions[std::string(mapping.columns[*code][row])] = where;
  return regions;
}

}  // namespace

Loaded load_iwildcam(const Paths& paths) {
  return read_wilds(
      paths[0], {"metadata.csv",
                 "train",
                 {"y", "location_remapped", "split", "datetime", "filename"},
                 {"y", "location", "split", "year", "month", "hour", "image"},
                 [](const Values& of, std::size_t, const std::string&) -> Values {
                   return {
                       of[0], of[1], of[2], part_of(of[3], 0, 4), part_of(of[3], 5, 2), part_of(of[3], 11, 2),
                       of[4]};
                 }});
}

Loaded load_fmow(const Paths& paths) {
  const bool has_regions = paths.size() == 2 || is_folder(paths[0]);
  std::map<std::string, std::string> regions;
  if (has_regions)
    regions = read_regions(paths.size() == 2 ? paths[1] : paths[0] / "country_code_mapping.csv");
  WildsSet wilds = {"rgb_metadata.csv",
                    "images",
                    {"category", "country_code", "split", "timestamp"},
                    {"category", "country", "year", "split", "image"},
                    [&](const Values& of, std::size_t row, const std::string& where) -> Values {
                      if (of[2] == "seq") return {};
                      const std::string year = part_of(of[3], 0, 4);
                      Values made = {of[0], of[1], year, fmow_split(of[2], year, where),
                                     fmt::format("rgb_img_{}.png", row)};
                      const auto region = regions.find(of[1]);
                      if (has_regions)
                        made.insert(made.begin() + 1, region == regions.end() ? "Other" : region->second);
                      return made;
                    }};
  if (has_regions) wilds.columns.insert(wilds.columns.begin() + 1, "region");
  return read_wilds(paths[0], wilds);
}

Loaded load_camelyon17(const Paths& paths) {
  return read_wilds(paths[0], {"metadata.csv",
                               "patches",
                               {"tumor", "center", "split", "slide", "patient", "node", "x_coord", "y_coord"},
                               {"tumor", "center", "split", "slide", "patient", "node", "image"},
                               [](const Values& of, std::size_t, const std::string& where) -> Values {
                                 const std::string slide = fmt::format("patient_{}_node_{}", of[4], of[5]);
                                 return {of[0],
                                         of[1],
                                         camelyon_split(of[2], of[1], where),
                                         of[3],
                                         of[4],
                                         of[5],
                                         fmt::format("{0}/patch_{0}_x_{1}_y_{2}.png", slide, of[6], of[7])};
                               }});
}

Loaded conds_cropped(Loaded set) {
  constexpr std::size_t side = 448, top = 10, height = 400, last = 224;
  set = resized(std::move(set), side);
  const std::size_t channels = set.shape[0];
  set.picture = [whole = std::move(set.picture), channels](std::size_t row, std::span<std::uint8_t> out) {
    std::vector<std::uint8_t> pixels(channels * side * side);
    whole(row, pixels);
    for (std::size_t c = 0; c < channels; ++c)
      resize(std::span(pixels).subspan((c * side + top) * side, height * side), {1, height, side},
             out.subspan(c * last * last, last * last), {1, last, last});
  };
  set.shape = {channels, last, last};
  return set;
}

}  // namespace leeway::data
