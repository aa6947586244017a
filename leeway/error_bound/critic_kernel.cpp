#include "leeway/error_bound/critic_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "leeway/core/instruction_set.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than the baseline's: never passed between calls

// Vectors of the compiler: one source for every instruction set, and every body is inlined into a function
// that is compiled for one of them.
#define LEEWAY_INLINE __attribute__((always_inline)) inline
// Sums of a tile stay in registers only where the loops over them are gone.
#define LEEWAY_UNROLL _Pragma("GCC unroll 8")

namespace leeway::error_bound {
namespace {

constexpr std::size_t lanes = 16;
using Vector = float __attribute__((vector_size(64)));
using Integers = std::int32_t __attribute__((vector_size(64)));
struct __attribute__((packed, may_alias)) Loose {  // anywhere in memory
  Vector v;
};

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float unused = -1e30f;

LEEWAY_INLINE const Loose& at(const float* p) { return *reinterpret_cast<const Loose*>(p); }
LEEWAY_INLINE Loose& at(float* p) { return *reinterpret_cast<Loose*>(p); }

// Halves on halves: a tree over the lanes, without a trip through memory.
#define LEEWAY_LANES(...) __builtin_shufflevector(v, v, __VA_ARGS__)
#define LEEWAY_FOLD(STEP)                                                   \
  STEP(LEEWAY_LANES(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)); \
  STEP(LEEWAY_LANES(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)); \
  STEP(LEEWAY_LANES(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)); \
  STEP(LEEWAY_LANES(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))

LEEWAY_INLINE float largest(const Vector& of) {
  Vector v = of;
  const auto step = [&](const Vector& other) __attribute__((always_inline)) { v = v > other ? v : other; };
  LEEWAY_FOLD(step);
  return v[0];
}

LEEWAY_INLINE float sum(const Vector& of) {
  Vector v = of;
  const auto step = [&](const Vector& other) __attribute__((always_inline)) { v += other; };
  LEEWAY_FOLD(step);
  return v[0];
}

// exp to 2e-7 relative for x <= 0; 0 below -87.
LEEWAY_INLINE void exp_in_place(Vector& x) {
  const Vector zero{};
  const Integers far = x < zero - 87.f;
  const Vector scaled = (far ? zero : x) * std::numbers::log2e_v<float>;
  constexpr float rounder = 12582912.f;  // 1.5 2^23: adding it rounds to a whole number
  const Vector shifted = scaled + rounder;
  const Vector f = scaled - (shifted - rounder);
  constexpr float l = std::numbers::ln2_v<float>, l2 = l * l, l3 = l2 * l;
  Vector p = zero + l3 * l3 / 720;  // the series of 2^f, to 1.2e-7 on [-.5, .5]
  p = p * f + l3 * l2 / 120;
  p = p * f + l2 * l2 / 24;
  p = p * f + l3 / 6;
  p = p * f + l2 / 2;
  p = p * f + l;
  p = p * f + 1.f;
  const Integers exponent = ((Integers)shifted - (Integers)(zero + rounder)) << 23;
  x = far ? zero : (Vector)((Integers)p + exponent);
}

template <std::size_t R, std::size_t P>
LEEWAY_INLINE void score_tile(const CriticBlock& block, std::size_t row, const float* theta, float* scores) {
  Vector sums[R][P];
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < R; ++r) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) sums[r][p] = Vector{};
  const float* x = block.x + row * block.width;
  for (std::size_t j = 0; j < block.width; ++j) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) {
    const Vector t = at(theta + (p * block.width + j) * lanes).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < R; ++r) sums[r][p] += t * x[r * block.width + j];
  }
  for (std::size_t r = 0; r < R; ++r)
    for (std::size_t p = 0; p < P; ++p)
      at(scores + (row + r) * block.panels * lanes + p * lanes).v = sums[r][p];
}

template <std::size_t R, std::size_t P>
LEEWAY_INLINE void score_panels(const CriticBlock& block, const float* theta, float* scores) {
  std::size_t row = 0;
  for (; row + R <= block.rows; row += R) score_tile<R, P>(block, row, theta, scores);
  for (; row < block.rows; ++row) score_tile<1, P>(block, row, theta, scores);
}

template <std::size_t R, std::size_t P>
LEEWAY_INLINE void scores_of(const CriticBlock& block, const float* theta, float* scores) {
  std::size_t panel = 0;
  for (; panel + P <= block.panels; panel += P)
    score_panels<R, P>(block, theta + panel * block.width * lanes, scores + panel * lanes);
  for (; panel < block.panels; ++panel)
    score_panels<R, 1>(block, theta + panel * block.width * lanes, scores + panel * lanes);
  const std::size_t last = (block.panels - 1) * lanes;
  const Vector lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Integers used = lane < Vector{} + static_cast<float>(block.k - last);
  for (std::size_t r = 0; r < block.rows; ++r) {
    Loose& end = at(scores + r * block.panels * lanes + last);
    end.v = used ? end.v : Vector{} + unused;
  }
}

template <std::size_t R, std::size_t P>
LEEWAY_INLINE void gradient_tile(const CriticBlock& block, std::size_t column, const float* residuals,
                                 float* gradient) {
  Vector sums[R][P];
  for (std::size_t p = 0; p < P; ++p)
    for (std::size_t r = 0; r < R; ++r) sums[r][p] = at(gradient + (p * block.width + column + r) * lanes).v;
  for (std::size_t i = 0; i < block.rows; ++i) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) {
    const Vector residual = at(residuals + (i * block.panels + p) * lanes).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < R; ++r) sums[r][p] += residual * block.x[i * block.width + column + r];
  }
  for (std::size_t p = 0; p < P; ++p)
    for (std::size_t r = 0; r < R; ++r) at(gradient + (p * block.width + column + r) * lanes).v = sums[r][p];
}

template <std::size_t R, std::size_t P>
LEEWAY_INLINE void gradient_panels(const CriticBlock& block, const float* residuals, float* gradient) {
  std::size_t column = 0;
  for (; column + R <= block.width; column += R) gradient_tile<R, P>(block, column, residuals, gradient);
  if (column < block.width) gradient_tile<4, P>(block, column, residuals, gradient);
}

// R divides 8, and 4 the width. Panels outside: their residuals stay near while all columns pass.
template <std::size_t R, std::size_t P>
LEEWAY_INLINE void add_gradient_of(const CriticBlock& block, const float* residuals, float* gradient) {
  std::size_t panel = 0;
  for (; panel + P <= block.panels; panel += P)
    gradient_panels<R, P>(block, residuals + panel * lanes, gradient + panel * block.width * lanes);
  for (; panel < block.panels; ++panel)
    gradient_panels<R, 1>(block, residuals + panel * lanes, gradient + panel * block.width * lanes);
}

struct Row {
  float* f;  // (16 panels)
  std::size_t k, panels, y;
};

// f becomes exp(f - top); their sum is returned.
LEEWAY_INLINE float exponentials(const Row& row, float top) {
  Vector total{};
  for (std::size_t p = 0; p < row.panels; ++p) {
    Vector v = at(row.f + p * lanes).v - top;
    exp_in_place(v);
    at(row.f + p * lanes).v = v;
    total += v;
  }
  return sum(total);
}

// Residuals too small to matter are 0: subnormal ones take the machine a hundred times longer.
constexpr float least_residual = 1e-30f;

LEEWAY_INLINE float felt(float residual) { return std::abs(residual) < least_residual ? 0 : residual; }

LEEWAY_INLINE void scale(const Row& row, float factor) {
  const Vector zero{}, least = zero + least_residual / std::abs(factor);
  for (std::size_t p = 0; p < row.panels; ++p) {
    const Vector v = at(row.f + p * lanes).v;  // none is negative
    at(row.f + p * lanes).v = v < least ? zero : v * factor;
  }
}

// weight * -log p_y, and its derivatives weight (p - e_y).
LEEWAY_INLINE double cross_entropy(const Row& row, float top, float weight) {
  const float own = row.f[row.y];
  const float total = exponentials(row, top);
  scale(row, weight / total);
  row.f[row.y] -= weight;
  return double(weight) * (double(top) - own + double(std::log(total)));
}

LEEWAY_INLINE double softplus(float m) {
  return double(std::max(m, 0.f) + std::log1p(std::exp(-std::abs(m))));
}
LEEWAY_INLINE float sigmoid(float m) { return 1 / (1 + std::exp(-m)); }

LEEWAY_INLINE double disagreement_logistic(const Row& row, float weight) {
  Vector total{};
  for (std::size_t p = 0; p < row.panels; ++p) {
    const Vector v = at(row.f + p * lanes).v;
    total += v > Vector{} + unused ? v : Vector{};
  }
  const float others = static_cast<float>(row.k - 1), own = row.f[row.y];
  const float m = own - (sum(total) - own) / others;
  const float slope = felt(weight * sigmoid(m) * std::numbers::log2e_v<float>);
  std::fill(row.f, row.f + row.k, felt(-slope / others));
  std::fill(row.f + row.k, row.f + row.panels * lanes, 0.f);
  row.f[row.y] = slope;
  return double(weight) * softplus(m) * std::numbers::log2e;
}

LEEWAY_INLINE double d_bat(const Row& row, float weight) {
  const float own = row.f[row.y];
  row.f[row.y] = unused;
  Vector best = at(row.f).v;
  for (std::size_t p = 1; p < row.panels; ++p) {
    const Vector v = at(row.f + p * lanes).v;
    best = v > best ? v : best;
  }
  const float top = largest(best), total = exponentials(row, top);
  const float m = own - top - std::log(total);
  const float slope = felt(weight * sigmoid(m) * std::numbers::log2e_v<float>);
  scale(row, -slope / total);
  row.f[row.y] = slope;
  return double(weight) * softplus(m) * std::numbers::log2e;
}

// weight * p_y; derivatives weight p_y (e_y - p).
LEEWAY_INLINE double probability(const Row& row, float top, float weight) {
  const float total = exponentials(row, top), p = row.f[row.y] / total;
  scale(row, -weight * p / total);
  row.f[row.y] += felt(weight * p);
  return double(weight * p);
}

LEEWAY_INLINE double residuals_of(const CriticBlock& block, Objective objective, const float* weights,
                                  float* scores, std::uint8_t* agreed) {
  double value = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const Row row{scores + i * block.panels * lanes, block.k, block.panels,
                  static_cast<std::size_t>(block.y[i])};
    Vector best = at(row.f).v;
    for (std::size_t p = 1; p < row.panels; ++p) {
      const Vector v = at(row.f + p * lanes).v;
      best = v > best ? v : best;
    }
    const float top = largest(best);
    agreed[i] = row.f[row.y] == top && std::find(row.f, row.f + row.y, top) == row.f + row.y;
    if (weights == nullptr) continue;
    const bool source = i < block.source_rows;
    if (objective == Objective::smooth)
      value += probability(row, top, source ? -weights[i] : weights[i]);
    else if (source)
      value += cross_entropy(row, top, weights[i]);
    else if (objective == Objective::logistic)
      value += disagreement_logistic(row, weights[i]);
    else if (objective == Objective::d_bat)
      value += d_bat(row, weights[i]);
    else
      value += cross_entropy(row, top, -weights[i]);
  }
  return value;
}

LEEWAY_INLINE void intervals_of(const CriticBlock& block, const float* scores, const float* slopes,
                                float* low, float* high) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float *f = scores + i * block.panels * lanes, *g = slopes + i * block.panels * lanes;
    const std::size_t y = static_cast<std::size_t>(block.y[i]);
    const Vector zero{}, far = zero + infinity;
    Vector lowest = -far, highest = far;
    for (std::size_t p = 0; p < block.panels; ++p) {
      const Vector other = at(f + p * lanes).v, lead = f[y] - other;
      // An unused class is behind at every step. Adding 0 makes a slope of -0 into 0, and a root of a slope of 0
      // is then -inf ahead, inf behind, and NaN, which no comparison takes, at a tie.
      const Vector slope = (other > zero + unused ? g[y] - at(g + p * lanes).v : zero) + zero;
      const Vector root = -lead / slope;
      const Vector from = slope < zero ? -far : root;
      const Vector to = slope < zero ? root : far;
      lowest = from > lowest ? from : lowest;
      highest = to < highest ? to : highest;
    }
    low[i] = largest(lowest);
    high[i] = -largest(-highest);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_CRITIC_KERNEL(NAME, TARGET, R, P)                                                       \
  TARGET void scores_##NAME(const CriticBlock& block, const float* theta, float* scores) {             \
    scores_of<R, P>(block, theta, scores);                                                             \
  }                                                                                                    \
  TARGET double residuals_##NAME(const CriticBlock& block, Objective objective, const float* weights,  \
                                 float* scores, std::uint8_t* agreed) {                                \
    return residuals_of(block, objective, weights, scores, agreed);                                    \
  }                                                                                                    \
  TARGET void add_gradient_##NAME(const CriticBlock& block, const float* residuals, float* gradient) { \
    add_gradient_of<R, P>(block, residuals, gradient);                                                 \
  }                                                                                                    \
  TARGET void intervals_##NAME(const CriticBlock& block, const float* scores, const float* slopes,     \
                               float* low, float* high) {                                              \
    intervals_of(block, scores, slopes, low, high);                                                    \
  }                                                                                                    \
  constexpr CriticKernel kernel_##NAME{scores_##NAME, residuals_##NAME, add_gradient_##NAME,           \
                                       intervals_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_CRITIC_KERNEL(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), 8, 2)
LEEWAY_CRITIC_KERNEL(avx2, __attribute__((target("avx2,fma"))), 4, 1)
#endif
LEEWAY_CRITIC_KERNEL(baseline, , 2, 1)

}  // namespace

const CriticKernel& critic_kernel() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return kernel_avx512;
  if (instruction_set == InstructionSet::avx2) return kernel_avx2;
#endif
  return kernel_baseline;
}

}  // namespace leeway::error_bound
