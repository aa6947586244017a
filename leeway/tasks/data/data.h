// leeway data render and data load: images drawn from geometry (data/render.h) and published data sets from
// their files (data/load.h), written with a table of attributes and a contact sheet of 60 random pictures.
// Keys: leeway schema data-render, data-load.
// Errors (Error): those of the headers above; data_render: a split without rows of a named set; data_load: no
// pictures to write, an unknown label column. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/data/picture_folder.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"

namespace leeway::tasks {

inline constexpr std::string_view data_render_schema = "leeway.data-render/2";
inline constexpr std::string_view data_load_schema = "leeway.data-load/3";

struct WrittenFile {
  std::string path;
  std::size_t bytes = 0;
  std::string xxh3_128;  // empty: no digest
};

// What was written; none: not asked for.
struct DataFiles {
  std::optional<WrittenFile> images, attributes, sheet;
  std::optional<std::string> manifest;  // the file that repeats the record
};

struct DataRenderOptions {
  std::size_t size = 64;             // pixels a side
  std::optional<std::string> label;  // column whose values are y; none: the shape
  bool protocol = false;
  std::optional<std::size_t> sample;
  std::vector<std::string> split;  // "train", "val", "test"
};

struct KeptValues {
  std::string column;
  std::vector<std::string> values;
};

struct RenderedData {
  std::string data_set;
  std::size_t n = 0;
  std::string label;
  std::vector<std::string> classes;  // what y = 0, 1, ... mean
  std::vector<KeptValues> only;
  DataFiles files;
};

using DataRender = RecordOf<data_render_schema, DataRenderOptions, RenderedData>;

struct DataLoadOptions {
  std::optional<std::string> label;  // column whose values are y; none: the first
  std::optional<std::size_t> size;   // pictures become so many pixels a side; none: as they are
  bool protocol = false;
  std::optional<std::string> corruption;  // of a set of corruptions; none: all
  std::optional<std::size_t> severity;    // likewise
  data::PictureOptions pictures;          // its resizing and crop
  std::optional<std::string> split;       // rows of this value of the column split; none: all
  std::optional<std::string> leave_out;   // domain that becomes the test set; none: no column split is made
  std::optional<std::string> breeds_split;
  std::optional<std::size_t> breeds_seed;
  std::optional<std::string> wilds_crop;
  std::optional<std::string> images;  // folder, after the files
  std::optional<std::string> path_column;
};

struct LoadedColumn {
  std::string name;
  std::size_t n_values = 0;
  std::vector<std::string> values;  // empty: more than 100
};

struct LoadedData {
  std::string format;
  std::size_t n = 0, left_out = 0;
  std::vector<std::size_t> shape;  // channels, height, width; empty: a table without pictures
  std::string label;
  std::vector<LoadedColumn> columns;
  DataFiles files;
};

using DataLoad = RecordOf<data_load_schema, DataLoadOptions, LoadedData>;

void fields(WrittenFile& file, Fields& f);
void fields(DataRenderOptions& options, Fields& f);
void fields(RenderedData& data, Fields& f);
void fields(DataLoadOptions& options, Fields& f);
void fields(LoadedData& data, Fields& f);

[[nodiscard]] std::string headline_of(const DataRender& record);
[[nodiscard]] std::string headline_of(const DataLoad& record);

// Files to write; empty: none.
struct DataPaths {
  std::string images, attributes, sheet;  // .npz, CSV, PNG
  bool digests = true;
};

struct DataRenderTask {
  std::string data_set;
  DataPaths out = {};
  std::map<std::string, std::vector<std::string>> only = {};  // values to keep, by column
  std::string table = {};  // CSV: its rows, in place of all combinations; empty: none
  std::string index = {};  // CSV index,split: of those rows, in the sets that the options name; empty: none
  DataRenderOptions options = {};
  std::uint64_t seed = 0;
  // Is told of each file that was read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

struct DataLoadTask {
  std::string format;
  std::vector<std::string> paths;
  DataPaths out = {};
  DataLoadOptions options = {};
  std::uint64_t seed = 0;
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

// What was written to `path`; nothing for an empty path.
[[nodiscard]] std::optional<WrittenFile> written_file(const std::string& path, bool digest);

// The records without `command`, `inputs` and `manifest`, which the caller knows.
[[nodiscard]] DataRender data_render(const DataRenderTask& task, Progress* progress = nullptr);
[[nodiscard]] DataLoad data_load(const DataLoadTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const DataLoad& record);

[[nodiscard]] View view(const DataRender& record);

}  // namespace leeway::tasks
