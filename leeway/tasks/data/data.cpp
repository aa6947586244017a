#include "leeway/tasks/data/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>

#include "leeway/conds/conds.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/data/load.h"
#include "leeway/data/render.h"
#include "leeway/data/training_data.h"
#include "leeway/io/png.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using data::RenderedRows;
using data::RenderedSet;
using Only = std::map<std::string, std::vector<std::string>>;

constexpr std::size_t pictures_of_sheet = 60, most_values_listed = 100;

DataFiles written_files(const DataPaths& paths) {
  return {written_file(paths.images, paths.digests), written_file(paths.attributes, paths.digests),
          written_file(paths.sheet, paths.digests), std::nullopt};
}

template <class Task>
void note_read(const Task& task, const std::string& path, const std::vector<std::size_t>& shape) {
  if (task.was_read) task.was_read(path, shape);
}

// The values that the task and the protocol keep.
Only only_of(const DataRenderTask& task, const RenderedSet& set) {
  Only only;
  if (task.options.protocol)
    for (const conds::NamedColumn& column : conds::conds_data_set(set.name).attributes)
      only[std::string(column.name)] = {column.values.begin(), column.values.end()};
  for (const auto& [column, values] : task.only) only[column] = values;
  return only;
}

RenderedRows rows_of(const DataRenderTask& task, const RenderedSet& set, const Only& only) {
  RenderedRows rows =
      task.table.empty() ? RenderedRows(set, only) : RenderedRows::from_table(set, task.table);
  if (!task.table.empty()) note_read(task, task.table, {rows.n(), set.columns.size()});
  if (task.options.sample) rows = rows.sample(*task.options.sample, task.seed);
  if (task.index.empty()) return rows;
  const data::RowSplit split = data::read_split(task.index, rows.n());
  note_read(task, task.index, {split.rows, 2});
  std::vector<std::size_t> taken;
  for (const std::string& name : task.options.split) {
    const auto& part = name == "train" ? split.train : name == "val" ? split.validation : split.test;
    if (part.empty()) refuse(task.index, fmt::format("rows of {}", name), "none");
    taken.insert(taken.end(), part.begin(), part.end());
  }
  return rows.take(taken);
}

std::size_t label_of(const data::Loaded& set, const std::optional<std::string>& name) {
  return name ? index_of_name(*name, set.columns, &data::LoadedColumn::name, "label") : 0;
}

// Of folders that are parts of a set: train and test, or trunk0, trunk1, ... of VisDA's test set. Domains may be
// called train and test.
std::optional<std::string> parts_warning(const data::LoadedColumn& column, bool label,
                                         const std::string& path) {
  static constexpr std::string_view words[] = {"images", "trunk", "part", "shard", "batch",     "fold",
                                               "split",  "train", "test", "val",   "validation"};
  const std::span known(words, label ? std::size(words) : 2);
  const auto is_part = [&](const std::string& name) {
    const std::string word = bare_word(name.substr(0, name.find_last_not_of("0123456789") + 1));
    return std::ranges::find(known, word) != known.end();
  };
  if (!(label || column.name == "domain") || !std::ranges::all_of(column.values, is_part)) return {};
  return fmt::format(
      "{}: the folders {}{} are read as {}, but seem to be parts of a set (sort the images into one "
      "folder for each class; the formats visda and tiny-imagenet read the published folders)",
      display_name(path), column.values.front(), column.values.size() > 1 ? ", ..." : "",
      label ? "classes" : "domains");
}

// Of a set whose rows all have one label, with the columns that are no labels of one class.
std::optional<std::string> one_class_warning(const data::Loaded& set, std::size_t label,
                                             const std::string& path) {
  const auto& codes = set.columns[label].codes;
  if (std::ranges::any_of(codes, [&](std::uint32_t code) { return code != codes.front(); })) return {};
  std::string others;
  for (const data::LoadedColumn& column : set.columns)
    if (column.values.size() > 1 && column.values.size() < set.n)
      others += fmt::format("{}--label {}", others.empty() ? "" : " or ", column.name);
  return fmt::format(
      "{}: all {} rows have the label {}: {}", display_name(path), set.n,
      in_quotes(set.columns[label].values[codes.front()]),
      others.empty() ? "expected one folder of images for each class" : others + " uses another column");
}

// What the options choose of a data set.
data::Loaded read_set(const DataLoadTask& task) {
  const DataLoadOptions& options = task.options;
  const data::LoadedFormat& format = find_member(data::loaded_formats(), "format", task.format);
  if (const auto named = conds::conds_data_sets();
      options.protocol && std::ranges::find(named, task.format, &conds::ConDSDataSet::name) == named.end())
    throw OptionError(fmt::format("--protocol: expected one of {}, found {}", names_of(named), task.format));
  const data::CorruptionPart part{options.corruption, options.severity};
  if (!part.is_all() && !format.has_parts())
    throw OptionError(fmt::format("--corruption, --severity: {} is not a set of corruptions", task.format));
  if ((options.breeds_split || options.breeds_seed) && !format.is_breeds())
    throw OptionError(fmt::format("--breeds-split, --breeds-seed: {} is not a BREEDs data set", task.format));
  if (options.wilds_crop && (options.size || options.pictures != data::PictureOptions{}))
    throw OptionError("--wilds-crop: expected no other size, because the images become 224 x 224");
  if (options.path_column && task.format != "table")
    throw OptionError(fmt::format("--path-column: expected the format table, found {}", task.format));
  data::BreedsPart breeds;
  breeds.division = options.breeds_split.value_or(breeds.division);
  breeds.seed = static_cast<std::uint32_t>(options.breeds_seed.value_or(breeds.seed));
  data::Paths paths(task.paths.begin(), task.paths.end());
  if (options.images) paths.emplace_back(*options.images);
  return options.path_column && paths.size() < 3 ? data::load_table(paths, *options.path_column)
                                                 : data::load_set(task.format, paths, part, breeds);
}

data::Loaded chosen_rows(data::Loaded set, const DataLoadTask& task) {
  const DataLoadOptions& options = task.options;
  if (options.leave_out) set = data::leave_out(std::move(set), *options.leave_out, task.seed);
  if (options.split) set = data::split_rows(std::move(set), *options.split);
  set = data::preprocessed(std::move(set), data::preprocessing_of(options.pictures));
  if (options.size) set = data::resized(std::move(set), *options.size);
  if (options.wilds_crop) set = data::conds_cropped(std::move(set));
  if (options.protocol)
    set = data::protocol_rows(std::move(set), conds::columns_of(conds::conds_data_set(task.format)),
                              task.format);
  return set;
}

}  // namespace

std::optional<WrittenFile> written_file(const std::string& path, bool digest) {
  if (path.empty()) return std::nullopt;
  return WrittenFile{path, std::filesystem::file_size(path), digest ? digest_file(path) : ""};
}

DataRender data_render(const DataRenderTask& task, Progress* progress) {
  const DataRenderOptions& options = task.options;
  const RenderedSet& set = data::rendered_set(task.data_set);
  const Only only = only_of(task, set);
  const std::size_t label = options.label ? data::find_column(set, *options.label) : 0;
  const TaskClock clock;
  const RenderedRows rows = rows_of(task, set, only);
  if (!task.out.attributes.empty()) data::write_attributes(task.out.attributes, rows);
  if (!task.out.sheet.empty())
    write_png(task.out.sheet, data::sheet_of(rows, options.size, pictures_of_sheet, task.seed));
  if (!task.out.images.empty()) data::write_rendered(task.out.images, rows, options.size, label, progress);
  DataRender record;
  record.options = options;
  RenderedData& result = record.results.emplace_back();
  result.data_set = set.name;
  result.n = rows.n();
  result.label = set.columns[label].name;
  result.classes = data::values_of(set.columns[label]);
  for (const auto& [column, values] : only) result.only.push_back({column, values});
  record = clock.finished(std::move(record), task.seed);
  record.results.front().files = written_files(task.out);
  return record;
}

DataLoad data_load(const DataLoadTask& task, Progress* progress) {
  const DataLoadOptions& options = task.options;
  const TaskClock clock;
  data::Loaded set = read_set(task);
  for (const std::string& path : task.paths)
    if (!is_folder(path)) note_read(task, path, {set.n, set.columns.size()});
  const bool pictures =
      !task.out.images.empty() || !task.out.sheet.empty() || options.size || options.wilds_crop;
  if (pictures && !set.has_pictures())
    refuse(task.paths.front(), "readable images (--attributes alone reads the table)",
           "other files, or none");
  const std::size_t all = set.n;
  set = chosen_rows(std::move(set), task);
  const std::size_t label = label_of(set, options.label);
  if (!task.out.attributes.empty()) data::write_table(task.out.attributes, set);
  if (!task.out.sheet.empty()) write_png(task.out.sheet, data::sheet_of(set, pictures_of_sheet, task.seed));
  if (!task.out.images.empty()) data::write_loaded(task.out.images, set, label, progress);
  DataLoad record;
  record.options = options;
  LoadedData& result = record.results.emplace_back();
  result.format = task.format;
  result.n = set.n;
  result.left_out = all - set.n;
  if (set.has_pictures()) result.shape.assign(set.shape.begin(), set.shape.end());
  result.label = set.columns[label].name;
  for (const data::LoadedColumn& column : set.columns) {
    const bool listed = column.values.size() <= most_values_listed;
    result.columns.push_back(
        {printable(column.name), column.values.size(), listed ? column.values : std::vector<std::string>{}});
  }
  auto& warnings = record.envelope.warnings;
  if (auto warning = one_class_warning(set, label, task.paths.front())) warnings.push_back(*warning);
  for (std::size_t c = 0; c < set.columns.size(); ++c)
    if (auto warning = parts_warning(set.columns[c], c == label, task.paths.front()))
      warnings.push_back(*warning);
  record = clock.finished(std::move(record), task.seed);
  record.results.front().files = written_files(task.out);
  return record;
}

}  // namespace leeway::tasks
