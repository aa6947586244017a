#include "leeway/average_case/detail/kernel.h"

#include <algorithm>

#include "leeway/average_case/detail/integrand.h"
#include "leeway/core/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leeway/average_case/detail/kernel.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once for each instruction set:
#include <hwy/highway.h>

#include "leeway/average_case/detail/normal-inl.h"
#include "leeway/core/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace leeway::average_case::HWY_NAMESPACE {

using kernel::Task;

// Sums of products for `height` rows and a group of lanes, in registers.
template <class T>
constexpr std::size_t group = HWY_MAX_BYTES == 64 ? 4 : 2;  // vectors; 32 registers, or 16

template <std::size_t height, class T>
HWY_INLINE void subtract(const T* coefficients, std::size_t stride, const T* y, std::size_t begin,
                         std::size_t end, T* sums) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t l = 0; l < kernel_lanes; l += group<T> * n) {
    V total[height][group<T>];
    for (std::size_t r = 0; r < height; ++r)
      for (std::size_t v = 0; v < group<T>; ++v)
        total[r][v] = hn::Load(d, sums + r * kernel_lanes + l + v * n);
    for (std::size_t k = begin; k < end; ++k) {
      V at[group<T>];
      for (std::size_t v = 0; v < group<T>; ++v) at[v] = hn::Load(d, y + k * kernel_lanes + l + v * n);
      HWY_UNROLL(4)
      for (std::size_t r = 0; r < height; ++r) {
        const V c = hn::Set(d, coefficients[r * stride + k]);
        for (std::size_t v = 0; v < group<T>; ++v) total[r][v] = hn::NegMulAdd(c, at[v], total[r][v]);
      }
    }
    for (std::size_t r = 0; r < height; ++r)
      for (std::size_t v = 0; v < group<T>; ++v)
        hn::Store(total[r][v], d, sums + r * kernel_lanes + l + v * n);
  }
}

// The shifted lattice coordinate, folded by the tent transform |2 x - 1|: a number in (0,1].
template <class T>
HWY_INLINE hn::Vec<Lanes<T>> coordinate(std::uint32_t phase, const std::uint32_t* shifts) {
  const Lanes<T> d;
  const hn::Rebind<std::uint32_t, Lanes<T>> du;
  const hn::RebindToSigned<decltype(du)> di;
  const auto x = hn::BitCast(di, hn::Add(hn::LoadU(du, shifts), hn::Set(du, phase)));
  const auto folded = hn::Xor(x, hn::ShiftRight<31>(x));
  const T unit = static_cast<T>(1. / 2147483648.);
  if constexpr (sizeof(T) == 4)
    return hn::MulAdd(hn::ConvertTo(d, folded), hn::Set(d, unit), hn::Set(d, unit / 2));
  else
    return hn::MulAdd(hn::PromoteTo(d, folded), hn::Set(d, unit), hn::Set(d, unit / 2));
}

// What one variable adds: float32 multiplies `weight` and adds to `exponent`, float64 adds logarithms.
template <bool last>
HWY_INLINE VF draw(const Task<float>& task, std::size_t j, VF z, VF u, VF& weight) {
  const VF p = cdf(z);
  weight = hn::Mul(weight, hn::Mul(p, hn::Set(DF(), task.factor[j])));
  if constexpr (last) return p;
  return quantile(hn::Mul(p, u));
}
template <bool last>
HWY_INLINE VD draw(const Task<double>& task, std::size_t j, VD z, VD u, VD& weight) {
  const LogCdf phi = log_cdf(z);
  weight = hn::Add(weight, hn::Sub(phi.log, hn::Set(DD(), task.factor[j])));
  if constexpr (last) return phi.log;
  return truncated_quantile(phi, u);
}

// The quantile of Phi(low) + u (Phi(high) - Phi(low)) = Phi(high) (r + u (1 - r)), r = Phi(low) / Phi(high),
// mirrored if both are positive, so that the lower tail is the larger one.
template <class T, class V>
HWY_INLINE V draw_between(const Task<T>& task, std::size_t j, V low, V high, V u, V& weight) {
  const Lanes<T> d;
  const V one = hn::Set(d, T(1));
  const auto mirrored = hn::Gt(low, hn::Zero(d));
  const V top = hn::IfThenElse(mirrored, hn::Neg(low), high);
  const V bottom = hn::IfThenElse(mirrored, hn::Neg(high), low);
  V y;
  if constexpr (sizeof(T) == 4) {
    const V p = cdf(top), r = hn::Min(one, hn::Div(cdf(bottom), p)), rest = hn::Sub(one, r);
    weight = hn::Mul(weight, hn::Mul(hn::Mul(p, rest), hn::Set(d, task.factor[j])));
    y = quantile(hn::Mul(p, hn::MulAdd(rest, u, r)));
  } else {
    const LogCdf p = log_cdf(top);
    const V r = hn::Min(one, hn::Exp(d, hn::Sub(log_cdf(bottom).log, p.log))), rest = hn::Sub(one, r);
    // an empty interval: weight 0, whatever the other factors are
    const V log_rest = hn::IfThenElse(hn::Gt(rest, hn::Zero(d)), hn::Log(d, rest), hn::Set(d, -1e200));
    weight = hn::Add(weight, hn::Sub(hn::Add(p.log, log_rest), hn::Set(d, task.factor[j])));
    y = truncated_quantile(p, hn::MulAdd(rest, u, r));
  }
  return hn::IfThenElse(mirrored, hn::Neg(y), y);
}

// Variable j, its limits being rows [first, last).
template <class T>
HWY_INLINE void draw_variable(const Task<T>& task, std::size_t j, std::size_t first, std::size_t last,
                              std::uint32_t point, T* weights, T* exponents) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  const std::size_t n = hn::Lanes(d);
  const V tilt = hn::Set(d, task.tilt[j]);
  for (std::size_t l = 0; l < kernel_lanes; l += n) {
    const std::uint32_t k = point + static_cast<std::uint32_t>(l / lattice_shifts) * task.range.step;
    const V u = coordinate<T>(k * task.steps[j], task.shifts + j * lattice_shifts + l % lattice_shifts);
    V weight = hn::Load(d, weights + l);
    V high = hn::Load(d, task.sums + first * kernel_lanes + l);
    V y;
    if (last - first == 1) {
      if (j + 1 == task.variables) {
        (void)draw<true>(task, j, hn::Sub(high, tilt), u, weight);
        hn::Store(weight, d, weights + l);
        continue;
      }
      y = draw<false>(task, j, hn::Sub(high, tilt), u, weight);
    } else {
      V low = hn::Set(d, T(-1e30));
      for (std::size_t r = first + 1; r < last; ++r) {
        const V limit = hn::Load(d, task.sums + r * kernel_lanes + l);
        if (task.rows[r].lower)
          low = hn::Max(low, limit);
        else
          high = hn::Min(high, limit);
      }
      y = draw_between<T, V>(task, j, hn::Sub(low, tilt), hn::Sub(high, tilt), u, weight);
    }
    y = hn::Add(y, tilt);
    hn::Store(y, d, task.y + j * kernel_lanes + l);
    const V exponent =
        hn::NegMulAdd(tilt, hn::Sub(y, hn::Set(d, task.reference[j])), hn::Load(d, exponents + l));
    hn::Store(exponent, d, exponents + l);
    hn::Store(weight, d, weights + l);
  }
}

// The common factor: logistic around the centre, weight phi(t) over the logistic density.
template <class T>
HWY_INLINE void draw_factor(const Task<T>& task, std::uint32_t point, T* weights, T* exponents) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  const std::size_t n = hn::Lanes(d);
  const V one = hn::Set(d, T(1)), least = hn::Set(d, T(1e-7)), centre = hn::Set(d, task.centre);
  for (std::size_t l = 0; l < kernel_lanes; l += n) {
    const std::uint32_t k = point + static_cast<std::uint32_t>(l / lattice_shifts) * task.range.step;
    V u = coordinate<T>(k * task.steps[0], task.shifts + l % lattice_shifts);
    u = hn::Min(hn::Max(u, least), hn::Sub(one, least));
    const V rest = hn::Sub(one, u), ratio = hn::Div(u, rest);
    V log_odds;
    if constexpr (sizeof(T) == 4)
      log_odds = log(ratio);
    else
      log_odds = hn::Log(d, ratio);
    const V t = hn::MulAdd(hn::Set(d, task.spread), log_odds, centre);
    hn::Store(t, d, task.y + l);
    const V exponent = hn::Mul(hn::Set(d, T(-.5)), hn::Mul(hn::Sub(t, centre), hn::Add(t, centre)));
    hn::Store(exponent, d, exponents + l);
    const V inverse = hn::Div(hn::Set(d, T(.25)), hn::Mul(u, rest));
    if constexpr (sizeof(T) == 4)
      hn::Store(inverse, d, weights + l);
    else
      hn::Store(hn::Log(d, inverse), d, weights + l);
  }
}

HWY_INLINE void accumulate(const float* weights, const float* exponents, double* sums) {
  const DF d;
  const DD dd;
  HWY_ALIGN float values[kernel_lanes];
  for (std::size_t l = 0; l < kernel_lanes; l += hn::Lanes(d)) {
    const VF y = hn::Mul(hn::Load(d, exponents + l), hn::Set(d, 1.44269504F));
    const VF e = exp2(hn::Min(hn::Max(y, hn::Set(d, -100.F)), hn::Set(d, 100.F)));
    hn::Store(hn::Mul(e, hn::Load(d, weights + l)), d, values + l);
  }
  for (std::size_t l = 0; l < kernel_lanes; l += hn::Lanes(dd)) {
    const VD value = hn::PromoteTo(dd, hn::LoadU(hn::Rebind<float, DD>(), values + l));
    double* const sum = sums + l % lattice_shifts;
    hn::Store(hn::Add(hn::Load(dd, sum), value), dd, sum);
  }
}
HWY_INLINE void accumulate(const double* weights, const double* exponents, double* sums) {
  const DD d;
  for (std::size_t l = 0; l < kernel_lanes; l += hn::Lanes(d)) {
    const VD value = hn::Exp(d, hn::Add(hn::Load(d, weights + l), hn::Load(d, exponents + l)));
    double* const sum = sums + l % lattice_shifts;
    hn::Store(hn::Add(hn::Load(d, sum), value), d, sum);
  }
}

// Four lattice points.
template <class T>
HWY_INLINE void step(const Task<T>& task, std::uint32_t point, double* total) {
  const std::size_t count = task.rows.size();
  T* const weights = task.sums + count * kernel_lanes;
  T* const exponents = weights + kernel_lanes;
  std::fill_n(weights, kernel_lanes, T(sizeof(T) == 4));  // 1, or log 1
  std::fill_n(exponents, kernel_lanes, T(0));
  if (task.has_factor) draw_factor(task, point, weights, exponents);
  for (std::size_t r = 0; r < count; ++r)
    std::fill_n(task.sums + r * kernel_lanes, kernel_lanes, task.limits[r]);
  std::size_t first = 0;  // row of the variable at hand
  for (std::size_t begin = 0; begin < count; begin += 4) {
    const std::size_t end = std::min(begin + 4, count);
    const std::size_t known = task.rows[begin].variable;
    const T* const coefficients = task.coefficients + begin * task.variables;
    if (end - begin == 4 && known > 0)
      subtract<4>(coefficients, task.variables, task.y, 0, known, task.sums + begin * kernel_lanes);
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t j = task.rows[r].variable;
      subtract<1>(task.coefficients + r * task.variables, task.variables, task.y,
                  end - begin == 4 ? known : 0, j, task.sums + r * kernel_lanes);
      if (r + 1 < count && task.rows[r + 1].variable == j) continue;
      draw_variable(task, j, first, r + 1, point, weights, exponents);
      first = r + 1;
    }
  }
  accumulate(weights, exponents, total);
}

template <class T>
void add_steps(const Task<T>& task, double* sums) {
  HWY_ALIGN double total[lattice_shifts] = {};
  for (std::size_t i = 0; i < task.range.count; i += points_at_once)
    step(task, task.range.first + static_cast<std::uint32_t>(i) * task.range.step, total);
  for (std::size_t s = 0; s < lattice_shifts; ++s) sums[s] += total[s];
}

void subtract_all(const double* scale, const double* rows, std::size_t stride, std::size_t depth,
                  std::size_t count, double* target) {
  const DD d;
  const std::size_t n = hn::Lanes(d);
  std::size_t l = 0;
  for (; l + 4 * n <= count; l += 4 * n) {
    VD a = hn::LoadU(d, target + l), b = hn::LoadU(d, target + l + n);
    VD c = hn::LoadU(d, target + l + 2 * n), e = hn::LoadU(d, target + l + 3 * n);
    for (std::size_t k = 0; k < depth; ++k) {
      const VD s = hn::Set(d, scale[k]);
      const double* const row = rows + k * stride + l;
      a = hn::NegMulAdd(s, hn::LoadU(d, row), a), b = hn::NegMulAdd(s, hn::LoadU(d, row + n), b);
      c = hn::NegMulAdd(s, hn::LoadU(d, row + 2 * n), c), e = hn::NegMulAdd(s, hn::LoadU(d, row + 3 * n), e);
    }
    hn::StoreU(a, d, target + l), hn::StoreU(b, d, target + l + n);
    hn::StoreU(c, d, target + l + 2 * n), hn::StoreU(e, d, target + l + 3 * n);
  }
  for (; l < count; ++l)
    for (std::size_t k = 0; k < depth; ++k) target[l] -= scale[k] * rows[k * stride + l];
}

double dot_all(const double* a, const double* b, std::size_t count) {
  const DD d;
  const std::size_t n = hn::Lanes(d);
  VD s = hn::Zero(d), t = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * n <= count; i += 2 * n) {
    s = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s);
    t = hn::MulAdd(hn::LoadU(d, a + i + n), hn::LoadU(d, b + i + n), t);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(s, t)));
  for (; i < count; ++i) total += a[i] * b[i];
  return total;
}

}  // namespace leeway::average_case::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leeway::average_case::kernel {

void add(const Task<float>& task, double* sums) { LEEWAY_BEST(add_steps<float>)(task, sums); }
void add(const Task<double>& task, double* sums) { LEEWAY_BEST(add_steps<double>)(task, sums); }
void subtract_products(const double* scale, const double* rows, std::size_t stride, std::size_t depth,
                       std::size_t count, double* target) {
  LEEWAY_BEST(subtract_all)(scale, rows, stride, depth, count, target);
}
double dot(const double* a, const double* b, std::size_t count) { return LEEWAY_BEST(dot_all)(a, b, count); }

}  // namespace leeway::average_case::kernel
#endif
