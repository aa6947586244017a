#include "leeway/core/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include "leeway/core/error.h"

namespace leeway {

std::array<std::uint32_t, 4> philox4x32_10(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key) {
  const r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::ukey_type k = {{key[0], key[1]}};
  const auto words = r123::Philox4x32{}(c, k);
  return {words[0], words[1], words[2], words[3]};
}

Random::Random(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, stream, static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32)} {}

void Random::refill() {
  block_ = philox4x32_10(counter_, key_);
  ++counter_[0];
  used_ = 0;
}

std::uint64_t Random::bits64() {
  const std::uint64_t high = bits();
  return (high << 32) | bits();
}

double Random::uniform() {
  // 52 bits and a half: with 53 bits the largest value would round to 1
  return (static_cast<double>(bits64() >> 12) + .5) * 0x1p-52;
}

double Random::normal() {
  if (std::exchange(has_spare_, false)) return spare_;
  const double radius = std::sqrt(-2 * std::log(uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t Random::below(std::uint64_t m) {
  if (m == 0) throw Error("Random::below: m: expected a number above 0, found 0");
  if (m <= std::numeric_limits<std::uint32_t>::max()) {
    // Lemire (2019): the high word of bits * m; low words under 2^32 mod m would be one too many
    const auto narrow = static_cast<std::uint32_t>(m);
    std::uint64_t product = std::uint64_t{bits()} * m;
    if (static_cast<std::uint32_t>(product) < narrow) {
      const std::uint32_t surplus = (0u - narrow) % narrow;
      while (static_cast<std::uint32_t>(product) < surplus) product = std::uint64_t{bits()} * m;
    }
    return product >> 32;
  }
  const std::uint64_t surplus = (std::uint64_t{0} - m) % m;  // 2^64 mod m
  std::uint64_t draw = bits64();
  while (draw < surplus) draw = bits64();
  return draw % m;
}

void shuffle(std::span<std::size_t> values, std::uint64_t seed, std::uint32_t stream) {
  Random random(seed, stream);
  shuffle(values, random);
}

}  // namespace leeway
