// Digests of what a finished unit wrote: its file outputs.xxh3 has a line "DIGEST BYTES NAME" for each file.
//
// A missing file is not damage: the unit that reads it reports it. A folder without the list, made by an
// earlier version, is accepted.
//
// Errors: Error for a file with other contents; DiskFull or std::runtime_error if the list cannot be written.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "leeway/sweep/input_words.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

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
