// Text for error messages: always one line, whatever the input contains.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/error.h"

namespace leeway {

// `text` with control characters and invalid UTF-8 as \xNN, cut after `limit` bytes (then it ends in "...").
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 60);

// 'text', printable.
[[nodiscard]] std::string in_quotes(std::string_view text);

// A path as messages show it: never cut.
[[nodiscard]] std::string display_name(const std::filesystem::path& path);

// Throws Error: "NAME: expected EXPECTED, found FOUND".
[[noreturn]] void refuse(std::string_view name, std::string_view expected, std::string_view found);
[[noreturn]] void refuse(std::string_view name, std::string_view expected, std::size_t found);

// Columns that a text takes: its code points in UTF-8.
[[nodiscard]] std::size_t text_width(std::string_view text);

// Lines of at most `width` columns, each ended; a word that is wider has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width = 100);

// 0 to 9, in any locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A to Z as a to z; all other bytes as they are.
[[nodiscard]] std::string lower_case(std::string_view text);

// The same without blanks, "_", "-", "." and ":": "Y True" and "y_true" are one bare word.
[[nodiscard]] std::string bare_word(std::string_view text);

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string list_of(const std::vector<std::string>& words);

// "a, b, c", printable.
[[nodiscard]] std::string comma_list(std::span<const std::string> words, std::size_t limit = 100);

// `text` at the end of `list`, unless it stands there already.
void append_new(std::vector<std::string>& list, const std::string& text);

// Suggests the name that a mistyped one probably means, for messages.
//
// A near name has the same bare word (core/message.h), shares a prefix of three letters or more, or differs by
// at most a third of the longer name's letters. Returns the nearest, the first of equals. Cost: one edit
// distance per name.

// The edit distance of two words in bytes; 1 for the same letters in another order.
[[nodiscard]] std::size_t typing_mistakes(std::string_view a, std::string_view b);

// One of `names`, or "" where none is near.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

// "; did you mean accuracy?", or "".
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> names);

// Position of a name. Error if absent, with the nearest name (`where` opens it; without `what`, it lists all
// names).
std::size_t index_of_name(std::string_view name, std::span<const std::string> names, std::string_view where,
                          std::string_view what = "");
// The same in a list whose elements have the names.
template <class List, class One, class Text>
std::size_t index_of_name(std::string_view name, const List& list, Text One::*name_of, std::string_view where,
                          std::string_view what = "") {
  std::vector<std::string> names;
  for (const One& one : list) names.emplace_back(one.*name_of);
  return index_of_name(name, names, where, what);
}

}  // namespace leeway
