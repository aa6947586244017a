// Words of praise and of blame, which amplify and contradict place in a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::shift {

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

}  // namespace leeway::shift
