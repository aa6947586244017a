// Images drawn from geometry (data/render.h) and published data sets from their files (data/load.h), written
// with a table of attributes and a contact sheet of 60 random pictures.
// Errors (Error): those of the headers above; data_render: a split without rows of a named set; data_load: no
// pictures to write, an unknown label column. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/data.h"

namespace leeway::tasks {

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
  record::DataRenderOptions options = {};
  std::uint64_t seed = 0;
  // Is told of each file that was read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

struct DataLoadTask {
  std::string format;
  std::vector<std::string> paths;
  DataPaths out = {};
  record::DataLoadOptions options = {};
  std::uint64_t seed = 0;
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

// What was written to `path`; nothing for an empty path.
[[nodiscard]] std::optional<record::WrittenFile> written_file(const std::string& path, bool digest);

// The records without `command`, `inputs` and `manifest`, which the caller knows.
[[nodiscard]] record::DataRender data_render(const DataRenderTask& task, Progress* progress = nullptr);
[[nodiscard]] record::DataLoad data_load(const DataLoadTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
