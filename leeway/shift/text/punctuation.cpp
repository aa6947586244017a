// Punctuation errors. Marks: . , ; : ! ? ' " ( ) - and typographic quotes, dashes and ellipsis. Each mark,
// and each word end without one, changes independently with probability `strength`: a mark is, with equal
// chances, deleted, doubled, or another of . , ; : ! ?; a word end gets one of these six.
#include <string>

#include "leeway/core/characters.h"
#include "leeway/shift/text.h"

namespace leeway::shift {
namespace {

constexpr std::u32string_view sentence_marks = U".,;:!?";
constexpr std::u32string_view marks = U".,;:!?'\"()-\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u2026";

// The sentence marks but this one.
std::u32string others_of(char32_t mark) {
  std::u32string others(sentence_marks);
  std::erase(others, mark);
  return others;
}

std::u32string change_by_punctuation(std::u32string_view text, const TextSetting& setting, Random& random) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = marks.find(text[i]) != std::u32string_view::npos;
    const bool ends_word =
        !is_white_space(text[i]) && (i + 1 == text.size() || is_white_space(text[i + 1])) && !is_mark;
    if (!is_mark && !ends_word) {
      out += text[i];
      continue;
    }
    const bool hit = random.uniform() < setting.strength;
    const auto kind = random.below(3);
    const std::u32string others = others_of(text[i]);
    const char32_t other = others[random.below(others.size())];
    if (ends_word || !hit || kind == 1) out += text[i];
    if (hit && is_mark && kind == 1) out += text[i];
    if (hit && (ends_word || kind == 2)) out += other;
  }
  return out;
}

}  // namespace

TextShift text_punctuation() {
  return {{"punctuation",
           "punctuation marks dropped, doubled, exchanged and added",
           "",
           {{"strength", .1, 0, 1, "share of marks, and of word ends without a mark, that change"}}},
          change_by_punctuation};
}

}  // namespace leeway::shift
