// The user's files among the values of a study.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/sweep/store.h"

namespace leeway::sweep {

struct InputWord {
  std::string word;      // with every file from the root, so that it holds in any folder
  std::string identity;  // with every file as its name and the digest of its contents
};

// `text`: a file, a pattern of files, or a folder if it has a slash; optionally NAME= before it; several
// separated by commas. Keeps text that names nothing existing.
[[nodiscard]] InputWord input_word(const std::string& text);

// The part of the value of an option that reads files that names nothing existing; empty: none. A data set of the
// system, such as fashion-mnist:test, is no file.
[[nodiscard]] std::string missing_file(const std::string& text);

// Digests of what a finished unit wrote: its file outputs.xxh3 has a line "DIGEST BYTES NAME" for each file.
//
// A missing file is not damage: the unit that reads it reports it. A folder without the list, made by an
// earlier version, is accepted.
//
// Errors: Error for a file with other contents; DiskFull or std::runtime_error if the list cannot be written.

void write_digests(const std::filesystem::path& folder);

// Compares the unit's file `name`, which was read as `text`, with the list.
void check_output(const Store& store, const std::string& unit, const std::string& name,
                  std::string_view text);

// Files that are read for units, compared with what is known of them. Rereads those whose size or time changed. Thread-safe.
class CheckedFiles {
 public:
  // `inputs`: of the plan.
  CheckedFiles(const Store& store, const std::map<std::string, std::string>& inputs)
      : store_(store), inputs_(inputs) {}

  // Error: a word names files of the user with other contents than when the study was planned, for which the names of
  // units stand.
  void check_inputs(const std::vector<std::string>& words);
  // Error: a file of a finished unit has other contents than its list says.
  void check_outputs(const std::string& unit);

 private:
  template <class Verify>
  void check(const std::string& key, const std::vector<std::filesystem::path>& files, const Verify& verify);

  const Store& store_;
  const std::map<std::string, std::string>& inputs_;
  std::mutex mutex_;
  std::map<std::string, std::string> checked_;  // stamps by word or unit
};

}  // namespace leeway::sweep
