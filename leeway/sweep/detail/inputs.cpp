#include "leeway/sweep/detail/inputs.h"

#include <sys/stat.h>

#include <utility>

#include "leeway/core/message.h"
#include "leeway/sweep/input_words.h"

namespace leeway::sweep {

Inputs::Stamps Inputs::stamps_of(const std::string& word) {
  constexpr std::int64_t giga = 1000000000;
  Stamps stamps;
  for (const auto& file : input_files(word)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    stamps.push_back({static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
                      status.st_size, status.st_mtim.tv_sec * giga + status.st_mtim.tv_nsec,
                      status.st_ctim.tv_sec * giga + status.st_ctim.tv_nsec});
  }
  return stamps;
}

void Inputs::check(const std::vector<std::string>& words) {
  if (planned_.empty()) return;
  const std::scoped_lock lock(mutex_);
  for (const std::string& word : words) {
    const auto planned = planned_.find(word);
    if (planned == planned_.end()) continue;
    Stamps stamps = stamps_of(word);
    const auto known = checked_.find(word);
    if (known != checked_.end() && known->second == stamps) continue;
    if (input_word(word).identity != planned->second)
      refuse(display_name(word), "the contents that the study was planned with",
             "others, or none (plan the study again into the same folder: what still holds is kept)");
    checked_[word] = std::move(stamps);
  }
}

}  // namespace leeway::sweep
