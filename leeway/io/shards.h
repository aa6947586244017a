// One set of outputs in several files; results equal those of the joined file to the bit.
//
// A set is named by a path, several paths "a.npz,b.npz", or a pattern "shard-*.npz" in natural order (2
// before 10). An existing file with exactly that name takes precedence. All files must have the same number
// of classes and features, the same presence of norms and groups, and the same class and group names. Rows of a
// file without labels have none (no_label) if another file has labels.
// Errors (Error: file, expected, found, row): those of outputs.h, files that differ, a pattern without a
// match.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/rows.h"
#include "leeway/io/outputs.h"

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

// The rows that `rows` names, in that order, of logits and of all that goes with them; a copy. Rows below set.n().
[[nodiscard]] OutputsShards take(const OutputsShards& set, std::span<const std::size_t> rows);

}  // namespace leeway
