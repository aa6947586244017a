#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/data/data.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

void fields(WrittenFile& file, Fields& f) {
  f("path", file.path, "path of the file");
  f("bytes", file.bytes, "size in bytes");
  f.unless_empty("xxh3_128", file.xxh3_128, "digest of the file; null with --no-digest");
}

static void fields(DataFiles& files, Fields& f) {
  f("out", files.images, "images file; null: not requested");
  f("attributes", files.attributes, "table file; null: not requested");
  f("sheet", files.sheet, "contact sheet; null: not requested");
  f("manifest", files.manifest, "copy of this record; null: none");
}

void fields(DataRenderOptions& options, Fields& f) {
  f("size", options.size, from_to(8, 1024), "width and height in pixels");
  f("label", options.label, "column of the labels y (default: shape)");
  f("protocol", options.protocol, "keep only the colors and sizes used by `conds draw --dataset NAME`");
  f("sample", options.sample, from_to(1, 1e9), "number of rows to draw at random with --seed");
  f.choice("split", options.split, {{"train", ""}, {"val", ""}, {"test", ""}},
           "sets of --index to render: train, val, test");
}

static void fields(KeptValues& kept, Fields& f) {
  f("column", kept.column, "column of the attribute table");
  f("values", kept.values, "values kept");
}

void fields(RenderedData& data, Fields& f) {
  f("data_set", data.data_set, "name of the data set");
  f("n", data.n, "number of images");
  f("label", data.label, "column whose values y encodes");
  f("classes", data.classes, "class names of y = 0, 1, ...");
  f("only", data.only, "values kept, by column");
  fields(data.files, f);
}

void fields(DataLoadOptions& options, Fields& f) {
  f("label", options.label, "column whose values are y (default: the first)");
  f("size", options.size, from_to(1, 16384),
    "resize images to N x N with antialiasing (default: keep the size, which must be equal for all)");
  f("protocol", options.protocol,
    "keep only rows with values of the ConDS protocol, as for `conds draw --dataset`");
  f("corruption", options.corruption,
    "corruption to load from a data set of corruptions, by file name (default: all)");
  f("severity", options.severity, from_to(1, 5),
    "severity to load from a data set of corruptions (default: all)");
  resize_fields(options.pictures, f);
  crop_field(options.pictures, f);
  f("split", options.split, "load only this split, such as id_val (WILDS) or target (BREEDs) (default: all)");
  f("leave_out", options.leave_out, "test domain: add DomainBed's split into train, val and test");
  f.choice("breeds_split", options.breeds_split, {{"good", ""}, {"bad", ""}, {"rand", ""}},
           "BREEDs: similar subclasses in source and target (good), in one of them (bad), or random "
           "(default: good)");
  f("breeds_seed", options.breeds_seed, from_to(0, 4294967295.), "BREEDs: seed of rand (default: 2)");
  f.choice("wilds_crop", options.wilds_crop, {{"conds", "448 x 448, rows 10 to 409, 224 x 224"}},
           "WILDS crop: conds, as in the ConDS benchmark (default: none)");
  f("images", options.images, "folder of the images named in an attribute table");
  f("path_column", options.path_column,
    "format table: column of file names (default: the first column that holds image names)");
}

static void fields(LoadedColumn& column, Fields& f) {
  f("name", column.name, "name of the column");
  f("n_values", column.n_values, "number of different values");
  f("values", column.values, "values in order; [] if there are more than 100 values");
}

void fields(LoadedData& data, Fields& f) {
  f("format", data.format, "format, see leeway list loaders");
  f("n", data.n, "number of rows");
  f("left_out", data.left_out, "number of rows left out by --protocol or --split");
  f("shape", data.shape, "channels, height, width; [] for a table without images");
  f("label", data.label, "column whose values y encodes");
  f("columns", data.columns, "columns of the attribute table");
  fields(data.files, f);
}

std::string headline_of(const DataRender& record) {
  const RenderedData& data = record.results.front();
  return fmt::format("{} images of {} are {} x {} pixels; {} has {} classes.", data.n, data.data_set,
                     record.options.size, record.options.size, data.label, data.classes.size());
}

std::string headline_of(const DataLoad& record) {
  const LoadedData& data = record.results.front();
  return fmt::format(
      "{} rows of {} have {} attributes{}.", data.n, data.format, data.columns.size(),
      data.shape.empty() ? "" : fmt::format(" and images of {}", fmt::join(data.shape, " x ")));
}

}  // namespace leeway::tasks
