// Random numbers of published programs, for the draws that define their data sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace leeway::data {

// 0..n-1 in the order that numpy.random.RandomState(seed).permutation(n) has: the Mersenne twister,
// Fisher-Yates from the last place, numbers below a bound by masks and rejection. One state may draw several.
[[nodiscard]] std::vector<std::size_t> numpy_permutation(std::mt19937& state, std::size_t n);

// The MD5 digest of a text of at most 55 bytes, modulo 2^31 (RFC 1321).
[[nodiscard]] std::uint32_t md5_modulo(std::string_view text);

}  // namespace leeway::data
