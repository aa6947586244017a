// The inputs of a record, noted when opened: files with digests, arrays in memory by name. Background
// threads, one a file, compute digests (XXH3-128, at the speed of memory). Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/describe/envelope.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

class InputLog {
 public:
  // Is told of every file before it is noted, and what of a table was read as what ("": all names are the standard ones).
  using Opened = std::function<void(const std::string& path, const std::string& reading)>;
  explicit InputLog(Opened opened = {}) : opened_(std::move(opened)) {}

  // A file, whose digest starts now where `digests` is set; or a name such as "fashion-mnist:test", which has none.
  void add(const std::string& path, const std::vector<std::size_t>& shape, const std::string& reading = "");
  [[nodiscard]] bool has(const std::string& path) const;  // whether it was noted
  void add_array(const std::string& name, const Array& array);
  void add_memory(const std::string& name, std::size_t bytes, const std::vector<std::size_t>& shape);

  // read_set (outputs_reading.h), its files noted; one that may serve several sets the first time alone.
  [[nodiscard]] OutputsShards open_set(const std::string& text, const OutputsReading& reading, SetRole role,
                                       bool check_finite = false);

  // Error where a file is no longer the one that add() saw. Waits for the digests.
  void require_unchanged();

  // Moves what was noted to the record, in order; require_unchanged() first.
  void move_to(Envelope& envelope);

  bool digests = true;

  // A file that read_set notes.
  void note(const ReadFile& file);

 private:
  // Size and time of the last change; nothing where there is no such file.
  using FileState = std::optional<std::pair<std::uint64_t, std::filesystem::file_time_type>>;
  struct Entry {
    Input input;
    FileState state;
    std::future<std::string> digest;  // none of an array
  };
  [[nodiscard]] static FileState state_of(const std::string& path);

  Opened opened_;
  std::vector<Entry> entries_;
  std::set<std::string> beside_;  // files noted that may serve several sets
};

// The set of outputs `text` (io/shards.h), for a task to open; notes its files once. `log` must outlive it.
[[nodiscard]] NamedOutputs named_outputs(InputLog& log, const std::string& text,
                                         const OutputsReading& reading, SetRole role,
                                         bool check_finite = false);

[[nodiscard]] std::vector<NamedOutputs> named_outputs(InputLog& log, const std::vector<std::string>& texts,
                                                      const OutputsReading& reading, SetRole role,
                                                      bool check_finite = false);

// The single array of a file, a bare .npy or the only one of an archive, as floats; noted. Error where there are more.
[[nodiscard]] Array only_array(InputLog& log, const std::string& path);

}  // namespace leeway::tasks
