// Random numbers by the thousand, vectorised: the hot loop of noise.h.
//
// Block b of (seed, stream, sample, draw) is philox4x32_10 of the counter (b, stream, sample, draw) under the key
// seed (core/random.h has the same blocks as (b, stream, sample low, sample high)): the sample's number takes 32 bits
// and the draw's 32. A word w is u = (w + 1/2) 2^-32. Normal: Box-Muller on words in pairs. All in float32.
#pragma once

#include <cstdint>
#include <span>

namespace leeway::average_case {

struct DrawKey {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0, sample = 0, draw = 0;
};

void fill_normal(const DrawKey& key, std::span<float> out);
void fill_uniform(const DrawKey& key, std::span<float> out);  // in (-sqrt 3, sqrt 3)
void fill_laplace(const DrawKey& key, std::span<float> out);  // of variance 1

}  // namespace leeway::average_case
