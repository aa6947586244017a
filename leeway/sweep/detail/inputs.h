// The user's files, as they were when the study was planned: a unit's name stands for their contents.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace leeway::sweep {

class Inputs {
 public:
  // By the units' words, with names and digests of the contents (plan.h).
  explicit Inputs(const std::map<std::string, std::string>& planned) : planned_(planned) {}

  // Error where one of these words names other contents than it did. A file is read the first time, and where its size or its
  // times are others than before; folders, patterns and lists the first time. From any thread.
  void check(const std::vector<std::string>& words);

 private:
  using Stamp = std::array<std::int64_t, 4>;
  static std::optional<Stamp> stamp_of(const std::string& word);  // nothing of what is no file

  const std::map<std::string, std::string>& planned_;
  std::mutex mutex_;
  std::map<std::string, std::optional<Stamp>> checked_;
};

}  // namespace leeway::sweep
