#include "leeway/core/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace leeway {
namespace {

constexpr std::size_t bits = 64;

// The rows of one block that hold a symbol: bit i for row i.
struct Places {
  std::size_t block = 0;
  std::uint64_t rows = 0;
};

// For every symbol the blocks that hold it, in order. Sparse: texts may be long and have many symbols.
using SymbolPlaces = std::unordered_map<char32_t, std::vector<Places>>;

SymbolPlaces places_of(std::u32string_view text) {
  SymbolPlaces places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto& own = places[text[i]];
    if (own.empty() || own.back().block != i / bits) own.push_back({i / bits, 0});
    own.back().rows |= std::uint64_t{1} << (i % bits);
  }
  return places;
}

// A column of the table of distances within one block of rows: bits where a row is one more, or one less, than the row
// above; the distance at the block's last row.
struct Block {
  std::uint64_t more = ~std::uint64_t{0}, less = 0;
  std::size_t last = 0;
};

// To the next column. `step`: by how much the row above the block changes, -1, 0 or 1; returns the same of its last row.
int advance(Block& block, std::uint64_t equal, int step) {
  const std::uint64_t negative = step < 0 ? 1 : 0, positive = step > 0 ? 1 : 0;
  const std::uint64_t vertical = equal | block.less;
  equal |= negative;
  const std::uint64_t horizontal = (((equal & block.more) + block.more) ^ block.more) | equal;
  std::uint64_t up = block.less | ~(horizontal | block.more), down = block.more & horizontal;
  const int out = static_cast<int>(up >> (bits - 1)) - static_cast<int>(down >> (bits - 1));
  up = up << 1 | positive;
  down = down << 1 | negative;
  block.more = down | ~(vertical | up);
  block.less = up & vertical;
  block.last = static_cast<std::size_t>(static_cast<std::int64_t>(block.last) + out);
  return out;
}

// Whether every distance in these blocks is larger: then so are all that follow from them.
bool all_above(std::span<const Block> blocks, std::size_t most) {
  return std::ranges::all_of(blocks, [most](const Block& block) { return block.last > most + bits; });
}

// The distance if it is at most `most`. Rows are a's symbols, columns b's; cells further than `most` from the diagonal
// cannot lie on a path that is so short, and count as large. Neither text is empty.
std::optional<std::size_t> distance_within(const SymbolPlaces& places, std::size_t rows,
                                           std::u32string_view columns, std::size_t most) {
  const std::size_t count = (rows + bits - 1) / bits;
  std::vector<Block> blocks(count);
  std::size_t end = std::min(count, most / bits + 1);  // blocks begun
  for (std::size_t i = 0; i < end; ++i) blocks[i].last = (i + 1) * bits;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::size_t first = j > most ? std::min((j - most) / bits, count - 1) : 0;
    if (end < count && (j + most) / bits >= end) {
      blocks[end].last = blocks[end - 1].last + bits;
      ++end;
    }
    std::span<const Places> equal;
    if (const auto own = places.find(columns[j]); own != places.end())
      equal = {std::ranges::lower_bound(own->second, first, {}, &Places::block), own->second.end()};
    int step = 1;
    for (std::size_t i = first; i < end; ++i) {
      const bool here = !equal.empty() && equal.front().block == i;
      step = advance(blocks[i], here ? equal.front().rows : 0, step);
      if (here) equal = equal.subspan(1);
    }
    if (j % bits == bits - 1 && all_above(std::span(blocks).subspan(first, end - first), most))
      return std::nullopt;
  }
  if (end < count) return std::nullopt;
  // Rows beyond the text in the last block: undo their steps.
  const Block& last = blocks.back();
  std::size_t distance = last.last;
  for (std::size_t row = rows; row < count * bits; ++row) {
    const std::uint64_t bit = std::uint64_t{1} << (row % bits);
    distance -= (last.more & bit) != 0 ? 1 : 0;
    distance += (last.less & bit) != 0 ? 1 : 0;
  }
  return distance <= most ? std::optional(distance) : std::nullopt;
}

// Property Case_Ignorable.
bool is_ignorable(char32_t point) {
  constexpr std::u32string_view marks =
      U".:'\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a";
  return marks.find(point) != marks.npos || std::string_view("Mn Me Cf Lm Sk").find(category(point)) < 14;
}

// Property Cased, where not ignorable. Ordinal indicators and squared capitals have no other case.
bool is_cased(char32_t point) {
  return std::string_view("Lu Ll Lt").find(category(point)) < 8 || lower_case(point) != upper_case(point) ||
         point == 0xaa || point == 0xba ||
         (point >= 0x1f130 && point <= 0x1f189 && (point - 0x1f130) % 32 < 26);
}

// Unicode's Final_Sigma: a cased letter before, none after, apart from what is ignorable.
bool is_final(std::u32string_view before, std::u32string_view after) {
  const auto last = std::find_if_not(before.rbegin(), before.rend(), is_ignorable);
  const auto next = std::ranges::find_if_not(after, is_ignorable);
  return last != before.rend() && is_cased(*last) && (next == after.end() || !is_cased(*next));
}

std::string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* made = nullptr;
  const auto size = ::utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                                   utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE | options));
  if (size < 0) throw std::runtime_error(::utf8proc_errmsg(size));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  return {made, made + size};
}

}  // namespace

std::string_view category(char32_t point) {
  return ::utf8proc_category_string(static_cast<utf8proc_int32_t>(point));
}

std::string composed(std::string_view text) { return mapped(text, 0); }
std::string compatible(std::string_view text, bool fold) {
  return mapped(text, UTF8PROC_COMPAT | (fold ? UTF8PROC_CASEFOLD : 0));
}

std::u32string lower_case(std::u32string_view text) {
  std::u32string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 0x130)
      lower += U"i\u0307";
    else if (text[i] == 0x3a3 && is_final(text.substr(0, i), text.substr(i + 1)))
      lower += char32_t{0x3c2};
    else
      lower += lower_case(text[i]);
  }
  return lower;
}

bool is_white_space(char32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  return point == 0x85 || point == 0xa0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200a) ||
         point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

char32_t lower_case(char32_t point) {
  return static_cast<char32_t>(::utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
}

char32_t upper_case(char32_t point) {
  return static_cast<char32_t>(::utf8proc_toupper(static_cast<utf8proc_int32_t>(point)));
}

std::size_t edit_distance(std::u32string_view a, std::u32string_view b) {
  const auto [start, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto same = static_cast<std::size_t>(start - a.begin());
  a.remove_prefix(same), b.remove_prefix(same);
  while (!a.empty() && !b.empty() && a.back() == b.back()) a.remove_suffix(1), b.remove_suffix(1);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.empty()) return b.size();
  const SymbolPlaces places = places_of(a);
  for (std::size_t most = std::max(bits, b.size() - a.size());; most *= 4) {
    if (4 * most > b.size()) most = b.size();  // no band is wider
    if (const auto distance = distance_within(places, a.size(), b, most)) return *distance;
  }
}

}  // namespace leeway
