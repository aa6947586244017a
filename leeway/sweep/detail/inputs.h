// The user's files, as they were when the study was planned: a unit's name stands for their contents.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace leeway::sweep {

class Inputs {
 public:
  // By the units' words, with names and digests of the contents (plan.h).
  explicit Inputs(const std::map<std::string, std::string>& planned) : planned_(planned) {}

  // Error where one of these words names other contents than it did. Files are read the first time, and where there are
  // others, or a size or a time is another than before. From any thread.
  void check(const std::vector<std::string>& words);

 private:
  using Stamps = std::vector<std::array<std::int64_t, 5>>;  // by file
  static Stamps stamps_of(const std::string& word);

  const std::map<std::string, std::string>& planned_;
  std::mutex mutex_;
  std::map<std::string, Stamps> checked_;
};

}  // namespace leeway::sweep
