#include "leeway/shift/detail/words.h"

#include <utility>

#include "leeway/core/characters.h"

namespace leeway::shift {

Words words_of(std::u32string_view text) {
  Words found;
  std::size_t at = 0;
  const auto take = [&](bool white) {
    const std::size_t begin = at;
    while (at < text.size() && is_white_space(text[at]) == white) ++at;
    return text.substr(begin, at - begin);
  };
  found.gaps.push_back(take(true));
  while (at < text.size()) {
    found.words.push_back(take(false));
    found.gaps.push_back(take(true));
  }
  return found;
}

std::vector<std::size_t> editable(const Words& text, Backslashes backslashes) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < text.words.size(); ++i)
    if (backslashes == Backslashes::edit || text.words[i].find(U'\\') == std::u32string_view::npos)
      places.push_back(i);
  return places;
}

void append(std::u32string& out, const Words& text, std::size_t place, std::u32string_view word,
            Layout layout) {
  if (layout == Layout::keep)
    out += out.empty() ? text.gaps.front() : text.gaps[place];
  else if (!out.empty())
    out += U' ';
  out += word;
}

void finish(std::u32string& out, const Words& text, Layout layout) {
  if (layout == Layout::keep) out += text.gaps.back();
}

std::size_t draw_one(std::vector<std::size_t>& order, std::size_t done, Random& random) {
  std::swap(order[done], order[done + random.below(order.size() - done)]);
  return order[done];
}

}  // namespace leeway::shift
