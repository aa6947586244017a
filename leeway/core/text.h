// Text for readers: how wide it is on a terminal, lines that break between words, lists.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

// Columns that a text takes: its code points in UTF-8.
[[nodiscard]] std::size_t text_width(std::string_view text);

// Lines of at most `width` columns, each ended; a word that is wider has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width = 100);

// A to Z as a to z; all other bytes as they are.
[[nodiscard]] std::string lower_case(std::string_view text);

// The same without blanks, "_", "-", "." and ":": "Y True" and "y_true" are one bare word.
[[nodiscard]] std::string bare_word(std::string_view text);

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string list_of(const std::vector<std::string>& words);

// `text` at the end of `list`, unless it stands there already.
void append_new(std::vector<std::string>& list, const std::string& text);

}  // namespace leeway
