#include "leeway/agreement/detail/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "leeway/core/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leeway/agreement/detail/kernel.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once for each instruction set:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "leeway/agreement/detail/kernel_rows.h"
#include "leeway/agreement/detail/lanes-inl.h"
#include "leeway/core/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace leeway::agreement::HWY_NAMESPACE {

// exp(beta x) = 2^(scale x) for x <= 0. Adding 1.5 * 2^52 rounds to an integer in the low bits of the sum;
// one FMA each for the sum and the remainder. If clamped, y is at least -490: products of two stay normal,
// and rows where this matters have P < smallest_p and are evaluated again.
template <bool clamped>
HWY_INLINE V exponential(V x, V scale) {
  const D d;
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, 6755399441055744.0);
  V shifted, f;
  if constexpr (clamped) {
    const V y = hn::Max(hn::Mul(x, scale), hn::Set(d, lowest_exponent));
    shifted = hn::Add(y, magic);
    f = hn::Sub(y, hn::Sub(shifted, magic));
  } else {
    shifted = hn::MulAdd(x, scale, magic);
    f = hn::MulSub(x, scale, hn::Sub(shifted, magic));
  }
  V p = hn::Set(d, exp2_coefficients[exp2_degree]);
  HWY_UNROLL(exp2_degree)
  for (int i = exp2_degree - 1; i >= 0; --i) p = hn::MulAdd(p, f, hn::Set(d, exp2_coefficients[i]));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<52>(hn::BitCast(di, shifted))));
}

// The nine sums over classes of a vector of rows (tiles), or over a vector of classes of one row (rows).
struct ClassSums {
  V z1, z2, p;    // sum e', e'', e'e''
  V s1, s2, s12;  // times x', x'', x'+x''
  V v1, v2, v12;  // times their squares

  HWY_INLINE ClassSums() {
    const D d;
    z1 = z2 = p = s1 = s2 = s12 = v1 = v2 = v12 = hn::Zero(d);
  }

  template <bool curved>
  HWY_INLINE void add(V x1, V x2, V e1, V e2) {
    const V x12 = hn::Add(x1, x2);
    const V e12 = hn::Mul(e1, e2);
    z1 = hn::Add(z1, e1);
    z2 = hn::Add(z2, e2);
    p = hn::Add(p, e12);
    if constexpr (!curved) {
      s1 = hn::MulAdd(e1, x1, s1);
      s2 = hn::MulAdd(e2, x2, s2);
      s12 = hn::MulAdd(e12, x12, s12);
      return;
    }
    const V m1 = hn::Mul(e1, x1);
    const V m2 = hn::Mul(e2, x2);
    const V m12 = hn::Mul(e12, x12);
    s1 = hn::Add(s1, m1);
    s2 = hn::Add(s2, m2);
    s12 = hn::Add(s12, m12);
    v1 = hn::MulAdd(m1, x1, v1);
    v2 = hn::MulAdd(m2, x2, v2);
    v12 = hn::MulAdd(m12, x12, v12);
  }
};

// a_i of a vector of rows.
HWY_INLINE V log_ratio(const ClassSums& s) {
  const D d;
  return hn::Min(hn::Zero(d), hn::Log(d, hn::Div(s.p, hn::Mul(s.z1, s.z2))));
}

// Sums over rows per lane, with one logarithm per block: mantissas, each in [1,2), are multiplied (at most
// 2^block_rows) and exponents added.
class RowSums {
 public:
  HWY_INLINE explicit RowSums(const At& at)
      : inverse_beta_(at.beta > 0 ? 1 / at.beta : 1e300), squares_wanted_(at.squares) {
    const D d;
    d1_ = d2_ = squares_ = hn::Zero(d);
    for (std::size_t b = 0; b < bands; ++b) c1_[b] = c2_[b] = hn::Zero(d);
    p_mantissa_ = z_mantissa_ = hn::Set(d, 1.0);
    p_exponent_ = z_exponent_ = hn::Zero(hn::RebindToSigned<D>());
  }

  template <bool curved>
  HWY_INLINE void add(const ClassSums& s, const float* spreads) {
    const D d;
    const V z12 = hn::Mul(s.z1, s.z2);
    const V inverse = hn::Div(hn::Set(d, 1.0), hn::Mul(s.p, z12));
    const V inverse_p = hn::Mul(inverse, z12);
    const V inverse_z12 = hn::Mul(inverse, s.p);
    const V inverse_z1 = hn::Mul(inverse_z12, s.z2);
    const V inverse_z2 = hn::Mul(inverse_z12, s.z1);
    const V mean12 = hn::Mul(s.s12, inverse_p);
    const V mean1 = hn::Mul(s.s1, inverse_z1);
    const V mean2 = hn::Mul(s.s2, inverse_z2);
    d1_ = hn::Add(d1_, mean12);
    d2_ = hn::Add(d2_, hn::Add(mean1, mean2));
    if constexpr (curved) {
      const V c1 = hn::NegMulAdd(mean12, mean12, hn::Mul(s.v12, inverse_p));
      const V var1 = hn::NegMulAdd(mean1, mean1, hn::Mul(s.v1, inverse_z1));
      const V var2 = hn::NegMulAdd(mean2, mean2, hn::Mul(s.v2, inverse_z2));
      const V c2 = hn::Add(var1, var2);
      if (squares_wanted_) {
        const V a = log_ratio(s);
        squares_ = hn::MulAdd(a, a, squares_);
      }
      add_to_bands(c1, c2, hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), spreads)));
    }
    multiply(s.p, p_mantissa_, p_exponent_);
    multiply(z12, z_mantissa_, z_exponent_);
    ++added_;
  }

  [[nodiscard]] Moments total() const {
    Moments m;
    m.f1 = logarithm(p_mantissa_, p_exponent_);
    m.f2 = logarithm(z_mantissa_, z_exponent_);
    m.d1 = sum_lanes(d1_), m.d2 = sum_lanes(d2_), m.squares = sum_lanes(squares_);
    for (std::size_t b = 0; b < bands; ++b) m.c1[b] = sum_lanes(c1_[b]), m.c2[b] = sum_lanes(c2_[b]);
    return m;
  }

 private:
  using VI = hn::Vec<hn::RebindToSigned<D>>;

  HWY_INLINE void add_to_bands(V c1, V c2, V spread) {
    const D d;
    for (std::size_t b = 0; b + 1 < bands; ++b) {
      const auto above = hn::Gt(spread, hn::Set(d, band_edges[b] * inverse_beta_));
      c1_[b] = hn::Add(c1_[b], hn::IfThenZeroElse(above, c1));
      c2_[b] = hn::Add(c2_[b], hn::IfThenZeroElse(above, c2));
      if (hn::AllFalse(d, above)) return;
      c1 = hn::IfThenElseZero(above, c1);
      c2 = hn::IfThenElseZero(above, c2);
    }
    c1_[bands - 1] = hn::Add(c1_[bands - 1], c1);
    c2_[bands - 1] = hn::Add(c2_[bands - 1], c2);
  }

  static HWY_INLINE void multiply(V value, V& mantissa, VI& exponent) {
    const D d;
    const hn::RebindToSigned<D> di;
    const VI bits = hn::BitCast(di, value);
    exponent = hn::Add(exponent, hn::ShiftRight<52>(bits));
    const VI one = hn::Or(hn::And(bits, hn::Set(di, 0xFFFFFFFFFFFFF)), hn::Set(di, 0x3FF0000000000000));
    mantissa = hn::Mul(mantissa, hn::BitCast(d, one));
  }

  // Every exponent added carried its bias of 1023.
  [[nodiscard]] double logarithm(V mantissa, VI exponent) const {
    const D d;
    const hn::RebindToSigned<D> di;
    alignas(64) double m[hn::MaxLanes(d)];
    alignas(64) std::int64_t e[hn::MaxLanes(d)];
    hn::Store(mantissa, d, m);
    hn::Store(exponent, di, e);
    double result = 0;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      result += std::log(m[i]) + log_2 * static_cast<double>(e[i] - 1023 * added_);
    return result;
  }

  double inverse_beta_;
  bool squares_wanted_;
  V d1_, d2_, squares_, c1_[bands], c2_[bands], p_mantissa_, z_mantissa_;
  VI p_exponent_, z_exponent_;
  std::int64_t added_ = 0;
};

constexpr std::size_t row_lead = 1024;  // values that rows are asked for ahead

// What is to be taken off the logits of a vector of rows: nothing where the tile holds x.
HWY_INLINE V load_maxima(const double*, std::size_t) { return hn::Zero(D()); }

HWY_INLINE V load_maxima(const float* maxima, std::size_t first) {
  return hn::PromoteTo(D(), hn::Load(hn::Rebind<float, D>(), maxima + first));
}

HWY_INLINE V load_x(const double* x, V) { return hn::Load(D(), x); }

HWY_INLINE V load_x(const float* logits, V maxima) {
  return hn::Sub(hn::PromoteTo(D(), hn::Load(hn::Rebind<float, D>(), logits)), maxima);
}

// Rows [first, last) of a tile with underflow or of an incomplete tile, one by one.
template <class T>
Moments rows_of_tile(const T* tile, const T* maxima, std::size_t first, std::size_t last, std::size_t k,
                     const At& at) {
  Moments total;
  for (std::size_t row = first; row < last; ++row) {
    const Moments m = moments_of(
        k, at.beta, at.spreads == nullptr ? 0 : at.spreads[row],
        [&](std::size_t j) { return tile_value(tile, maxima, k, 0, j, row); },
        [&](std::size_t j) { return tile_value(tile, maxima, k, 1, j, row); });
    if (at.agreement != nullptr) at.agreement[row] = std::min(0., m.f1 - m.f2);
    total += m;
  }
  return total;
}

template <bool clamped, bool curved, class T>
Moments tiles(const T* all, const T* all_maxima, std::size_t rows, std::size_t k, const At& at) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V scale = hn::Set(d, at.beta * log2_e);
  const std::size_t lead = 4 * k * tile_rows;  // two tiles
  RowSums total(at);
  Moments by_row;
  for (std::size_t begin = 0; begin < rows; begin += tile_rows) {
    const T* tile = all + begin * 2 * k;
    const T* maxima = all_maxima == nullptr ? nullptr : all_maxima + begin * 2;
    const T* maxima_shifted = maxima == nullptr ? nullptr : maxima + tile_rows;
    const std::size_t valid = std::min(tile_rows, rows - begin);
    const auto finish = [&](const ClassSums& sums, std::size_t first) HWY_ATTR {
      const bool whole = first + lanes <= valid && hn::AllTrue(d, hn::Ge(sums.p, hn::Set(d, smallest_p)));
      if (HWY_LIKELY(whole)) {
        total.add<curved>(sums, curved ? at.spreads + begin + first : nullptr);
        if (at.agreement != nullptr) hn::StoreU(log_ratio(sums), d, at.agreement + begin + first);
      } else if (first < valid) {
        by_row += rows_of_tile(tile, maxima, first, std::min(valid, first + lanes), k, at.from(begin));
      }
    };
    // Two vectors at a time: their chains of additions overlap.
    for (std::size_t first = 0; first < valid; first += 2 * lanes) {
      ClassSums one, two;
      const V max1 = load_maxima(maxima, first), max2 = load_maxima(maxima_shifted, first);
      const V max3 = load_maxima(maxima, first + lanes), max4 = load_maxima(maxima_shifted, first + lanes);
      for (std::size_t j = 0; j < k; ++j) {
        const T* const clean = tile + j * tile_rows + first;
        const T* const shifted = clean + k * tile_rows;
        prefetch(clean, lead);
        prefetch(shifted, lead);
        const V x1 = load_x(clean, max1);
        const V x2 = load_x(shifted, max2);
        one.add<curved>(x1, x2, exponential<clamped>(x1, scale), exponential<clamped>(x2, scale));
        const V x3 = load_x(clean + lanes, max3);
        const V x4 = load_x(shifted + lanes, max4);
        two.add<curved>(x3, x4, exponential<clamped>(x3, scale), exponential<clamped>(x4, scale));
      }
      finish(one, first);
      finish(two, first + lanes);
    }
  }
  by_row += total.total();
  return by_row;
}

template <bool clamped, bool curved, class T>
Moments one_row(const T* clean, const T* shifted, double max1, double max2, std::size_t k, double beta,
                double spread) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V scale = hn::Set(d, beta * log2_e), m1 = hn::Set(d, max1), m2 = hn::Set(d, max2);
  ClassSums sums;
  std::size_t j = 0;
  for (; j + lanes <= k; j += lanes) {
    prefetch(clean + j, row_lead);
    prefetch(shifted + j, row_lead);
    const V x1 = hn::Sub(load_classes(clean, j), m1);
    const V x2 = hn::Sub(load_classes(shifted, j), m2);
    sums.add<curved>(x1, x2, exponential<clamped>(x1, scale), exponential<clamped>(x2, scale));
  }
  if (j < k) {
    // The last vector again, with the lanes already counted masked out.
    const std::size_t start = k - lanes;
    const auto fresh = hn::Not(hn::FirstN(d, j - start));
    const V x1 = hn::Sub(load_classes(clean, start), m1);
    const V x2 = hn::Sub(load_classes(shifted, start), m2);
    const V e1 = hn::IfThenElseZero(fresh, exponential<clamped>(x1, scale));
    const V e2 = hn::IfThenElseZero(fresh, exponential<clamped>(x2, scale));
    sums.add<curved>(x1, x2, e1, e2);
  }
  const double p = sum_lanes(sums.p);
  if (HWY_UNLIKELY(p < smallest_p))
    return moments_of(
        k, beta, spread, [&](std::size_t c) { return static_cast<double>(clean[c]) - max1; },
        [&](std::size_t c) { return static_cast<double>(shifted[c]) - max2; });
  const double z1 = sum_lanes(sums.z1), z2 = sum_lanes(sums.z2);
  const double mean12 = sum_lanes(sums.s12) / p, mean1 = sum_lanes(sums.s1) / z1,
               mean2 = sum_lanes(sums.s2) / z2;
  Moments m;
  m.f1 = std::log(p), m.d1 = mean12;
  m.f2 = std::log(z1 * z2), m.d2 = mean1 + mean2;
  if constexpr (curved) {
    const std::size_t band = band_of(beta * spread);
    m.squares = (m.f1 - m.f2) * (m.f1 - m.f2);
    m.c1[band] = sum_lanes(sums.v12) / p - mean12 * mean12;
    m.c2[band] = sum_lanes(sums.v1) / z1 - mean1 * mean1 + sum_lanes(sums.v2) / z2 - mean2 * mean2;
  }
  return m;
}

template <bool clamped, bool curved, class T>
Moments rows_of(const T* clean, const T* shifted, const double* max1, const double* max2, std::size_t rows,
                std::size_t k, const At& at) {
  Moments total;
  for (std::size_t i = 0; i < rows; ++i) {
    const Moments m = one_row<clamped, curved>(clean + i * k, shifted + i * k, max1[i], max2[i], k, at.beta,
                                               curved ? at.spreads[i] : 0);
    if (at.agreement != nullptr) at.agreement[i] = std::min(0., m.f1 - m.f2);
    total += m;
  }
  return total;
}

template <class T>
Moments any_tiles(const T* t, const T* maxima, std::size_t rows, std::size_t k, const At& at) {
  if (at.clamp && at.spreads != nullptr) return tiles<true, true>(t, maxima, rows, k, at);
  if (at.clamp) return tiles<true, false>(t, maxima, rows, k, at);
  return at.spreads != nullptr ? tiles<false, true>(t, maxima, rows, k, at)
                               : tiles<false, false>(t, maxima, rows, k, at);
}

template <class T>
Moments any_rows(const T* clean, const T* shifted, const double* max1, const double* max2, std::size_t rows,
                 std::size_t k, const At& at) {
  if (at.clamp && at.spreads != nullptr) return rows_of<true, true>(clean, shifted, max1, max2, rows, k, at);
  if (at.clamp) return rows_of<true, false>(clean, shifted, max1, max2, rows, k, at);
  return at.spreads != nullptr ? rows_of<false, true>(clean, shifted, max1, max2, rows, k, at)
                               : rows_of<false, false>(clean, shifted, max1, max2, rows, k, at);
}

double exponentials(const double* x, std::size_t count, double beta) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V scale = hn::Set(d, beta * log2_e);
  V a = hn::Zero(d), b = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = hn::Add(a, exponential<false>(hn::LoadU(d, x + i), scale));
    b = hn::Add(b, exponential<false>(hn::LoadU(d, x + i + lanes), scale));
  }
  double total = sum_lanes(hn::Add(a, b));
  for (; i < count; ++i) total += std::exp(beta * x[i]);
  return total;
}

}  // namespace leeway::agreement::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leeway::agreement {

Moments& Moments::operator+=(const Moments& other) {
  f1 += other.f1, d1 += other.d1;
  f2 += other.f2, d2 += other.d2, squares += other.squares;
  for (std::size_t b = 0; b < bands; ++b) c1[b] += other.c1[b], c2[b] += other.c2[b];
  return *this;
}

Moments evaluate_tiles(const double* t, std::size_t rows, std::size_t k, const At& at) {
  return LEEWAY_BEST(any_tiles<double>)(t, nullptr, rows, k, at);
}
Moments evaluate_tiles(const float* t, const float* maxima, std::size_t rows, std::size_t k, const At& at) {
  return LEEWAY_BEST(any_tiles<float>)(t, maxima, rows, k, at);
}
Moments evaluate_rows(const float* c, const float* s, const double* m1, const double* m2, std::size_t rows,
                      std::size_t k, const At& at) {
  return LEEWAY_BEST(any_rows<float>)(c, s, m1, m2, rows, k, at);
}
Moments evaluate_rows(const double* c, const double* s, const double* m1, const double* m2, std::size_t rows,
                      std::size_t k, const At& at) {
  return LEEWAY_BEST(any_rows<double>)(c, s, m1, m2, rows, k, at);
}
double agreement_at_infinity(const double* x1, const double* x2, std::size_t k,
                             std::span<const double> log_weights) {
  int top1 = 0, top2 = 0;
  double shared = 0;
  for (std::size_t j = 0; j < k; ++j) {
    top1 += x1[j] == 0, top2 += x2[j] == 0;
    if (x1[j] == 0 && x2[j] == 0) shared += log_weights.empty() ? 1 : std::exp(log_weights[j]);
  }
  return shared == 0 ? -std::numeric_limits<double>::infinity() : std::log(shared / (1. * top1 * top2));
}

double sum_of_exponentials(const double* x, std::size_t count, double beta) {
  return LEEWAY_BEST(exponentials)(x, count, beta);
}

}  // namespace leeway::agreement
#endif
