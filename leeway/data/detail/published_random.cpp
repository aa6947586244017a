#include "leeway/data/detail/published_random.h"

#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace leeway::data {

std::vector<std::size_t> numpy_permutation(std::mt19937& state, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i-- > 1;) {
    const std::size_t mask = std::bit_ceil(i + 1) - 1;
    std::size_t j = state() & mask;
    while (j > i) j = state() & mask;
    std::swap(order[i], order[j]);
  }
  return order;
}

std::uint32_t md5_modulo(std::string_view text) {
  constexpr std::size_t most = 55;
  if (text.size() > most) throw std::logic_error("md5_modulo: expected at most 55 bytes");
  std::array<std::uint32_t, 16> block{};
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::uint32_t byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0x80u;
    block[i / 4] |= byte << 8 * (i % 4);
  }
  block[14] = static_cast<std::uint32_t>(8 * text.size());
  const std::array<std::uint32_t, 4> start = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
  constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = start;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t round = i / 16;
    const std::array<std::uint32_t, 4> mixed = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d,
                                                c ^ (b | ~d)};
    const std::array<std::uint32_t, 4> word = {i, 5 * i + 1, 3 * i + 5, 7 * i};
    const auto sine = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(i + 1.)) * 4294967296.));
    const std::uint32_t sum = a + mixed[round] + sine + block[word[round] % 16];
    a = std::exchange(d, std::exchange(c, std::exchange(b, b + std::rotl(sum, turns[round][i % 4]))));
  }
  // The last four of the 16 bytes, little-endian words, are the number's low ones.
  const std::uint32_t last = start[3] + d;
  const std::uint32_t low = last << 24 | (last & 0xff00u) << 8 | (last >> 8 & 0xff00u) | last >> 24;
  return low & 0x7fffffffu;
}

}  // namespace leeway::data
