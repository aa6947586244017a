// White space errors of copying, scanning and pasting. Every gap between words changes independently with
// probability `strength`, and with equal chances is deleted, gets one more space, becomes a line break, or
// stays while a space splits the word before it at a random place (a one-character word stays and the gap
// gets one more space).
#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

std::u32string change_by_whitespace(std::u32string_view text, const TextSetting& setting, Random& random) {
  const Words words = words_of(text);
  const std::size_t n = words.words.size();
  std::u32string out(words.gaps.front());
  for (std::size_t i = 0; i < n; ++i) {
    const std::u32string_view word = words.words[i], gap = words.gaps[i + 1];
    if (i + 1 == n) {
      out.append(word).append(gap);
      break;
    }
    const bool hit = random.uniform() < setting.strength;
    const auto kind = random.below(4);
    const auto inside = word.size() < 2 ? 0 : 1 + random.below(word.size() - 1);
    if (hit && kind == 3 && inside > 0)
      out.append(word.substr(0, inside)).append(U" ").append(word.substr(inside)).append(gap);
    else if (hit && kind == 0)
      out.append(word);
    else if (hit && kind == 1)
      out.append(word).append(U"\n");
    else
      out.append(word).append(gap).append(hit ? 1 : 0, U' ');
  }
  return out;
}

}  // namespace

TextShift text_whitespace() {
  return {{"whitespace",
           "gaps between words removed, widened or turned into line breaks; words split",
           "",
           {{"strength", .1, 0, 1, "share of the gaps between words that change, at random"}}},
          change_by_whitespace};
}

}  // namespace leeway::shift
