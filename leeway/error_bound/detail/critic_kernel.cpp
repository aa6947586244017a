#include "leeway/error_bound/detail/critic_kernel.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "leeway/core/instruction_set.h"
#include "leeway/error_bound/detail/critic_lanes.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t panel = CriticRows::panel;

constexpr float lowest_score = -1e30f;  // below every score

template <class V>
constexpr std::size_t parts = panel / width_of<V>;  // vectors of a panel
// Where vector number v of the rows begins in x.
template <class V>
LEEWAY_INLINE const float* x_of(const CriticBlock& block, std::size_t v) {
  return block.x + v / parts<V> * block.width * panel + v % parts<V> * width_of<V>;
}
template <class V>
LEEWAY_INLINE std::size_t vectors_of(const CriticBlock& block) {
  return (block.rows + panel - 1) / panel * parts<V>;
}

constexpr std::size_t tile_classes = 5, tile_columns = 4;  // 4 divides the width

// Of C classes from c, P vectors from v. Classes beyond k repeat the last one.
template <class V, std::size_t P, std::size_t C>
LEEWAY_INLINE void score_tile(const CriticBlock& block, const float* theta, std::size_t c, std::size_t v,
                              float* scores) {
  V sums[C][P];
  const float *x[P], *t[C];
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < C; ++r) {
    t[r] = theta + std::min(c + r, block.k - 1) * block.width;
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[r][p] = V{};
  }
  LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) x[p] = x_of<V>(block, v + p);
  for (std::size_t j = 0; j < block.width; ++j) {
    V column[P];
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) column[p] = at<V>(x[p] + j * panel).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < C; ++r) LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[r][p] += column[p] * t[r][j];
  }
  for (std::size_t r = 0; r < std::min(C, block.k - c); ++r) LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p)
    at<V>(scores + (c + r) * score_stride + (v + p) * width_of<V>).v = sums[r][p];
}

// Rows outside: their x stays near while all classes pass.
template <class V, std::size_t P, std::size_t C>
LEEWAY_INLINE void scores_of(const CriticBlock& block, const float* theta, float* scores) {
  const std::size_t count = vectors_of<V>(block);
  std::size_t v = 0;
  for (; v + P <= count; v += P)
    for (std::size_t c = 0; c < block.k; c += C) score_tile<V, P, C>(block, theta, c, v, scores);
  for (; v < count; ++v)
    for (std::size_t c = 0; c < block.k; c += C) score_tile<V, 1, C>(block, theta, c, v, scores);
}

// Of P vectors from v.
template <class V, std::size_t P>
LEEWAY_INLINE void sparse_score_tile(const CriticBlock& block, const SparseCritic& critic, std::size_t v,
                                     float* scores) {
  const float* x[P];
  LEEWAY_UNROLL
  for (std::size_t p = 0; p < P; ++p) x[p] = x_of<V>(block, v + p);
  for (std::size_t c = 0; c < block.k; ++c) {
    V sums[P];
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[p] = V{};
    for (std::size_t i = critic.first[c]; i < critic.first[c + 1]; ++i) {
      const std::size_t j = critic.columns[i] * panel;
      LEEWAY_UNROLL
      for (std::size_t p = 0; p < P; ++p) sums[p] += at<V>(x[p] + j).v * critic.values[i];
    }
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) at<V>(scores + c * score_stride + (v + p) * width_of<V>).v = sums[p];
  }
}

template <class V, std::size_t P>
LEEWAY_INLINE void sparse_scores_of(const CriticBlock& block, const SparseCritic& critic, float* scores) {
  const std::size_t count = vectors_of<V>(block);
  std::size_t v = 0;
  for (; v + P <= count; v += P) sparse_score_tile<V, P>(block, critic, v, scores);
  for (; v < count; ++v) sparse_score_tile<V, 1>(block, critic, v, scores);
}

// As many sums as a vector has lanes: 4 columns, the rest classes.
template <class V>
LEEWAY_INLINE void gradient_tile(const CriticBlock& block, const float* residuals, std::size_t c,
                                 std::size_t j, float* gradient) {
  constexpr std::size_t classes = width_of<V> / tile_columns;
  V sums[width_of<V>];
  const float* of[classes];
  LEEWAY_UNROLL
  for (V& sum : sums) sum = V{};
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < classes; ++r) of[r] = residuals + std::min(c + r, block.k - 1) * score_stride;
  for (std::size_t v = 0; v < vectors_of<V>(block); ++v) {
    const float* x = x_of<V>(block, v) + j * panel;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < classes; ++r) {
      const V residual = at<V>(of[r] + v * width_of<V>).v;
      LEEWAY_UNROLL
      for (std::size_t i = 0; i < tile_columns; ++i)
        sums[r * tile_columns + i] += residual * at<V>(x + i * panel).v;
    }
  }
  const V found = lane_sums<V>(sums);
  for (std::size_t r = 0; r < std::min(classes, block.k - c); ++r)
    for (std::size_t i = 0; i < tile_columns; ++i)
      gradient[(c + r) * block.width + j + i] += found[r * tile_columns + i];
}

// C classes from c, P vectors of columns. `x` holds these columns, row after row; columns beyond `count` are 0.
template <class V, std::size_t P, std::size_t C>
LEEWAY_INLINE void gradient_tile_of_many(const CriticBlock& block, const float* x, const float* residuals,
                                         std::size_t c, std::size_t count, float* gradient) {
  constexpr std::size_t columns = P * width_of<V>;
  V sums[C][P];
  const float* of[C];
  LEEWAY_UNROLL
  for (std::size_t r = 0; r < C; ++r) {
    of[r] = residuals + std::min(c + r, block.k - 1) * score_stride;
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[r][p] = V{};
  }
  for (std::size_t row = 0; row < block.rows; ++row) {
    V column[P];
    LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) column[p] = at<V>(x + row * columns + p * width_of<V>).v;
    LEEWAY_UNROLL
    for (std::size_t r = 0; r < C; ++r) LEEWAY_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[r][p] += column[p] * of[r][row];
  }
  float found[columns];
  for (std::size_t r = 0; r < std::min(C, block.k - c); ++r) {
    __builtin_memcpy(found, sums[r], sizeof found);
    for (std::size_t i = 0; i < count; ++i) gradient[(c + r) * block.width + i] += found[i];
  }
}

// Copies columns so that a vector holds neighboring columns of one row. With many classes, this saves more than it costs.
template <class V, std::size_t P, std::size_t C>
LEEWAY_INLINE void add_gradient_of_many(const CriticBlock& block, const float* residuals, float* gradient) {
  constexpr std::size_t columns = P * width_of<V>;
  float x[critic_block_rows * columns];
  for (std::size_t begin = 0; begin < block.width; begin += columns) {
    const std::size_t count = std::min(columns, block.width - begin);
    for (std::size_t row = 0; row < block.rows; ++row)
      for (std::size_t j = 0; j < columns; ++j)
        x[row * columns + j] =
            j < count ? block.x[(row / panel * block.width + begin + j) * panel + row % panel] : 0;
    for (std::size_t c = 0; c < block.k; c += C)
      gradient_tile_of_many<V, P, C>(block, x, residuals, c, count, gradient + begin);
  }
}

constexpr std::size_t many_classes = 48;

template <class V, std::size_t P>
LEEWAY_INLINE void add_gradient_of(const CriticBlock& block, const float* residuals, float* gradient) {
  if (block.k >= many_classes) return add_gradient_of_many<V, P, tile_classes>(block, residuals, gradient);
  for (std::size_t j = 0; j < block.width; j += tile_columns)
    for (std::size_t c = 0; c < block.k; c += width_of<V> / tile_columns)
      gradient_tile<V>(block, residuals, c, j, gradient);
}

// Classes of the rows of a vector; rows beyond the block's have class 0.
template <class V>
LEEWAY_INLINE Integers<V> classes_of(const CriticBlock& block, std::size_t first) {
  std::int32_t y[width_of<V>] = {};
  for (std::size_t r = 0; r < std::min(width_of<V>, block.rows - first); ++r) y[r] = block.y[first + r];
  Integers<V> all;
  __builtin_memcpy(&all, y, sizeof all);
  return all;
}

// The first `count` lanes.
template <class V, class T>
LEEWAY_INLINE void put(const V& lanes, std::size_t count, T* to) {
  std::remove_cvref_t<decltype(V{}[0])> all[width_of<V>];
  __builtin_memcpy(all, &lanes, sizeof all);
  for (std::size_t r = 0; r < std::min(width_of<V>, count); ++r) to[r] = static_cast<T>(all[r]);
}

// 0 for what is too small to matter: with it residuals would be subnormal, which take the machine a hundred times longer.
template <class V>
LEEWAY_INLINE V felt(const V& factor) {
  const V zero{};
  return larger<V>(factor, -factor) < zero + 1e-13f ? zero : factor;
}

// Of the rows of a vector: classes and scores of y, the best score, that of all other classes, where they lie, and weights.
template <class V>
struct VectorRows {
  Integers<V> y, source;
  V own, best, weight;
};

// e_c = exp(score - base) in place of scores; their sum.
template <class V>
LEEWAY_INLINE V exponentials(const V& base, std::size_t k, float* scores) {
  V total{};
  for (std::size_t c = 0; c < k; ++c) {
    Loose<V>& e = at<V>(scores + c * score_stride);
    total += e.v = exp_of<V>(e.v - base);
  }
  return total;
}

// Residuals: slope for y, a e_c for other classes.
template <class V>
LEEWAY_INLINE void spread(const Integers<V>& y, const V& slope, const V& a, std::size_t k, float* scores) {
  Integers<V> number{};
  for (std::size_t c = 0; c < k; ++c, number += 1) {
    Loose<V>& e = at<V>(scores + c * score_stride);
    e.v = y == number ? slope : e.v * a;
  }
}

// w p_y (smooth), or -w log p_y; scores become residuals.
template <class V>
LEEWAY_INLINE V of_probability(const VectorRows<V>& rows, bool smooth, const V& w, std::size_t k,
                               float* scores) {
  const V all = exponentials<V>(rows.best, k, scores), p = exp_of<V>(rows.own - rows.best) / all;
  if (smooth) {
    spread<V>(rows.y, felt<V>(w * p * (1.f - p)), felt<V>(-w * p / all), k, scores);
    return w * p;
  }
  spread<V>(rows.y, felt<V>(w * (p - 1.f)), felt<V>(w / all), k, scores);
  return w * (rows.best - rows.own + log_of<V>(all));
}

// log(1 + exp m), and w / log 2 times its slope.
template <class V>
struct Softplus {
  V value, slope;
};
template <class V>
LEEWAY_INLINE Softplus<V> softplus(const V& m, const V& w) {
  const V zero{};
  return {larger<V>(m, zero) + log_of<V>(1.f + exp_of<V>(-larger<V>(m, -m))),
          felt<V>(w * log2e / (1.f + exp_of<V>(-larger<V>(m, zero - 80.f))))};
}

template <class V>
LEEWAY_INLINE V disagreement_logistic(const VectorRows<V>& rows, std::size_t k, float* scores) {
  V sum = -rows.own;
  for (std::size_t c = 0; c < k; ++c) sum += at<V>(scores + c * score_stride).v;
  const V others = V{} + static_cast<float>(k - 1);
  const Softplus<V> found = softplus<V>(rows.own - sum / others, rows.weight);
  const V other = felt<V>(-found.slope / others);
  Integers<V> number{};
  for (std::size_t c = 0; c < k; ++c, number += 1)
    at<V>(scores + c * score_stride).v = rows.y == number ? found.slope : other;
  return rows.weight * log2e * found.value;
}

template <class V>
LEEWAY_INLINE V d_bat(const VectorRows<V>& rows, std::size_t k, float* scores) {
  const V lowest = V{} + lowest_score;
  V top = lowest;
  Integers<V> number{};
  for (std::size_t c = 0; c < k; ++c, number += 1) {
    Loose<V>& score = at<V>(scores + c * score_stride);
    score.v = rows.y == number ? lowest : score.v;
    top = larger<V>(score.v, top);
  }
  const V total = exponentials<V>(top, k, scores);
  const Softplus<V> found = softplus<V>(rows.own - top - log_of<V>(total), rows.weight);
  spread<V>(rows.y, found.slope, felt<V>(-found.slope / total), k, scores);
  return rows.weight * log2e * found.value;
}

// The weighted objective of each row of a vector; scores become residuals.
template <class V>
LEEWAY_INLINE V objective_of(const VectorRows<V>& rows, Objective objective, bool source, std::size_t k,
                             float* scores) {
  if (source || objective == Objective::smooth || objective == Objective::chuang) {
    const bool smooth = objective == Objective::smooth;
    const V w = source == smooth ? -rows.weight : rows.weight;
    return of_probability<V>(rows, smooth, w, k, scores);
  }
  return objective == Objective::logistic ? disagreement_logistic<V>(rows, k, scores)
                                          : d_bat<V>(rows, k, scores);
}

// The same where a vector holds rows of both sets; `spare` has room for as many scores.
template <class V>
LEEWAY_INLINE V objective_of_both(const VectorRows<V>& rows, Objective objective, std::size_t k,
                                  float* scores, float* spare) {
  for (std::size_t c = 0; c < k * score_stride; c += score_stride) at<V>(spare + c).v = at<V>(scores + c).v;
  const V source = objective_of<V>(rows, objective, true, k, scores),
          target = objective_of<V>(rows, objective, false, k, spare);
  // By bits: GCC 14 fails on a choice by a mask that was loaded.
  const auto chosen = [&](const V& of_source, const V& of_target) {
    const Integers<V> a = __builtin_bit_cast(Integers<V>, of_source),
                      b = __builtin_bit_cast(Integers<V>, of_target);
    return __builtin_bit_cast(V, (a & rows.source) | (b & ~rows.source));
  };
  for (std::size_t c = 0; c < k * score_stride; c += score_stride)
    at<V>(scores + c).v = chosen(at<V>(scores + c).v, at<V>(spare + c).v);
  return chosen(source, target);
}

template <class V>
LEEWAY_INLINE double residuals_of(const CriticBlock& block, Objective objective, const float* weights,
                                  float* scores, std::uint8_t* agreed) {
  const V zero{};
  V values{};
  for (std::size_t v = 0; v < vectors_of<V>(block); ++v) {
    const std::size_t first = v * width_of<V>, end = first + width_of<V>;
    float* const f = scores + first;
    if (first >= block.rows) {  // the gradient sees whole panels
      for (std::size_t c = 0; c < block.k; ++c) at<V>(f + c * score_stride).v = zero;
      continue;
    }
    const std::size_t count = std::min(width_of<V>, block.rows - first);
    VectorRows<V> rows{classes_of<V>(block, first), {}, zero, zero + lowest_score, zero};
    Integers<V> winner{}, number{};
    for (std::size_t c = 0; c < block.k; ++c, number += 1) {
      const V score = at<V>(f + c * score_stride).v;
      rows.own = rows.y == number ? score : rows.own;
      winner = score > rows.best ? number : winner;  // the lowest where tied
      rows.best = larger<V>(score, rows.best);
    }
    put<V>(winner == rows.y ? zero + 1.f : zero, count, agreed + first);
    if (weights == nullptr) continue;
    float weight[width_of<V>] = {};
    std::int32_t source[width_of<V>];
    for (std::size_t r = 0; r < count; ++r) weight[r] = weights[first + r];
    for (std::size_t r = 0; r < width_of<V>; ++r) source[r] = first + r < block.source_rows ? -1 : 0;
    __builtin_memcpy(&rows.weight, weight, sizeof rows.weight);
    __builtin_memcpy(&rows.source, source, sizeof rows.source);
    if (first < block.source_rows && block.source_rows < end)
      values += objective_of_both<V>(rows, objective, block.k, f, scores + critic_block_rows);
    else
      values += objective_of<V>(rows, objective, first < block.source_rows, block.k, f);
  }
  double value = 0;
  for (std::size_t r = 0; r < width_of<V>; ++r) value += double{values[r]};
  return value;
}

// Scores of y.
template <class V>
LEEWAY_INLINE V own_of(const CriticBlock& block, std::size_t first, const float* scores) {
  float own[width_of<V>] = {};
  for (std::size_t r = 0; r < std::min(width_of<V>, block.rows - first); ++r)
    own[r] = scores[static_cast<std::size_t>(block.y[first + r]) * score_stride + first + r];
  return at<V>(own).v;
}

template <class V>
LEEWAY_INLINE void intervals_of(const CriticBlock& block, const float* scores, const float* slopes,
                                float* low, float* high) {
  for (std::size_t first = 0; first < block.rows; first += width_of<V>) {
    const V zero{}, far = zero + infinity;
    const V own = own_of<V>(block, first, scores), own_slope = own_of<V>(block, first, slopes);
    V lowest = -far, highest = far;
    for (std::size_t c = 0; c < block.k; ++c) {
      // Adding 0 makes a slope of -0 into 0, and a root of a slope of 0 is then -inf ahead, inf behind, and NaN, which no
      // comparison takes, at a tie and for y itself.
      const V lead = own - at<V>(scores + c * score_stride + first).v,
              slope = (own_slope - at<V>(slopes + c * score_stride + first).v) + zero, root = -lead / slope;
      const V from = slope < zero ? -far : root, to = slope < zero ? root : far;
      lowest = from > lowest ? from : lowest;
      highest = to < highest ? to : highest;
    }
    put<V>(lowest, block.rows - first, low + first);
    put<V>(highest, block.rows - first, high + first);
  }
}

template <class V>
LEEWAY_INLINE void leads_of(const CriticBlock& block, const float* scores, Leads& leads, std::size_t begin) {
  Integers<V> outside{};
  for (std::size_t c = 0; c < block.k; ++c) outside += 1;
  for (std::size_t first = 0; first < block.rows; first += width_of<V>) {
    const V none = V{} - infinity;
    const Integers<V> y = classes_of<V>(block, first);
    V other = none, next = none;
    Integers<V> rival = outside, third = outside, number{};
    for (std::size_t c = 0; c < block.k; ++c, number += 1) {
      const V f = y == number ? none : at<V>(scores + c * score_stride + first).v;
      third = f > other ? rival : f > next ? number : third;
      next = f > other ? other : f > next ? f : next;
      rival = f > other ? number : rival;
      other = larger<V>(f, other);
    }
    const std::size_t count = block.rows - first, to = begin + first;
    put<V>(own_of<V>(block, first, scores), count, &leads.own[to]);
    put<V>(other, count, &leads.other[to]);
    put<V>(next, count, &leads.next[to]);
    put<Integers<V>>(rival, count, &leads.rival[to]);
    put<Integers<V>>(third, count, &leads.third[to]);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_CRITIC_KERNEL(NAME, TARGET, V, P)                                                             \
  TARGET void scores_##NAME(const CriticBlock& block, const float* theta, float* scores) {                   \
    block.k == 1 ? scores_of<V, P, 1>(block, theta, scores)                                                  \
                 : scores_of<V, P, tile_classes>(block, theta, scores);                                      \
  }                                                                                                          \
  TARGET void sparse_scores_##NAME(const CriticBlock& block, const SparseCritic& critic, float* scores) {    \
    sparse_scores_of<V, P>(block, critic, scores);                                                           \
  }                                                                                                          \
  TARGET double residuals_##NAME(const CriticBlock& block, Objective objective, const float* weights,        \
                                 float* scores, std::uint8_t* agreed) {                                      \
    return residuals_of<V>(block, objective, weights, scores, agreed);                                       \
  }                                                                                                          \
  TARGET void add_gradient_##NAME(const CriticBlock& block, const float* residuals, float* gradient) {       \
    add_gradient_of<V, P>(block, residuals, gradient);                                                       \
  }                                                                                                          \
  TARGET void intervals_##NAME(const CriticBlock& block, const float* scores, const float* slopes,           \
                               float* low, float* high) {                                                    \
    intervals_of<V>(block, scores, slopes, low, high);                                                       \
  }                                                                                                          \
  TARGET void leads_##NAME(const CriticBlock& block, const float* scores, Leads& leads, std::size_t begin) { \
    leads_of<V>(block, scores, leads, begin);                                                                \
  }                                                                                                          \
  constexpr CriticKernel kernel_##NAME{scores_##NAME,       sparse_scores_##NAME, residuals_##NAME,          \
                                       add_gradient_##NAME, intervals_##NAME,     leads_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_CRITIC_KERNEL(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), Avx512,
                     4)
LEEWAY_CRITIC_KERNEL(avx2, __attribute__((target("avx2,fma"))), Avx2, 2)
#endif
LEEWAY_CRITIC_KERNEL(baseline, , Sse, 2)

}  // namespace

const CriticKernel& critic_kernel() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return kernel_avx512;
  if (instruction_set == InstructionSet::avx2) return kernel_avx2;
#endif
  return kernel_baseline;
}

}  // namespace leeway::error_bound
