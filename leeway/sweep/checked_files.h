// Files of the user among the values of a study.
#pragma once

#include <array>
#include <cstdint>
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

// What changes with a file: device, inode, bytes, times of the last changes. Missing files have none.
using FileStamps = std::vector<std::array<std::int64_t, 5>>;
[[nodiscard]] FileStamps stamps_of(const std::vector<std::filesystem::path>& files);

// The files of these words, as they were when the study was planned: a unit's name stands for their contents.
class Inputs {
 public:
  // By the units' words, with names and digests of the contents (plan.h).
  explicit Inputs(const std::map<std::string, std::string>& planned) : planned_(planned) {}

  // Error: a word names other contents than before. Rereads files whose size or time changed. Thread-safe.
  void check(const std::vector<std::string>& words);

 private:
  const std::map<std::string, std::string>& planned_;
  std::mutex mutex_;
  std::map<std::string, FileStamps> checked_;
};

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

class UnitOutputs {
 public:
  explicit UnitOutputs(const Store& store) : store_(store) {}

  // Compares all files of the unit with the list. Rereads files whose size or time changed. Thread-safe.
  void check(const std::string& unit);

 private:
  const Store& store_;
  std::mutex mutex_;
  std::map<std::string, FileStamps> checked_;  // by unit
};

}  // namespace leeway::sweep
