// One set of outputs in several files: the result of every analysis is that of the joined file, to the bit.
//
// A set is named by a text: the path of a file; several of them, "a.npz,b.npz"; or a pattern,
// "shard-*.npz", whose files are taken in natural order (2 before 10). A file that has the very name of the
// text, commas and stars included, is that file.
// Files are joined row after row. All hold the same kinds of data: as many classes, features as wide,
// labels, norms and groups in all of them or in none, the same class names and names of groups.
// Errors (Error: file, expected, found, row): those of every file by itself (outputs.h), what differs between
// two of them, a pattern that nothing matches.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/core/rows.h"

namespace leeway {

// The files that `text` names, at least one. Only patterns look at the disk's folders.
[[nodiscard]] std::vector<std::filesystem::path> expand_paths(const std::string& text);

struct OutputsFile {
  std::string path;
  std::vector<std::size_t> shape;  // of its logits
  std::string reading;             // as in Outputs
};

struct OutputsShards {
  Rows logits;   // (n,k) in as many parts as files
  Outputs rest;  // everything else, of all files; its own logits are empty where there are several
  std::vector<OutputsFile> files;

  [[nodiscard]] std::size_t n() const { return logits.shape()[0]; }
  [[nodiscard]] std::size_t k() const { return logits.shape()[1]; }
};

// Logits stay where they are (memory-mapped files are not copied); labels, norms, groups and features are
// joined in memory. rest.path is `text`.
[[nodiscard]] OutputsShards read_shards(const std::string& text, const OutputsOptions& options = {});

// One Outputs that holds the logits too, copied where there are several files.
[[nodiscard]] Outputs joined(OutputsShards shards);

}  // namespace leeway
