// K = 2^W times, successively: at a character uniform over the text, with equal chances, a letter is inserted
// before it, the character is deleted, or a letter replaces it; letters are uniform from a to z. Stops at two
// characters. The Levenshtein distance to the original is at most K; the length changes by 0 on average,
// standard deviation sqrt(2 K / 3). Source: Carvalho et al. 2025, appendix C.
#include "leeway/shift/text.h"

namespace leeway::shift {
namespace {

std::u32string change_by_levenshtein(std::u32string_view text, const TextSetting& setting, Random& random) {
  std::u32string out(text);
  for (std::size_t edit = 0; edit < setting.edits && out.size() > 2; ++edit) {
    const std::size_t place = random.below(out.size());
    const auto operation = random.below(3);
    const auto letter = static_cast<char32_t>(U'a' + random.below(26));
    if (operation == 0)
      out.insert(place, 1, letter);
    else if (operation == 1)
      out.erase(place, 1);
    else
      out[place] = letter;
  }
  return out;
}

}  // namespace

TextShift text_levenshtein() {
  return {{"levenshtein",
           "letters inserted, deleted and replaced at random",
           "Carvalho et al., TMLR 2025, appendix C",
           {{"strength", 4, 0, 16, "W: 2^W edits per text"}}},
          change_by_levenshtein,
          {.edits = true}};
}

}  // namespace leeway::shift
