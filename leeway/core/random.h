// Counter-based random numbers (Philox4x32-10: Salmon et al., SC 2011; Random123).
//
// A draw is a pure function of (seed, stream, sample, draw number), so it does not depend on threads, batches
// or other samples. `stream` separates purposes (noise, shuffling, bootstrap). Use one Random per sample; do
// not share it between threads.
//
// Block b is philox4x32_10 of the counter (b, stream, sample low, sample high) under the key (seed low, seed
// high); bits() gives its four words in order, and every other draw uses bits(): a 64-bit number is (first <<
// 32) | second. One (seed, stream, sample) holds 2^34 words. uniform(): an odd multiple of 2^-53, in the open
// interval (0,1). normal(): Box-Muller on two uniforms, both halves used. below(m): unbiased, by rejection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway {

[[nodiscard]] std::array<std::uint32_t, 4> philox4x32_10(const std::array<std::uint32_t, 4>& counter,
                                                         const std::array<std::uint32_t, 2>& key);

class Random {
 public:
  Random(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample = 0);

  [[nodiscard]] std::uint32_t bits() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  [[nodiscard]] double uniform();
  [[nodiscard]] double normal();
  [[nodiscard]] std::uint64_t below(std::uint64_t m);  // 0..m-1; Error for m = 0

 private:
  void refill();
  [[nodiscard]] std::uint64_t bits64();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_, block_{};
  std::size_t used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

// A stream number from a word: "noise", "shuffle", ...
[[nodiscard]] constexpr std::uint32_t stream(std::string_view purpose) {
  std::uint32_t h = 2166136261u;  // FNV-1a
  for (const char c : purpose) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h;
}

// Fisher-Yates, by the draws that come next: the last place first.
template <class Values>
void shuffle(Values&& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

// 0..n-1 in such an order.
template <class Number = std::size_t>
[[nodiscard]] std::vector<Number> permutation(std::size_t n, Random& random) {
  std::vector<Number> order(n);
  std::iota(order.begin(), order.end(), Number{0});
  shuffle(order, random);
  return order;
}

// `values` in an order that depends on their number, the seed and the stream alone.
void shuffle(std::span<std::size_t> values, std::uint64_t seed, std::uint32_t stream);

}  // namespace leeway
