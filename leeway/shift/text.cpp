#include "leeway/shift/text.h"

#include <fmt/format.h>

#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/utf8.h"

namespace leeway::shift {

// Each is defined in text/, in a file of its name; text_lower_case and text_upper_case in letter_case.cpp.
TextShift text_levenshtein();
TextShift text_amplify();
TextShift text_contradict();
TextShift text_remove();
TextShift text_lower_case();
TextShift text_upper_case();
TextShift text_typos();
TextShift text_truncate();
TextShift text_whitespace();
TextShift text_punctuation();

std::span<const TextShift> text_shifts() {
  static const TextShift list[] = {
      text_levenshtein(), text_amplify(), text_contradict(), text_remove(),     text_lower_case(),
      text_upper_case(),  text_typos(),   text_truncate(),   text_whitespace(), text_punctuation(),
  };
  return list;
}

const TextShift& text_shift(std::string_view name) { return find_member(text_shifts(), "text shift", name); }

std::size_t TextShift::edits(double strength) const {
  return needs.edits ? static_cast<std::size_t>(std::llround(std::exp2(strength))) : 0;
}

void TextShift::check(double wanted) const {
  const Parameter& legal = strength();
  if (!(wanted >= legal.low && wanted <= legal.high))
    refuse(fmt::format("text shift {}", name),
           fmt::format("a strength ({}) from {} to {}", legal.meaning, legal.low, legal.high),
           fmt::format("{}", wanted));
}

std::string TextShift::apply(std::string_view text, std::size_t row, Sign sign,
                             const TextOptions& options) const {
  check(options.strength);
  const auto points = code_points_from_utf8(text);
  if (!points)
    refuse(fmt::format("text shift {}", name), "UTF-8 text", fmt::format("other bytes at row {}", row));
  const WordLists& lists = options.words ? *options.words : *own_word_lists();
  const Sign placed = (sign == Sign::positive) != needs.opposite ? Sign::positive : Sign::negative;
  const TextSetting setting{options.strength, edits(options.strength), options.placing, lists.of(placed)};
  Random random(options.seed, stream(name), row);
  return utf8_from_code_points(change(*points, setting, random)).value();
}

}  // namespace leeway::shift
