// Compiled with -O3, without errno and traps: the loops are vectors.
#include "leeway/nn/train/l2d_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "leeway/core/error.h"
#include "leeway/core/instruction_set.h"
#include "leeway/core/parallel.h"
#include "leeway/core/vector_lanes.h"

namespace leeway::nn {
namespace {

constexpr std::size_t block = 256,
                      chunk = 4096;  // numbers that stay in the first cache; a thread's unit of work

// e^x = 2^k e^r, |r| <= ln 2 / 2: `scale` 2^k and `less_one` e^r - 1. For |x| <= 88.
struct Exponential {
  float scale, less_one;
};

LEEWAY_INLINE Exponential exponential(float x) {
  constexpr float round = 12582912;  // 1.5 * 2^23: sums with it are whole
  const float shifted = x * 1.44269504F + round, k = shifted - round;
  const float r = x - k * 0.693359375F + k * 2.12194440e-4F;  // ln 2 in two parts
  const float series =
      1.F / 2 + r * (1.F / 6 + r * (1.F / 24 + r * (1.F / 120 + r * (1.F / 720 + r * (1.F / 5040)))));
  const std::uint32_t bits = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return {std::bit_cast<float>(bits), r + r * r * series};
}

LEEWAY_INLINE float hyperbolic_tangent(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits & 0x80000000U;
  const float twice = 2 * std::bit_cast<float>(bits ^ sign);
  const Exponential e = exponential(twice > 20 ? 20 : twice);  // tanh 10 is 1; NaN stays
  const float above = e.scale * e.less_one + (e.scale - 1);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(above / (above + 2)) | sign);
}

LEEWAY_INLINE float logistic(float x) {
  const float low = x < -88 ? -88 : x;
  const Exponential e = exponential(-(low > 88 ? 88 : low));
  return 1 / (1 + (e.scale * e.less_one + e.scale));
}

struct Branches {
  std::array<float*, most_branches> of;
  std::array<float, most_branches> weights;
  std::size_t count;
};

LEEWAY_INLINE void mix(const Branches& branches, std::size_t begin, std::size_t end,
                       float* __restrict mixed) {
  for (std::size_t first = begin; first < end; first += block) {
    const std::size_t count = std::min(block, end - first);
    float* const out = mixed + first;
    std::fill_n(out, count, 0.F);
    for (std::size_t j = 0; j < branches.count; ++j) {
      float* __restrict const x = branches.of[j] + first;
      const float weight = branches.weights[j];
      for (std::size_t i = 0; i < count; ++i) {
        x[i] = hyperbolic_tangent(x[i]);
        out[i] += weight * x[i];
      }
    }
    for (std::size_t i = 0; i < count; ++i) out[i] = logistic(out[i]);
  }
}

LEEWAY_INLINE void slopes(const float* __restrict t, float weight, const float* __restrict s,
                          const float* __restrict g, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = g[i] * (s[i] * (1 - s[i])) * weight * (1 - t[i] * t[i]);
  }
}

constexpr std::size_t lanes = 16;  // of a sum, whatever the vectors: added in one order

// The sum of term(i), i < count.
template <class Term>
LEEWAY_INLINE float sum_of(std::size_t count, const Term& term) {
  std::array<float, lanes> sums{};
  std::size_t first = 0;
  for (; first + lanes <= count; first += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += term(first + l);
  for (std::size_t l = 0; first + l < count; ++l) sums[l] += term(first + l);
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

struct Map {
  float mean, inverse;
};

LEEWAY_INLINE Map scale_map(std::size_t pixels, const float* __restrict x, const float* __restrict scale,
                            const float* __restrict shift, float* __restrict out) {
  const auto count = static_cast<float>(pixels);
  const float mean = sum_of(pixels, [x](std::size_t i) { return x[i]; }) / count;
  const float squares = sum_of(pixels, [x, mean](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
  const float inverse = 1 / std::sqrt(squares / count + 1e-5F);
  for (std::size_t i = 0; i < pixels; ++i) out[i] = shift[i] + scale[i] * ((x[i] - mean) * inverse);
  return {mean, inverse};
}

// The part of the gradient that would move the mean or the deviation is taken away.
LEEWAY_INLINE void map_slope(std::size_t pixels, const float* __restrict x, const float* __restrict scale,
                             const Map& map, const float* __restrict g, float* __restrict by_x) {
  const auto [mean, inverse] = map;
  const auto count = static_cast<float>(pixels);
  const float moved = sum_of(pixels, [=](std::size_t i) { return g[i] * scale[i]; }) / count;
  const float spread =
      sum_of(pixels,
             [=, m = mean, v = inverse](std::size_t i) { return g[i] * scale[i] * ((x[i] - m) * v); }) /
      count;
  for (std::size_t i = 0; i < pixels; ++i)
    by_x[i] = inverse * (g[i] * scale[i] - moved - (x[i] - mean) * inverse * spread);
}

// Of `count` pixels of one map, of all n images, which lie `apart`; those of mean and inverse `maps`.
LEEWAY_INLINE void pixel_slopes(std::size_t n, std::size_t apart, std::size_t maps, std::size_t count,
                                const float* x, const float* mean, const float* inverse, const float* g,
                                float* __restrict by_scale, float* __restrict by_shift) {
  std::fill_n(by_scale, count, 0.F), std::fill_n(by_shift, count, 0.F);
  for (std::size_t image = 0; image < n; ++image) {
    const float* __restrict const seen = x + image * apart;
    const float* __restrict const slope = g + image * apart;
    const float m = mean[image * maps], v = inverse[image * maps];
    for (std::size_t i = 0; i < count; ++i) {
      by_scale[i] += slope[i] * ((seen[i] - m) * v);
      by_shift[i] += slope[i];
    }
  }
}

struct Passes {
  void (*mix)(const Branches&, std::size_t, std::size_t, float*);
  void (*slopes)(const float*, float, const float*, const float*, std::size_t, float*);
  Map (*scale_map)(std::size_t, const float*, const float*, const float*, float*);
  void (*map_slope)(std::size_t, const float*, const float*, const Map&, const float*, float*);
  void (*pixel_slopes)(std::size_t, std::size_t, std::size_t, std::size_t, const float*, const float*,
                       const float*, const float*, float*, float*);
};

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_L2D_PASSES(NAME, TARGET)                                                                      \
  TARGET void mix_##NAME(const Branches& branches, std::size_t begin, std::size_t end, float* mixed) {       \
    mix(branches, begin, end, mixed);                                                                        \
  }                                                                                                          \
  TARGET void slopes_##NAME(const float* t, float weight, const float* s, const float* g, std::size_t count, \
                            float* out) {                                                                    \
    slopes(t, weight, s, g, count, out);                                                                     \
  }                                                                                                          \
  TARGET Map scale_map_##NAME(std::size_t pixels, const float* x, const float* scale, const float* shift,    \
                              float* out) {                                                                  \
    return scale_map(pixels, x, scale, shift, out);                                                          \
  }                                                                                                          \
  TARGET void map_slope_##NAME(std::size_t pixels, const float* x, const float* scale, const Map& map,       \
                               const float* g, float* by_x) {                                                \
    map_slope(pixels, x, scale, map, g, by_x);                                                               \
  }                                                                                                          \
  TARGET void pixel_slopes_##NAME(std::size_t n, std::size_t apart, std::size_t maps, std::size_t count,     \
                                  const float* x, const float* mean, const float* inverse, const float* g,   \
                                  float* by_scale, float* by_shift) {                                        \
    pixel_slopes(n, apart, maps, count, x, mean, inverse, g, by_scale, by_shift);                            \
  }                                                                                                          \
  constexpr Passes passes_##NAME{mix_##NAME, slopes_##NAME, scale_map_##NAME, map_slope_##NAME,              \
                                 pixel_slopes_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_L2D_PASSES(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))))
LEEWAY_L2D_PASSES(avx2, __attribute__((target("avx2,fma"))))
#endif
LEEWAY_L2D_PASSES(baseline, )

const Passes& passes() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return passes_avx512;
  if (instruction_set == InstructionSet::avx2) return passes_avx2;
#endif
  return passes_baseline;
}

// body(begin, end) of chunks of `count` numbers.
template <class Body>
void by_chunks(std::size_t count, std::size_t length, const Body& body) {
  parallel_for((count + length - 1) / length,
               [&](std::size_t i) { body(i * length, std::min(count, (i + 1) * length)); });
}

}  // namespace

void mix_branches(std::span<float* const> branches, std::span<const float> weights, std::size_t count,
                  float* mixed) {
  if (branches.size() > most_branches || weights.size() != branches.size())
    throw Error(fmt::format("{} branches with {} weights, at most {} of each", branches.size(),
                            weights.size(), most_branches));
  Branches all{{}, {}, branches.size()};
  std::ranges::copy(branches, all.of.begin());
  std::ranges::copy(weights, all.weights.begin());
  by_chunks(count, chunk, [&](std::size_t begin, std::size_t end) { passes().mix(all, begin, end, mixed); });
}

void mix_slope(const float* tangents, float weight, const float* mixed, const float* gradient,
               std::size_t count, float* slope) {
  by_chunks(count, chunk, [&](std::size_t begin, std::size_t end) {
    passes().slopes(tangents + begin, weight, mixed + begin, gradient + begin, end - begin, slope + begin);
  });
}

void scale_maps(const MapShape& shape, const float* x, const float* scale, const float* shift, float* mean,
                float* inverse, float* out) {
  const std::size_t pixels = shape.pixels;
  parallel_for(shape.n * shape.maps, [&](std::size_t i) {
    const std::size_t weights = i % shape.maps * pixels;
    const Map map =
        passes().scale_map(pixels, x + i * pixels, scale + weights, shift + weights, out + i * pixels);
    mean[i] = map.mean, inverse[i] = map.inverse;
  });
}

void scale_maps_slopes(const MapShape& shape, const float* x, const float* scale, const float* mean,
                       const float* inverse, const float* gradient, float* by_x, float* by_scale,
                       float* by_shift) {
  const std::size_t pixels = shape.pixels;
  parallel_for(shape.n * shape.maps, [&](std::size_t i) {
    passes().map_slope(pixels, x + i * pixels, scale + i % shape.maps * pixels, {mean[i], inverse[i]},
                       gradient + i * pixels, by_x + i * pixels);
  });
  for (std::size_t map = 0; map < shape.maps; ++map)
    by_chunks(pixels, block, [&](std::size_t begin, std::size_t end) {
      const std::size_t at = map * pixels + begin;
      passes().pixel_slopes(shape.n, shape.maps * pixels, shape.maps, end - begin, x + at, mean + map,
                            inverse + map, gradient + at, by_scale + at, by_shift + at);
    });
}

}  // namespace leeway::nn
