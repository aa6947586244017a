// Shifts of text: edits of letters and words.
//
// A family: text.cpp lists the members; each has one file in text/ with its rule, default strength and
// source. A shift maps one UTF-8 text to another as a pure function of text, strength, seed and row number:
// all draws come from Random(seed, stream(name), row), so threads and other rows change nothing. The edits of
// a smaller strength are a prefix or subset of those of a larger one. Characters are code points; words are
// separated by white space (characters.h).
//
// Errors (Error): invalid UTF-8, a strength outside the member's range. Cost: a few microseconds per kilobyte
// of the longer text; insertions and deletions move the rest of the text: edits times length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/random.h"

namespace leeway::shift {

// Words of praise and of blame, which amplify and contradict place in a text.

// Which of two classes a text, or a word, is of.
enum class Sign : std::uint8_t { negative, positive };

struct WordLists {
  std::vector<std::u32string> positive, negative;  // neither is empty; no word holds white space

  [[nodiscard]] const std::vector<std::u32string>& of(Sign sign) const {
    return sign == Sign::positive ? positive : negative;
  }
};

// More than 200 English adjectives of each sign.
[[nodiscard]] const std::shared_ptr<const WordLists>& own_word_lists();

// CSV with the columns `word` and `sign`: positive or negative (pos, neg, + or - too), or a number, whose sign counts. Errors
// (Error): those of csv.h; a missing column, a word that is empty or holds white space, another sign, a list without words.
[[nodiscard]] std::shared_ptr<const WordLists> read_word_lists(const std::filesystem::path& path);
[[nodiscard]] std::shared_ptr<const WordLists> parse_word_lists(std::string_view text, std::string_view name);

// Replaces words (Carvalho et al. 2025, Figure 10 and program) or inserts them (appendix C).
enum class Placing : std::uint8_t { replace, insert };

struct TextOptions {
  double strength = 0;
  Placing placing = Placing::replace;
  std::shared_ptr<const WordLists> words = {};  // none: own_word_lists()
  std::uint64_t seed = 0;
};

// What a member is told of one text.
struct TextSetting {
  double strength = 0;
  std::size_t edits = 0;  // of members that count them: 2^strength, rounded
  Placing placing = Placing::replace;
  std::span<const std::u32string> words = {};  // to place
};

// How a member uses Options and labels.
struct TextNeeds {
  bool edits = false;     // strength W means 2^W edits; without it, strength 0 changes nothing
  bool label = false;     // places words of a sign, so it must know the text's; uses `placing`
  bool opposite = false;  // words of the other sign
};

struct TextShift : leeway::Member {
  std::u32string (*change)(std::u32string_view text, const TextSetting& setting, Random& random) = nullptr;
  TextNeeds needs = {};

  [[nodiscard]] const Parameter& strength() const { return parameters.front(); }
  // 2^strength, rounded; 0 where the member does not count edits.
  [[nodiscard]] std::size_t edits(double strength) const;
  // Error where the strength is not legal.
  void check(double strength) const;
  // Row `row` of a set; its sign is used where needs.label.
  [[nodiscard]] std::string apply(std::string_view text, std::size_t row, Sign sign,
                                  const TextOptions& options) const;
};

[[nodiscard]] std::span<const TextShift> text_shifts();
[[nodiscard]] const TextShift& text_shift(std::string_view name);  // Error that lists the names there are

}  // namespace leeway::shift
