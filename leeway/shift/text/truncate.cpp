// The end is cut off: of n words the last floor(strength n), with the white space before them; the first word stays. What
// forms with a limit do, and models that read so many tokens. Nothing is drawn.
#include <algorithm>

#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

std::u32string change_by_truncate(std::u32string_view text, const TextSetting& setting, Random&) {
  const Words words = words_of(text);
  const std::size_t n = words.words.size();
  // .29 * 100 is 28.999...
  const auto cut = static_cast<std::size_t>(setting.strength * static_cast<double>(n) + 1e-9);
  if (cut == 0 || n < 2) return std::u32string(text);
  const std::u32string_view last = words.words[n - 1 - std::min(cut, n - 1)];
  return std::u32string(text.substr(0, static_cast<std::size_t>(last.data() - text.data()) + last.size()));
}

}  // namespace

TextShift text_truncate() {
  return {{"truncate",
           "the end of the text removed",
           "",
           {{"strength", .5, 0, 1, "share of words removed at the end"}}},
          change_by_truncate};
}

}  // namespace leeway::shift
