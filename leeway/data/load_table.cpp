// A table of images (CSV): a column of file names, a label and any attributes, as in metadata.csv of Waterbirds
// and list_attr_celeba.csv. All columns are kept: the label first, the file names last, empty fields as
// "unknown". Color images are included if their folder is given.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"

namespace leeway::data {
namespace {

// The column named, else the first one whose first field ends as an image file does.
std::size_t path_column_of(const CsvTable& table, const std::string& wanted, std::string_view name) {
  if (!wanted.empty()) return place_of_column(table.header, wanted, name, "--path-column");
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (is_readable_picture(std::filesystem::path(trimmed(table.columns[c].front())))) return c;
  refuse(name, "a column of image files, such as 1.png or a/1.jpg (--path-column names it)",
         fmt::format("{}", in_quotes(table.header.front())));
}

// The first column that has the name of a label column, else the first one.
std::size_t label_column_of(const CsvTable& table, std::size_t paths) {
  for (std::size_t c = 0; c < table.header.size(); ++c)
    if (c != paths && is_label(table.header[c])) return c;
  return paths == 0 ? 1 : 0;
}

}  // namespace

Loaded load_table(const Paths& paths, const std::string& path_column) {
  const std::string name = display_name(paths[0]);
  const CsvTable table = read_csv(paths[0]);
  Loaded set;
  set.n = table.rows();
  if (set.n == 0 || table.header.size() < 2) refuse(name, "rows of a file name and a label", "none");
  const std::size_t of_files = path_column_of(table, path_column, name),
                    label = label_column_of(table, of_files);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c == of_files) continue;
    TextColumn column(table.header[c]);
    for (const std::string_view field : table.columns[c])
      column.add(trimmed(field).empty() ? "unknown" : printable(trimmed(field), 200));
    set.columns.insert(c == label ? set.columns.begin() : set.columns.end(), column.finish());
  }
  LoadedColumn& files = set.columns.emplace_back(LoadedColumn{table.header[of_files], {}, {}});
  for (const std::string_view field : table.columns[of_files]) {
    if (trimmed(field).empty())
      refuse(name, "an image file", fmt::format("none at row {}", files.codes.size()));
    add_file(files, trimmed(field));
  }
  if (paths.size() == 2) add_pictures_of_folder(set, paths[1], paths[0]);
  return set;
}

}  // namespace leeway::data
