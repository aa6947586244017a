// Typing errors on a QWERTY keyboard. Every ASCII letter and digit is hit independently with probability
// `strength`, and then with equal chances is replaced by an adjacent key, followed by one, deleted, or
// exchanged with the next letter or digit (at the end of a run with the previous one; single characters
// stay).
//
// Each row is half a key to the right of the one above. A letter's neighbors have its case. Exchanges come
// first, from left to right.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "leeway/core/characters.h"
#include "leeway/shift/text.h"

namespace leeway::shift {
namespace {

// The keys that touch each ASCII character's.
using Neighbours = std::array<std::u32string, 128>;

Neighbours neighbours() {
  constexpr std::array<std::u32string_view, 4> rows{U"1234567890", U"qwertyuiop", U"asdfghjkl", U"zxcvbnm"};
  Neighbours all;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      std::u32string& own = all[rows[r][c]];
      if (c > 0) own += rows[r][c - 1];
      if (c + 1 < rows[r].size()) own += rows[r][c + 1];
      for (std::size_t above = c; r > 0 && above < std::min(c + 2, rows[r - 1].size()); ++above)
        own += rows[r - 1][above];
      for (std::size_t below = c - std::min<std::size_t>(c, 1);
           r + 1 < rows.size() && below < std::min(c + 1, rows[r + 1].size()); ++below)
        own += rows[r + 1][below];
    }
  for (char32_t letter = U'a'; letter <= U'z'; ++letter)
    for (const char32_t other : all[letter]) all[upper_case(letter)] += upper_case(other);
  return all;
}

enum class Slip : std::uint8_t { none, neighbour, insertion, omission, exchange };

struct Hit {
  Slip slip = Slip::none;
  std::uint64_t which = 0;  // of the neighbours
};

std::u32string change_by_typos(std::u32string_view text, const TextSetting& setting, Random& random) {
  static const Neighbours near = neighbours();
  const auto is_key = [&](std::size_t i) {
    return i < text.size() && text[i] < near.size() && !near[text[i]].empty();
  };
  // As many draws a key whether it is hit or not, so that a larger strength adds to the hits of a smaller one.
  std::vector<Hit> hits(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_key(i)) continue;
    const bool hit = random.uniform() < setting.strength;
    const std::uint64_t word = random.bits();
    const auto slip = static_cast<Slip>(1 + (word >> 30));
    const std::uint64_t which = ((word & 0x3fffffff) * near[text[i]].size()) >> 30;
    if (hit) hits[i] = {slip, which};
  }
  std::vector<std::size_t> order(text.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (hits[i].slip != Slip::exchange) continue;
    if (is_key(i + 1))
      std::swap(order[i], order[i + 1]);
    else if (i > 0 && is_key(i - 1))
      std::swap(order[i], order[i - 1]);
  }
  std::u32string out;
  for (const std::size_t i : order) {
    const auto [slip, which] = hits[i];
    if (slip != Slip::neighbour && slip != Slip::omission) out += text[i];
    if (slip == Slip::neighbour || slip == Slip::insertion) out += near[text[i]][which];
  }
  return out;
}

}  // namespace

TextShift text_typos() {
  return {{"typos",
           "letters and digits swapped, dropped, replaced or followed by a neighbor on a QWERTY keyboard",
           "",
           {{"strength", .05, 0, 1, "share of letters and digits that change, at random"}}},
          change_by_typos};
}

}  // namespace leeway::shift
