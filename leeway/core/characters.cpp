#include "leeway/core/characters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace leeway {
namespace {

// Every step-th code point from first to last has its other case at that distance. In order, without overlaps.
struct Run {
  char32_t first, last;
  std::int32_t distance;
  char32_t step;
};

// Upper case letters and their lower case, which has them as its upper case.
constexpr Run both_ways[] = {
    {0x41, 0x5a, 32, 1},         {0xc0, 0xd6, 32, 1},         {0xd8, 0xde, 32, 1},
    {0x100, 0x12e, 1, 2},        {0x132, 0x136, 1, 2},        {0x139, 0x147, 1, 2},
    {0x14a, 0x176, 1, 2},        {0x178, 0x178, -121, 1},     {0x179, 0x17d, 1, 2},
    {0x181, 0x181, 210, 1},      {0x182, 0x184, 1, 2},        {0x186, 0x186, 206, 1},
    {0x187, 0x187, 1, 1},        {0x189, 0x18a, 205, 1},      {0x18b, 0x18b, 1, 1},
    {0x18e, 0x18e, 79, 1},       {0x18f, 0x18f, 202, 1},      {0x190, 0x190, 203, 1},
    {0x191, 0x191, 1, 1},        {0x193, 0x193, 205, 1},      {0x194, 0x194, 207, 1},
    {0x196, 0x196, 211, 1},      {0x197, 0x197, 209, 1},      {0x198, 0x198, 1, 1},
    {0x19c, 0x19c, 211, 1},      {0x19d, 0x19d, 213, 1},      {0x19f, 0x19f, 214, 1},
    {0x1a0, 0x1a4, 1, 2},        {0x1a6, 0x1a6, 218, 1},      {0x1a7, 0x1a7, 1, 1},
    {0x1a9, 0x1a9, 218, 1},      {0x1ac, 0x1ac, 1, 1},        {0x1ae, 0x1ae, 218, 1},
    {0x1af, 0x1af, 1, 1},        {0x1b1, 0x1b2, 217, 1},      {0x1b3, 0x1b5, 1, 2},
    {0x1b7, 0x1b7, 219, 1},      {0x1b8, 0x1b8, 1, 1},        {0x1bc, 0x1bc, 1, 1},
    {0x1c4, 0x1c4, 2, 1},        {0x1c7, 0x1c7, 2, 1},        {0x1ca, 0x1ca, 2, 1},
    {0x1cd, 0x1db, 1, 2},        {0x1de, 0x1ee, 1, 2},        {0x1f1, 0x1f1, 2, 1},
    {0x1f4, 0x1f4, 1, 1},        {0x1f6, 0x1f6, -97, 1},      {0x1f7, 0x1f7, -56, 1},
    {0x1f8, 0x21e, 1, 2},        {0x220, 0x220, -130, 1},     {0x222, 0x232, 1, 2},
    {0x23a, 0x23a, 10795, 1},    {0x23b, 0x23b, 1, 1},        {0x23d, 0x23d, -163, 1},
    {0x23e, 0x23e, 10792, 1},    {0x241, 0x241, 1, 1},        {0x243, 0x243, -195, 1},
    {0x244, 0x244, 69, 1},       {0x245, 0x245, 71, 1},       {0x246, 0x24e, 1, 2},
    {0x370, 0x372, 1, 2},        {0x376, 0x376, 1, 1},        {0x37f, 0x37f, 116, 1},
    {0x386, 0x386, 38, 1},       {0x388, 0x38a, 37, 1},       {0x38c, 0x38c, 64, 1},
    {0x38e, 0x38f, 63, 1},       {0x391, 0x3a1, 32, 1},       {0x3a3, 0x3ab, 32, 1},
    {0x3cf, 0x3cf, 8, 1},        {0x3d8, 0x3ee, 1, 2},        {0x3f7, 0x3f7, 1, 1},
    {0x3f9, 0x3f9, -7, 1},       {0x3fa, 0x3fa, 1, 1},        {0x3fd, 0x3ff, -130, 1},
    {0x400, 0x40f, 80, 1},       {0x410, 0x42f, 32, 1},       {0x460, 0x480, 1, 2},
    {0x48a, 0x4be, 1, 2},        {0x4c0, 0x4c0, 15, 1},       {0x4c1, 0x4cd, 1, 2},
    {0x4d0, 0x52e, 1, 2},        {0x531, 0x556, 48, 1},       {0x10a0, 0x10c5, 7264, 1},
    {0x10c7, 0x10c7, 7264, 1},   {0x10cd, 0x10cd, 7264, 1},   {0x13a0, 0x13ef, 38864, 1},
    {0x13f0, 0x13f5, 8, 1},      {0x1c90, 0x1cba, -3008, 1},  {0x1cbd, 0x1cbf, -3008, 1},
    {0x1e00, 0x1e94, 1, 2},      {0x1ea0, 0x1efe, 1, 2},      {0x1f08, 0x1f0f, -8, 1},
    {0x1f18, 0x1f1d, -8, 1},     {0x1f28, 0x1f2f, -8, 1},     {0x1f38, 0x1f3f, -8, 1},
    {0x1f48, 0x1f4d, -8, 1},     {0x1f59, 0x1f5f, -8, 2},     {0x1f68, 0x1f6f, -8, 1},
    {0x1fb8, 0x1fb9, -8, 1},     {0x1fba, 0x1fbb, -74, 1},    {0x1fc8, 0x1fcb, -86, 1},
    {0x1fd8, 0x1fd9, -8, 1},     {0x1fda, 0x1fdb, -100, 1},   {0x1fe8, 0x1fe9, -8, 1},
    {0x1fea, 0x1feb, -112, 1},   {0x1fec, 0x1fec, -7, 1},     {0x1ff8, 0x1ff9, -128, 1},
    {0x1ffa, 0x1ffb, -126, 1},   {0x2132, 0x2132, 28, 1},     {0x2160, 0x216f, 16, 1},
    {0x2183, 0x2183, 1, 1},      {0x24b6, 0x24cf, 26, 1},     {0x2c00, 0x2c2f, 48, 1},
    {0x2c60, 0x2c60, 1, 1},      {0x2c62, 0x2c62, -10743, 1}, {0x2c63, 0x2c63, -3814, 1},
    {0x2c64, 0x2c64, -10727, 1}, {0x2c67, 0x2c6b, 1, 2},      {0x2c6d, 0x2c6d, -10780, 1},
    {0x2c6e, 0x2c6e, -10749, 1}, {0x2c6f, 0x2c6f, -10783, 1}, {0x2c70, 0x2c70, -10782, 1},
    {0x2c72, 0x2c72, 1, 1},      {0x2c75, 0x2c75, 1, 1},      {0x2c7e, 0x2c7f, -10815, 1},
    {0x2c80, 0x2ce2, 1, 2},      {0x2ceb, 0x2ced, 1, 2},      {0x2cf2, 0x2cf2, 1, 1},
    {0xa640, 0xa66c, 1, 2},      {0xa680, 0xa69a, 1, 2},      {0xa722, 0xa72e, 1, 2},
    {0xa732, 0xa76e, 1, 2},      {0xa779, 0xa77b, 1, 2},      {0xa77d, 0xa77d, -35332, 1},
    {0xa77e, 0xa786, 1, 2},      {0xa78b, 0xa78b, 1, 1},      {0xa78d, 0xa78d, -42280, 1},
    {0xa790, 0xa792, 1, 2},      {0xa796, 0xa7a8, 1, 2},      {0xa7aa, 0xa7aa, -42308, 1},
    {0xa7ab, 0xa7ab, -42319, 1}, {0xa7ac, 0xa7ac, -42315, 1}, {0xa7ad, 0xa7ad, -42305, 1},
    {0xa7ae, 0xa7ae, -42308, 1}, {0xa7b0, 0xa7b0, -42258, 1}, {0xa7b1, 0xa7b1, -42282, 1},
    {0xa7b2, 0xa7b2, -42261, 1}, {0xa7b3, 0xa7b3, 928, 1},    {0xa7b4, 0xa7c2, 1, 2},
    {0xa7c4, 0xa7c4, -48, 1},    {0xa7c5, 0xa7c5, -42307, 1}, {0xa7c6, 0xa7c6, -35384, 1},
    {0xa7c7, 0xa7c9, 1, 2},      {0xa7d0, 0xa7d0, 1, 1},      {0xa7d6, 0xa7d8, 1, 2},
    {0xa7f5, 0xa7f5, 1, 1},      {0xff21, 0xff3a, 32, 1},     {0x10400, 0x10427, 40, 1},
    {0x104b0, 0x104d3, 40, 1},   {0x10570, 0x1057a, 39, 1},   {0x1057c, 0x1058a, 39, 1},
    {0x1058c, 0x10592, 39, 1},   {0x10594, 0x10595, 39, 1},   {0x10c80, 0x10cb2, 64, 1},
    {0x118a0, 0x118bf, 32, 1},   {0x16e40, 0x16e5f, 32, 1},   {0x1e900, 0x1e921, 34, 1},
};

constexpr Run lower_only[] = {
    {0x1c5, 0x1c5, 1, 1},       {0x1c8, 0x1c8, 1, 1},       {0x1cb, 0x1cb, 1, 1},
    {0x1f2, 0x1f2, 1, 1},       {0x3f4, 0x3f4, -60, 1},     {0x1e9e, 0x1e9e, -7615, 1},
    {0x1f88, 0x1f8f, -8, 1},    {0x1f98, 0x1f9f, -8, 1},    {0x1fa8, 0x1faf, -8, 1},
    {0x1fbc, 0x1fbc, -9, 1},    {0x1fcc, 0x1fcc, -9, 1},    {0x1ffc, 0x1ffc, -9, 1},
    {0x2126, 0x2126, -7517, 1}, {0x212a, 0x212a, -8383, 1}, {0x212b, 0x212b, -8262, 1},
};

constexpr Run upper_only[] = {
    {0xb5, 0xb5, 743, 1},       {0x131, 0x131, -232, 1},    {0x17f, 0x17f, -300, 1},
    {0x1c5, 0x1c5, -1, 1},      {0x1c8, 0x1c8, -1, 1},      {0x1cb, 0x1cb, -1, 1},
    {0x1f2, 0x1f2, -1, 1},      {0x345, 0x345, 84, 1},      {0x3c2, 0x3c2, -31, 1},
    {0x3d0, 0x3d0, -62, 1},     {0x3d1, 0x3d1, -57, 1},     {0x3d5, 0x3d5, -47, 1},
    {0x3d6, 0x3d6, -54, 1},     {0x3f0, 0x3f0, -86, 1},     {0x3f1, 0x3f1, -80, 1},
    {0x3f5, 0x3f5, -96, 1},     {0x1c80, 0x1c80, -6254, 1}, {0x1c81, 0x1c81, -6253, 1},
    {0x1c82, 0x1c82, -6244, 1}, {0x1c83, 0x1c84, -6242, 1}, {0x1c85, 0x1c85, -6243, 1},
    {0x1c86, 0x1c86, -6236, 1}, {0x1c87, 0x1c87, -6181, 1}, {0x1c88, 0x1c88, 35266, 1},
    {0x1e9b, 0x1e9b, -59, 1},   {0x1fbe, 0x1fbe, -7205, 1},
};

constexpr auto both_ways_upper = [] {
  auto runs = std::to_array(both_ways);
  for (Run& run : runs) {
    const auto moved = [&](char32_t point) {
      return static_cast<char32_t>(static_cast<std::int32_t>(point) + run.distance);
    };
    run = {moved(run.first), moved(run.last), -run.distance, run.step};
  }
  std::ranges::sort(runs, {}, &Run::first);
  return runs;
}();

char32_t mapped(char32_t point, std::span<const Run> runs) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), point,
                                      [](char32_t p, const Run& run) { return p < run.first; });
  if (after == runs.begin()) return point;
  const Run& run = *std::prev(after);
  if (point > run.last || (point - run.first) % run.step != 0) return point;
  return static_cast<char32_t>(static_cast<std::int32_t>(point) + run.distance);
}

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

}  // namespace

bool is_white_space(char32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  return point == 0x85 || point == 0xa0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200a) ||
         point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

char32_t lower_case(char32_t point) {
  if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
  const char32_t other = mapped(point, both_ways);
  return other != point ? other : mapped(point, lower_only);
}

char32_t upper_case(char32_t point) {
  if (point < 0x80) return point >= 'a' && point <= 'z' ? point - 32 : point;
  const char32_t other = mapped(point, both_ways_upper);
  return other != point ? other : mapped(point, upper_only);
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
