#include "leeway/shift/text_difference.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/core/utf8.h"
#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

std::string utf8(std::u32string_view text) { return utf8_from_code_points(text).value(); }

std::string part(std::u32string_view text, std::size_t begin, std::size_t limit) {
  begin = std::min(begin, text.size());
  return (begin > 0 ? "..." : "") + utf8(text.substr(begin, limit)) +
         (text.size() - begin > limit ? "..." : "");
}

// Words and what is between them, none empty.
std::vector<std::u32string_view> tokens_of(std::u32string_view text) {
  const Words words = words_of(text);
  std::vector<std::u32string_view> tokens;
  for (std::size_t i = 0; i < words.gaps.size(); ++i) {
    if (!words.gaps[i].empty()) tokens.push_back(words.gaps[i]);
    if (i < words.words.size()) tokens.push_back(words.words[i]);
  }
  return tokens;
}

// Tokens next to each other share their marks.
std::string with_marks(const std::vector<std::u32string_view>& tokens, const std::vector<bool>& common,
                       char open, char close) {
  std::string out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!common[i] && (i == 0 || common[i - 1])) out += open;
    out += utf8(tokens[i]);
    if (!common[i] && (i + 1 == tokens.size() || common[i + 1])) out += close;
  }
  return out;
}

}  // namespace

TextPair excerpts(std::string_view before, std::string_view after, std::size_t limit) {
  const std::u32string a = code_points_from_utf8(before).value(), b = code_points_from_utf8(after).value();
  const auto first =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t begin = std::max(a.size(), b.size()) <= limit ? 0 : first - std::min(first, limit / 4);
  return {part(a, begin, limit), part(b, begin, limit)};
}

TextPair marked(std::string_view before, std::string_view after) {
  const std::u32string a = code_points_from_utf8(before).value(), b = code_points_from_utf8(after).value();
  const auto was = tokens_of(a), is = tokens_of(b);
  // longest[i][j]: of the tokens from i and from j on.
  std::vector<std::vector<std::uint32_t>> longest(was.size() + 1, std::vector<std::uint32_t>(is.size() + 1));
  for (std::size_t i = was.size(); i-- > 0;)
    for (std::size_t j = is.size(); j-- > 0;)
      longest[i][j] =
          was[i] == is[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  std::vector<bool> kept(was.size()), old(is.size());
  for (std::size_t i = 0, j = 0; i < was.size() && j < is.size();) {
    if (was[i] == is[j])
      kept[i++] = old[j++] = true;
    else if (longest[i + 1][j] >= longest[i][j + 1])
      ++i;
    else
      ++j;
  }
  return {with_marks(was, kept, '[', ']'), with_marks(is, old, '{', '}')};
}

}  // namespace leeway::shift
