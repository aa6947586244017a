// amplify: words that agree with the label; contradict: words of the opposite class. K = 2^W times.
//
// Placing::replace: a random list word overwrites the word at a place uniform over unused places; with at
// most K words all are overwritten, so the label is readable from the list words. One-word texts stay.
// Placing::insert: a random word goes before a word uniform over the current text, or after the last; empty
// texts stay. A word may replace itself.
//
// Source: Carvalho et al. 2025, appendix C (whose text says that words are added) and Figure 10 (words are
// replaced).
#include <algorithm>
#include <utility>

#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

const std::u32string& drawn_word(const TextSetting& setting, Random& random) {
  return setting.words[random.below(setting.words.size())];
}

std::u32string joined(const Words& text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.words.size(); ++i) out.append(text.gaps[i]).append(text.words[i]);
  return out.append(text.gaps.back());
}

std::u32string replaced(Words text, const TextSetting& setting, Random& random) {
  std::vector<std::size_t> order = places_of(text);
  for (std::size_t edit = 0; edit < std::min(setting.edits, order.size()); ++edit) {
    const std::size_t place = draw_one(order, edit, random);
    text.words[place] = drawn_word(setting, random);
  }
  return joined(text);
}

std::u32string inserted(Words text, const TextSetting& setting, Random& random) {
  for (std::size_t edit = 0; edit < setting.edits; ++edit) {
    const std::size_t n = text.words.size(), place = random.below(n + 1);
    const auto at = static_cast<std::ptrdiff_t>(place);
    text.words.insert(text.words.begin() + at, drawn_word(setting, random));
    // The space goes behind the new word, at the end before it.
    text.gaps.insert(text.gaps.begin() + (place == n ? at : at + 1), U" ");
  }
  return joined(text);
}

std::u32string change_by_amplify(std::u32string_view text, const TextSetting& setting, Random& random) {
  const bool insert = setting.placing == Placing::insert;
  Words words = words_of(text);
  if (words.words.size() < (insert ? 1u : 2u)) return std::u32string(text);
  return insert ? inserted(std::move(words), setting, random) : replaced(std::move(words), setting, random);
}

constexpr std::string_view source = "Carvalho et al., TMLR 2025, appendix C";
constexpr Parameter amplify_strength{"strength", 4, 0, 16, "W: 2^W words replaced or inserted per text"};

}  // namespace

TextShift text_amplify() {
  return {{"amplify", "words are replaced by words of the label's polarity", source, {amplify_strength}},
          change_by_amplify,
          {.edits = true, .label = true}};
}

TextShift text_contradict() {
  return {{"contradict", "words are replaced by words of the opposite polarity", source, {amplify_strength}},
          change_by_amplify,
          {.edits = true, .label = true, .opposite = true}};
}

}  // namespace leeway::shift
