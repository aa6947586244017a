// Files of the user among the values of a study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leeway::sweep {

struct InputWord {
  std::string word;      // with every file from the root, so that it holds in any folder
  std::string identity;  // with every file as its name and the digest of its contents
};

// `text` may name a file, a pattern of files, or a folder where it has a slash; NAME= may stand before it; several by commas.
// What names nothing that is there stays as it is.
[[nodiscard]] InputWord input_word(const std::string& text);

// The files that it reads, whose contents are looked at by nobody here.
[[nodiscard]] std::vector<std::filesystem::path> input_files(const std::string& text);

}  // namespace leeway::sweep
