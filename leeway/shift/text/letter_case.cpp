// Every word with a chance of its own, the strength, in lower or in upper case (characters.h: letter by letter).
#include "leeway/core/characters.h"
#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

template <char32_t (*mapped)(char32_t)>
std::u32string change_by_letter_case(std::u32string_view text, const TextSetting& setting, Random& random) {
  std::u32string out(text);
  const Words words = words_of(text);
  for (const std::u32string_view word : words.words) {
    if (!(random.uniform() < setting.strength)) continue;
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    for (std::size_t i = begin; i < begin + word.size(); ++i) out[i] = mapped(out[i]);
  }
  return out;
}

constexpr Parameter letter_case_strength{"strength", 1, 0, 1,
                                         "share of the words that change case, at random"};

}  // namespace

TextShift text_lower_case() {
  return {{"lower-case", "words in lower case", "", {letter_case_strength}},
          change_by_letter_case<lower_case>};
}

TextShift text_upper_case() {
  return {{"upper-case", "words in upper case", "", {letter_case_strength}},
          change_by_letter_case<upper_case>};
}

}  // namespace leeway::shift
