#include "leeway/record/data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/record/json.h"

namespace leeway::record {

void fields(WrittenFile& file, Fields& f) {
  f("path", file.path, "where it is");
  f("bytes", file.bytes, "its size");
  f.unless_empty("xxh3_128", file.xxh3_128, "digest; null with --no-digest");
}

static void fields(DataFiles& files, Fields& f) {
  f("out", files.images, "the images; null: not asked for");
  f("attributes", files.attributes, "the table; null: not asked for");
  f("sheet", files.sheet, "the contact sheet; null: not asked for");
  f("manifest", files.manifest, "the file that repeats this record; null where there is none");
}

void fields(DataRenderOptions& options, Fields& f) {
  f("size", options.size, from_to(8, 1024), "width and height in pixels");
  f("label", options.label, "column of the labels y (default: shape)");
  f("protocol", options.protocol,
    "keep only the colors and sizes of the protocol of conds draw --dataset NAME");
  f("sample", options.sample, from_to(1, 1e9), "number of random rows, by --seed");
  f.choice("split", options.split, {{"train", ""}, {"val", ""}, {"test", ""}},
           "sets of --index to render: train, val, test");
}

static void fields(KeptValues& kept, Fields& f) {
  f("column", kept.column, "of the table of attributes");
  f("values", kept.values, "those kept");
}

static void fields(RenderedData& data, Fields& f) {
  f("data_set", data.data_set, "its name");
  f("n", data.n, "images");
  f("label", data.label, "the column that y counts");
  f("classes", data.classes, "what y = 0, 1, ... mean");
  f("only", data.only, "values kept, by column");
  fields(data.files, f);
}

void fields(DataRender& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

void fields(DataLoadOptions& options, Fields& f) {
  f("label", options.label, "column whose values are y (default: the first)");
  f("size", options.size, from_to(1, 16384),
    "pictures become N x N, resampled with antialiasing (default: as they are, all of one size)");
  f("protocol", options.protocol,
    "only rows whose values the ConDS protocol names: what `conds draw --dataset` takes");
  f("corruption", options.corruption,
    "of a set of corruptions this one alone, as its file is called (default: all)");
  f("severity", options.severity, from_to(1, 5), "of a set of corruptions this one alone (default: all)");
}

static void fields(LoadedColumn& column, Fields& f) {
  f("name", column.name, "of the column");
  f("n_values", column.n_values, "different ones");
  f("values", column.values, "in order; empty: more than 100");
}

static void fields(LoadedData& data, Fields& f) {
  f("format", data.format, "a name that leeway list loaders prints");
  f("n", data.n, "rows");
  f("left_out", data.left_out, "rows that --protocol left out");
  f("shape", data.shape, "channels, height, width; empty: a table without pictures");
  f("label", data.label, "the column that y counts");
  f("columns", data.columns, "of the table of attributes");
  fields(data.files, f);
}

void fields(DataLoad& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

std::string headline_of(const DataRender& record) {
  const RenderedData& data = record.results.front();
  return fmt::format("{} images of {} are {} x {} pixels; {} counts {} classes.", data.n, data.data_set,
                     record.options.size, record.options.size, data.label, data.classes.size());
}

std::string headline_of(const DataLoad& record) {
  const LoadedData& data = record.results.front();
  return fmt::format(
      "{} rows of {} have {} attributes{}.", data.n, data.format, data.columns.size(),
      data.shape.empty() ? "" : fmt::format(" and pictures of {}", fmt::join(data.shape, " x ")));
}

}  // namespace leeway::record
