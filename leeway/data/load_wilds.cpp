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
#include <array>
#include <functional>
#include <map>
#include <span>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/io/csv.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

using Values = std::vector<std::string>;
using Record = std::span<const std::string_view>;

// The file of metadata, and its data set's folder, if the path is one.
struct WildsPlace {
  fs::path table, folder;
};

WildsPlace place_in(const fs::path& path, const char* table) {
  return is_folder(path) ? WildsPlace{path / table, path} : WildsPlace{path, {}};
}

// A CSV file: of each record the fields `from`, of which `values` makes those of `columns`; none leave it out.
Loaded rows_of_csv(const fs::path& path, const std::vector<std::string>& from,
                   const std::vector<std::string>& columns,
                   const std::function<Values(Record fields, std::size_t row)>& values) {
  const std::string name = display_name(path);
  const MappedFile file = csv_file(map_file(path), name);
  CsvRecords records(file.text(), name);
  std::vector<std::size_t> places;
  for (const std::string& column : from) places.push_back(records.column(column));
  std::vector<TextColumn> made(columns.begin(), columns.end());
  std::vector<std::string_view> fields(from.size());
  Loaded set;
  for (std::size_t row = 0; records.next(); ++row) {
    for (std::size_t c = 0; c < fields.size(); ++c) fields[c] = trimmed(records.fields()[places[c]]);
    const Values row_values = values(fields, row);
    for (std::size_t c = 0; c < row_values.size(); ++c)
      made[c].add(row_values[c].empty() ? std::string_view("unknown") : row_values[c]);
    set.n += row_values.empty() ? 0 : 1;
  }
  for (TextColumn& column : made) set.columns.push_back(column.finish());
  return set;
}

std::string part_of(std::string_view text, std::size_t begin, std::size_t count) {
  return std::string(text.substr(std::min(begin, text.size()), count));
}

std::string fmow_split(const std::string& split, const std::string& year, const std::string& where) {
  if (split != "train" && split != "val" && split != "test")
    refuse(where, "the split train, val, test or seq", in_quotes(split));
  if (year < "2013") return split == "train" ? split : "id_" + split;
  return split == (year < "2016" ? "val" : "test") ? split : "unused";
}

std::string camelyon_split(std::string_view split, std::string_view center, const std::string& where) {
  if (center == "1") return "val";
  if (center == "2") return "test";
  if (split != "0" && split != "1") refuse(where, "the split 0 or 1", in_quotes(split));
  return split == "0" ? "train" : "id_val";
}

Loaded with_pictures(Loaded set, const WildsPlace& place, const char* folder) {
  if (!place.folder.empty() && set.n > 0) add_pictures_of_folder(set, place.folder / folder, place.table);
  return set;
}

}  // namespace

Loaded load_iwildcam(const Paths& paths) {
  const WildsPlace place = place_in(paths[0], "metadata.csv");
  return with_pictures(rows_of_csv(place.table, {"y", "location_remapped", "split", "datetime", "filename"},
                                   {"y", "location", "split", "year", "month", "hour", "image"},
                                   [](Record of, std::size_t) {
                                     return Values{std::string(of[0]),   std::string(of[1]),
                                                   std::string(of[2]),   part_of(of[3], 0, 4),
                                                   part_of(of[3], 5, 2), part_of(of[3], 11, 2),
                                                   std::string(of[4])};
                                   }),
                       place, "train");
}

Loaded load_fmow(const Paths& paths) {
  const WildsPlace place = place_in(paths[0], "rgb_metadata.csv");
  std::map<std::string, std::string, std::less<>> regions;
  const bool has_regions = paths.size() == 2 || !place.folder.empty();
  if (has_regions) {
    const fs::path file = paths.size() == 2 ? paths[1] : place.folder / "country_code_mapping.csv";
    const CsvTable mapping = read_csv(file);
    const auto code = mapping.find("alpha-3"), region = mapping.find("region");
    if (!code || !region) refuse(display_name(file), "columns alpha-3 and region", "others");
    for (std::size_t row = 0; row < mapping.rows(); ++row)
      if (const std::string_view where = mapping.columns[*region][row]; !where.empty())
        regions[std::string(mapping.columns[*code][row])] = where;
  }
  std::vector<std::string> columns = {"category", "country", "year", "split", "image"};
  if (has_regions) columns.insert(columns.begin() + 1, "region");
  const auto values = [&](Record of, std::size_t row) -> Values {
    if (of[2] == "seq") return {};
    const std::string where = fmt::format("{}: row {}", display_name(place.table), row);
    const std::string year = part_of(of[3], 0, 4);
    Values made = {std::string(of[0]), std::string(of[1]), year, fmow_split(std::string(of[2]), year, where),
                   fmt::format("rgb_img_{}.png", row)};
    const auto region = regions.find(of[1]);
    if (has_regions) made.insert(made.begin() + 1, region == regions.end() ? "Other" : region->second);
    return made;
  };
  return with_pictures(
      rows_of_csv(place.table, {"category", "country_code", "split", "timestamp"}, columns, values), place,
      "images");
}

Loaded load_camelyon17(const Paths& paths) {
  const WildsPlace place = place_in(paths[0], "metadata.csv");
  const auto values = [&](Record of, std::size_t row) {
    const std::string where = fmt::format("{}: row {}", display_name(place.table), row);
    const std::string slide = fmt::format("patient_{}_node_{}", of[4], of[5]);
    return Values{std::string(of[0]),
                  std::string(of[1]),
                  camelyon_split(of[2], of[1], where),
                  std::string(of[3]),
                  std::string(of[4]),
                  std::string(of[5]),
                  fmt::format("{0}/patch_{0}_x_{1}_y_{2}.png", slide, of[6], of[7])};
  };
  return with_pictures(
      rows_of_csv(place.table, {"tumor", "center", "split", "slide", "patient", "node", "x_coord", "y_coord"},
                  {"tumor", "center", "split", "slide", "patient", "node", "image"}, values),
      place, "patches");
}

Loaded conds_cropped(Loaded set) {
  constexpr std::size_t side = 448, top = 10, height = 400, final_side = 224;
  set = resized(std::move(set), side);
  const std::size_t channels = set.shape[0];
  set.picture = [whole = std::move(set.picture), channels](std::size_t row, std::span<std::uint8_t> out) {
    std::vector<std::uint8_t> pixels(channels * side * side), kept;
    whole(row, pixels);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>((c * side + top) * side);
      kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(height * side));
    }
    resize(kept, {channels, height, side}, out, {channels, final_side, final_side});
  };
  set.shape = {channels, final_side, final_side};
  return set;
}

}  // namespace leeway::data
