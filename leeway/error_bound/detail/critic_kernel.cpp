#include "leeway/error_bound/detail/critic_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "leeway/core/instruction_set.h"
#include "leeway/core/vector_lanes.h"

// Sums of a tile stay in registers only where the loops over them are gone.
#define LEEWAY_UNROLL _Pragma("GCC unroll 8")

namespace leeway::error_bound {
namespace {

constexpr std::size_t lanes = 16;  // of a panel

template <class V>
constexpr std::size_t parts = lanes / width_of<V>;  // vectors of a panel
template <class V>
using Integers = decltype(V{} < V{});

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float unused = -1e30f;

template <class V>
LEEWAY_INLINE const Loose<V>& at(const float* p) {
  return *reinterpret_cast<const Loose<V>*>(p);
}
template <class V>
LEEWAY_INLINE Loose<V>& at(float* p) {
  return *reinterpret_cast<Loose<V>*>(p);
}

// Halves on halves: a tree over the lanes, without a trip through memory.
template <class V, class Step>
LEEWAY_INLINE float folded(const V& of, Step step) {
  V v = of;
#define LEEWAY_LANES(...) step(v, __builtin_shufflevector(v, v, __VA_ARGS__))
  if constexpr (width_of<V> == 16) {
    LEEWAY_LANES(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    LEEWAY_LANES(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    LEEWAY_LANES(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    LEEWAY_LANES(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  } else if constexpr (width_of<V> == 8) {
    LEEWAY_LANES(4, 5, 6, 7, 0, 1, 2, 3);
    LEEWAY_LANES(2, 3, 0, 1, 6, 7, 4, 5);
    LEEWAY_LANES(1, 0, 3, 2, 5, 4, 7, 6);
  } else {
    LEEWAY_LANES(2, 3, 0, 1);
    LEEWAY_LANES(1, 0, 3, 2);
  }
#undef LEEWAY_LANES
  return v[0];
}

template <class V>
LEEWAY_INLINE float largest(const V& of) {
  return folded(
      of, [](V & v, const V& other) __attribute__((always_inline)) { v = v > other ? v : other; });
}

template <class V>
LEEWAY_INLINE float sum(const V& of) {
  return folded(
      of, [](V & v, const V& other) __attribute__((always_inline)) { v += other; });
}

// exp to 2e-7 relative for x <= 0; 0 below -87.
template <class V>
LEEWAY_INLINE void exp_in_place(V& x) {
  const V zero{};
  const Integers<V> far = x < zero - 87.f;
  const V scaled = (far ? zero : x) * std::numbers::log2e_v<float>;
  constexpr float rounder = 12582912.f;  // 1.5 2^23: adding it rounds to a whole number
  const V shifted = scaled + rounder;
  const V f = scaled - (shifted - rounder);
  constexpr float l = std::numbers::ln2_v<float>, l2 = l * l, l3 = l2 * l;
  V p = zero + l3 * l3 / 720;  // the series of 2^f, to 1.2e-7 on [-.5, .5]
  p = p * f + l3 * l2 / 120;
  p = p * f + l2 * l2 / 24;
  p = p * f + l3 / 6;
  p = p * f + l2 / 2;
  p = p * f + l;
  p = p * f + 1.f;
  const Integers<V> exponent = ((Integers<V>)shifted - (Integers<V>)(zero + rounder)) << 23;
  x = far ? zero : (V)((Integers<V>)p + exponent);
}

// Where vector number v of some panels begins in theta or its gradient, at a column.
template <class V>
LEEWAY_INLINE std::size_t place(const CriticBlock& block, std::size_t v, std::size_t column) {
  return (v / parts<V> * block.width + column) * lanes + v % parts<V> * width_of<V>;
}

// R rows, P vectors.
template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void score_tile(const CriticBlock& block, std::size_t row, const float* theta, float* scores) {
  V sums[R][P];
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < R; ++r) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) sums[r][p] = V{};
  const float* x = block.x + row * block.width;
  for (std::size_t j = 0; j < block.width; ++j) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) {
    const V t = at<V>(theta + place<V>(block, p, j)).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < R; ++r) sums[r][p] += t * x[r * block.width + j];
  }
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < R; ++r) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p)
    at<V>(scores + (row + r) * block.panels * lanes + p * width_of<V>).v = sums[r][p];
}

template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void score_panels(const CriticBlock& block, const float* theta, float* scores) {
  std::size_t row = 0;
  for (; row + R <= block.rows; row += R) score_tile<V, R, P>(block, row, theta, scores);
  for (; row < block.rows; ++row) score_tile<V, 1, P>(block, row, theta, scores);
}

// R rows, P panels.
template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void scores_of(const CriticBlock& block, const float* theta, float* scores) {
  std::size_t panel = 0;
  for (; panel + P <= block.panels; panel += P)
    score_panels<V, R, P * parts<V>>(block, theta + panel * block.width * lanes, scores + panel * lanes);
  for (; panel < block.panels; ++panel)
    score_panels<V, R, parts<V>>(block, theta + panel * block.width * lanes, scores + panel * lanes);
  for (std::size_t r = 0; r < block.rows; ++r) {
    float* row = scores + r * block.panels * lanes;
    std::fill(row + block.k, row + block.panels * lanes, unused);
  }
}

template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void gradient_tile(const CriticBlock& block, std::size_t column, const float* residuals,
                                 float* gradient) {
  V sums[R][P];
  LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) LEEWAY_UNROLL
  for (std::size_t r = 0; r < R; ++r) sums[r][p] = at<V>(gradient + place<V>(block, p, column + r)).v;
  for (std::size_t i = 0; i < block.rows; ++i) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) {
    const V residual = at<V>(residuals + i * block.panels * lanes + p * width_of<V>).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < R; ++r) sums[r][p] += residual * block.x[i * block.width + column + r];
  }
  LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) LEEWAY_UNROLL
  for (std::size_t r = 0; r < R; ++r) at<V>(gradient + place<V>(block, p, column + r)).v = sums[r][p];
}

template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void gradient_panels(const CriticBlock& block, const float* residuals, float* gradient) {
  std::size_t column = 0;
  for (; column + R <= block.width; column += R) gradient_tile<V, R, P>(block, column, residuals, gradient);
  if constexpr (R > 4)
    if (column < block.width) gradient_tile<V, 4, P>(block, column, residuals, gradient);
}

// R divides 8, and 4 the width. Panels outside: their residuals stay near while all columns pass.
template <class V, std::size_t R, std::size_t P>
LEEWAY_INLINE void add_gradient_of(const CriticBlock& block, const float* residuals, float* gradient) {
  std::size_t panel = 0;
  for (; panel + P <= block.panels; panel += P)
    gradient_panels<V, R, P * parts<V>>(block, residuals + panel * lanes,
                                        gradient + panel * block.width * lanes);
  for (; panel < block.panels; ++panel)
    gradient_panels<V, R, parts<V>>(block, residuals + panel * lanes, gradient + panel * block.width * lanes);
}

struct Row {
  float* f;  // (width)
  std::size_t k, width, y;
};

// f becomes exp(f - top); their sum is returned.
template <class V>
LEEWAY_INLINE float exponentials(const Row& row, float top) {
  V total{};
  for (std::size_t c = 0; c < row.width; c += width_of<V>) {
    V v = at<V>(row.f + c).v - top;
    exp_in_place(v);
    at<V>(row.f + c).v = v;
    total += v;
  }
  return sum(total);
}

// Residuals too small to matter are 0: subnormal ones take the machine a hundred times longer.
constexpr float least_residual = 1e-30f;

LEEWAY_INLINE float felt(float residual) { return std::abs(residual) < least_residual ? 0 : residual; }

template <class V>
LEEWAY_INLINE void scale(const Row& row, float factor) {
  const V zero{}, least = zero + least_residual / std::abs(factor);
  for (std::size_t c = 0; c < row.width; c += width_of<V>) {
    const V v = at<V>(row.f + c).v;  // none is negative
    at<V>(row.f + c).v = v < least ? zero : v * factor;
  }
}

template <class V>
LEEWAY_INLINE float top_of(const Row& row) {
  V best = at<V>(row.f).v;
  for (std::size_t c = width_of<V>; c < row.width; c += width_of<V>) {
    const V v = at<V>(row.f + c).v;
    best = v > best ? v : best;
  }
  return largest(best);
}

// weight * -log p_y, and its derivatives weight (p - e_y).
template <class V>
LEEWAY_INLINE double cross_entropy(const Row& row, float top, float weight) {
  const float own = row.f[row.y];
  const float total = exponentials<V>(row, top);
  scale<V>(row, weight / total);
  row.f[row.y] -= weight;
  return double(weight) * (double(top) - own + double(std::log(total)));
}

LEEWAY_INLINE double softplus(float m) {
  return double(std::max(m, 0.f) + std::log1p(std::exp(-std::abs(m))));
}
LEEWAY_INLINE float sigmoid(float m) { return 1 / (1 + std::exp(-m)); }

template <class V>
LEEWAY_INLINE double disagreement_logistic(const Row& row, float weight) {
  V total{};
  for (std::size_t c = 0; c < row.width; c += width_of<V>) {
    const V v = at<V>(row.f + c).v;
    total += v > V{} + unused ? v : V{};
  }
  const float others = static_cast<float>(row.k - 1), own = row.f[row.y];
  const float m = own - (sum(total) - own) / others;
  const float slope = felt(weight * sigmoid(m) * std::numbers::log2e_v<float>);
  std::fill(row.f, row.f + row.k, felt(-slope / others));
  std::fill(row.f + row.k, row.f + row.width, 0.f);
  row.f[row.y] = slope;
  return double(weight) * softplus(m) * std::numbers::log2e;
}

template <class V>
LEEWAY_INLINE double d_bat(const Row& row, float weight) {
  const float own = row.f[row.y];
  row.f[row.y] = unused;
  const float top = top_of<V>(row), total = exponentials<V>(row, top);
  const float m = own - top - std::log(total);
  const float slope = felt(weight * sigmoid(m) * std::numbers::log2e_v<float>);
  scale<V>(row, -slope / total);
  row.f[row.y] = slope;
  return double(weight) * softplus(m) * std::numbers::log2e;
}

// weight * p_y; derivatives weight p_y (e_y - p).
template <class V>
LEEWAY_INLINE double probability(const Row& row, float top, float weight) {
  const float total = exponentials<V>(row, top), p = row.f[row.y] / total;
  scale<V>(row, -weight * p / total);
  row.f[row.y] += felt(weight * p);
  return double(weight * p);
}

template <class V>
LEEWAY_INLINE double residuals_of(const CriticBlock& block, Objective objective, const float* weights,
                                  float* scores, std::uint8_t* agreed) {
  double value = 0;
  for (std::size_t i = 0; i < block.rows; ++i) {
    const Row row{scores + i * block.panels * lanes, block.k, block.panels * lanes,
                  static_cast<std::size_t>(block.y[i])};
    const float top = top_of<V>(row);
    agreed[i] = row.f[row.y] == top && std::find(row.f, row.f + row.y, top) == row.f + row.y;
    if (weights == nullptr) continue;
    const bool source = i < block.source_rows;
    if (objective == Objective::smooth)
      value += probability<V>(row, top, source ? -weights[i] : weights[i]);
    else if (source)
      value += cross_entropy<V>(row, top, weights[i]);
    else if (objective == Objective::logistic)
      value += disagreement_logistic<V>(row, weights[i]);
    else if (objective == Objective::d_bat)
      value += d_bat<V>(row, weights[i]);
    else
      value += cross_entropy<V>(row, top, -weights[i]);
  }
  return value;
}

template <class V>
LEEWAY_INLINE void intervals_of(const CriticBlock& block, const float* scores, const float* slopes,
                                float* low, float* high) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float *f = scores + i * block.panels * lanes, *g = slopes + i * block.panels * lanes;
    const std::size_t y = static_cast<std::size_t>(block.y[i]);
    const V zero{}, far = zero + infinity;
    V lowest = -far, highest = far;
    for (std::size_t c = 0; c < block.panels * lanes; c += width_of<V>) {
      const V other = at<V>(f + c).v, lead = f[y] - other;
      // An unused class is behind at every step. Adding 0 turns a slope of -0 into 0; the root of a slope of
      // 0 is then -inf if ahead, inf if behind, and NaN, which fails every comparison, at a tie.
      const V slope = (other > zero + unused ? g[y] - at<V>(g + c).v : zero) + zero;
      const V root = -lead / slope;
      const V from = slope < zero ? -far : root;
      const V to = slope < zero ? root : far;
      lowest = from > lowest ? from : lowest;
      highest = to < highest ? to : highest;
    }
    low[i] = largest(lowest);
    high[i] = -largest(-highest);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_CRITIC_KERNEL(NAME, TARGET, V, R, P)                                                    \
  TARGET void scores_##NAME(const CriticBlock& block, const float* theta, float* scores) {             \
    scores_of<V, R, P>(block, theta, scores);                                                          \
  }                                                                                                    \
  TARGET double residuals_##NAME(const CriticBlock& block, Objective objective, const float* weights,  \
                                 float* scores, std::uint8_t* agreed) {                                \
    return residuals_of<V>(block, objective, weights, scores, agreed);                                 \
  }                                                                                                    \
  TARGET void add_gradient_##NAME(const CriticBlock& block, const float* residuals, float* gradient) { \
    add_gradient_of<V, R, P>(block, residuals, gradient);                                              \
  }                                                                                                    \
  TARGET void intervals_##NAME(const CriticBlock& block, const float* scores, const float* slopes,     \
                               float* low, float* high) {                                              \
    intervals_of<V>(block, scores, slopes, low, high);                                                 \
  }                                                                                                    \
  constexpr CriticKernel kernel_##NAME{scores_##NAME, residuals_##NAME, add_gradient_##NAME,           \
                                       intervals_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_CRITIC_KERNEL(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), Avx512,
                     8, 2)
LEEWAY_CRITIC_KERNEL(avx2, __attribute__((target("avx2,fma"))), Avx2, 4, 1)
#endif
LEEWAY_CRITIC_KERNEL(baseline, , Sse, 2, 1)

}  // namespace

const CriticKernel& critic_kernel() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return kernel_avx512;
  if (instruction_set == InstructionSet::avx2) return kernel_avx2;
#endif
  return kernel_baseline;
}

}  // namespace leeway::error_bound
