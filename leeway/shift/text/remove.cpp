// K = 2^W times a word, uniform over those that are left, is taken out with the white space before it; one word stays.
//
// Source: the program of Carvalho et al. 2025.
#include <algorithm>

#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

std::u32string change_by_remove(std::u32string_view text, const TextSetting& setting, Random& random) {
  const Words words = words_of(text);
  const std::size_t n = words.words.size();
  if (n < 2) return std::u32string(text);
  std::vector<std::size_t> order = places_of(words);
  std::vector<bool> gone(n);
  for (std::size_t edit = 0; edit < std::min({setting.edits, order.size(), n - 1}); ++edit)
    gone[draw_one(order, edit, random)] = true;
  std::u32string out;
  for (std::size_t i = 0; i < n; ++i)
    if (!gone[i]) out.append(words.gaps[out.empty() ? 0 : i]).append(words.words[i]);
  return out.append(words.gaps.back());
}

}  // namespace

TextShift text_remove() {
  return {{"remove",
           "words removed at random",
           "as in the program of Carvalho et al., TMLR 2025",
           {{"strength", 4, 0, 16, "W: 2^W words removed per text"}}},
          change_by_remove,
          {.edits = true}};
}

}  // namespace leeway::shift
