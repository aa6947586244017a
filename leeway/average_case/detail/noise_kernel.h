// Vectorized random numbers for noise.h. Block b of (seed, stream, sample, draw) is philox4x32_10 of the
// counter (b, stream, sample, draw) under the key seed; sample and draw take 32 bits each (core/random.h: b,
// stream, sample low, sample high). A word w is u = (w + 1/2) 2^-32. Normal: Box-Muller on word pairs, in
// float32.
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
