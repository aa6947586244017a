#include "leeway/sweep/detail/inputs.h"

#include <sys/stat.h>

#include "leeway/core/message.h"
#include "leeway/sweep/input_words.h"

namespace leeway::sweep {

std::optional<Inputs::Stamp> Inputs::stamp_of(const std::string& word) {
  struct stat status {};
  if (::stat(word.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  constexpr std::int64_t giga = 1000000000;
  return Stamp{static_cast<std::int64_t>(status.st_ino), status.st_size,
               status.st_mtim.tv_sec * giga + status.st_mtim.tv_nsec,
               status.st_ctim.tv_sec * giga + status.st_ctim.tv_nsec};
}

void Inputs::check(const std::vector<std::string>& words) {
  if (planned_.empty()) return;
  const std::scoped_lock lock(mutex_);
  for (const std::string& word : words) {
    const auto planned = planned_.find(word);
    if (planned == planned_.end()) continue;
    const auto stamp = stamp_of(word);
    const auto known = checked_.find(word);
    if (known != checked_.end() && known->second == stamp) continue;
    if (input_word(word).identity != planned->second)
      refuse(display_name(word), "the contents that the study was planned with",
             "others, or none (plan the study again into the same folder: what still holds is kept)");
    checked_[word] = stamp;
  }
}

}  // namespace leeway::sweep
