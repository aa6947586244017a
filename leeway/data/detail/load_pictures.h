// Pictures of a data set that are files of their own, PNG or JPEG by what they hold.
#pragma once

#include <filesystem>
#include <vector>

#include "leeway/data/load.h"
#include "leeway/data/picture_file.h"

namespace leeway::data {

// Gives a set its pictures, in colour: row i's is files[i]. The first one is read, for its size. Those of another size are an
// Error when they are read, unless the set is resized.
void add_pictures(Loaded& set, std::vector<std::filesystem::path> files);

// The same for a table whose last column names the files, in `folder`; `list` is the file that has the names.
// Error: a name that leads out of the folder.
void add_pictures_of_folder(Loaded& set, const std::filesystem::path& folder,
                            const std::filesystem::path& list);

// A set of such columns.
[[nodiscard]] Loaded set_in(const std::filesystem::path& folder, std::vector<LoadedColumn> columns);

}  // namespace leeway::data
