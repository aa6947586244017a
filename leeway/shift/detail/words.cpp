#include "leeway/shift/detail/words.h"

#include <numeric>
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

std::vector<std::size_t> places_of(const Words& text) {
  std::vector<std::size_t> places(text.words.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

std::size_t draw_one(std::vector<std::size_t>& order, std::size_t done, Random& random) {
  std::swap(order[done], order[done + random.below(order.size() - done)]);
  return order[done];
}

}  // namespace leeway::shift
