// Vectorized normal distribution function and quantile. Included after highway.h, once per instruction set.
#if defined(LEEWAY_AVERAGE_CASE_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEEWAY_AVERAGE_CASE_NORMAL_INL_H_
#undef LEEWAY_AVERAGE_CASE_NORMAL_INL_H_
#else
#define LEEWAY_AVERAGE_CASE_NORMAL_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "leeway/average_case/detail/normal.h"

HWY_BEFORE_NAMESPACE();
namespace leeway::average_case::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, 16>;  // the 16 shifts of a lattice point hold whole vectors
using DF = Lanes<float>;
using DD = Lanes<double>;
using VF = hn::Vec<DF>;
using VD = hn::Vec<DD>;

// Horner's rule, unrolled.
template <std::size_t i = 0, class D, class V, class T, std::size_t count>
HWY_INLINE V polynomial(D d, V x, const T (&coefficients)[count]) {
  const V c = hn::Set(d, static_cast<hn::TFromD<D>>(coefficients[i]));
  if constexpr (i + 1 == count)
    return c;
  else
    return hn::MulAdd(polynomial<i + 1>(d, x, coefficients), x, c);
}

// 2^y for -120 < y <= 120, relative error 1e-7.
constexpr float exp2_f32[] = {1.00000007F,  .693146967F,   .240221197F,
                              .0555071329F, .00967554129F, .00132764668F};
HWY_INLINE VF exp2(VF y) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  const VF shifted = hn::Add(y, hn::Set(d, 12582912.F));  // 1.5 * 2^23: the low bits hold the integer
  const VF p = polynomial(d, hn::Sub(y, hn::Sub(shifted, hn::Set(d, 12582912.F))), exp2_f32);
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

// log x for normal positive x, absolute error 1e-6.
constexpr float log_f32[] = {1.00000098F, -.500011122F, .333144917F, -.24909784F,
                             .20496738F,  -.18667459F,  .118936367F};
HWY_INLINE VF log(VF x) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F3504F3)));
  const VF m = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), hn::Set(d, 1.F));
  return hn::MulAdd(hn::ConvertTo(d, exponent), hn::Set(d, .693147181F),
                    hn::Mul(m, polynomial(d, m, log_f32)));
}

HWY_INLINE VF cdf(VF z) {
  const DF d;
  const VF one = hn::Set(d, 1.F);
  const VF a = hn::Min(hn::Abs(z), hn::Set(d, 12.5F));
  const VF t = hn::Div(one, hn::MulAdd(a, hn::Set(d, static_cast<float>(tail_slope)), one));
  const VF g = hn::Mul(t, polynomial(d, t, tail_f32));
  const VF tail = hn::Mul(g, exp2(hn::Mul(hn::Mul(a, a), hn::Set(d, -.72134752F))));
  return hn::IfThenElse(hn::Lt(z, hn::Zero(d)), tail, hn::Sub(one, tail));
}

// Phi^-1(p) = (2 p - 1) P(w), w = -log(4 p (1 - p)) (Giles 2010): near the middle P is a polynomial in w, in
// the tails, w > 6, sqrt(w) times one in 1 / sqrt(w). Relative errors 3e-7 and 2e-5.
constexpr double middle[] = {1.2533137308421958,      .32812969762255739,     .016268523907996782,
                             -.0031795466894965069,   -.00029498886244751443, .000123192659516379,
                             -1.2783866736628975e-05, 4.7624864640322549e-07};
constexpr double tails[] = {1.4144079622015302, -.031662202722291727, -1.7538613223173858,
                            6.0605121963506958, -10.983728280782982,  9.1407107896108784};
constexpr double middle_end = 6;

HWY_INLINE VF quantile(VF p) {
  const DF d;
  const VF one = hn::Set(d, 1.F);
  p = hn::Min(hn::Max(p, hn::Set(d, 1e-36F)), hn::Set(d, .99999994F));
  const VF q = hn::Sub(one, p);
  const VF w = hn::Max(hn::Zero(d), hn::Neg(log(hn::Mul(hn::Mul(p, hn::Set(d, 4.F)), q))));
  VF scale = polynomial(d, w, middle);
  const auto far = hn::Gt(w, hn::Set(d, static_cast<float>(middle_end)));
  if (HWY_UNLIKELY(!hn::AllFalse(d, far))) {
    const VF root = hn::Sqrt(w);
    scale = hn::IfThenElse(far, hn::Mul(root, polynomial(d, hn::Div(one, root), tails)), scale);
  }
  return hn::Mul(hn::Sub(p, q), scale);
}

// exp(a^2 / 2) Phi(-a), a >= 0.
HWY_INLINE VD scaled_tail(VD a) {
  const DD d;
  const VD one = hn::Set(d, 1.);
  const VD t = hn::Div(one, hn::MulAdd(a, hn::Set(d, tail_slope), one));
  return hn::Mul(t, polynomial(d, t, tail_f64));
}

struct LogCdf {
  VD value, log;  // Phi(z), which may underflow, and log Phi(z)
};
HWY_INLINE LogCdf log_cdf(VD z) {
  const DD d;
  const VD a = hn::Abs(z), exponent = hn::Mul(hn::Mul(a, a), hn::Set(d, -.5));
  const VD scaled = scaled_tail(a), tail = hn::Mul(scaled, hn::Exp(d, exponent));
  const auto negative = hn::Lt(z, hn::Zero(d));
  const VD rest = hn::Sub(hn::Set(d, 1.), tail);
  const VD log = hn::Log(d, hn::IfThenElse(negative, scaled, rest));
  return {hn::IfThenElse(negative, tail, rest), hn::Add(log, hn::IfThenElseZero(negative, exponent))};
}

// The quantile of u Phi(z), u in (0,1], in a tail of any depth.
HWY_INLINE VD truncated_quantile(LogCdf phi, VD u) {
  const DD d;
  const VD one = hn::Set(d, 1.);
  const VD p = hn::Mul(phi.value, u);
  const auto upper = hn::Gt(p, hn::Set(d, .5));
  const VD rest = hn::Max(hn::Sub(one, p), hn::Set(d, 1e-17));
  const VD small = hn::IfThenElse(upper, rest, p);  // at most 1/2: mirrored where p is not
  const VD log = hn::Add(hn::Log(d, hn::IfThenElse(upper, rest, u)), hn::IfThenZeroElse(upper, phi.log));
  const VD w = hn::Max(hn::Zero(d), hn::Neg(hn::Add(hn::Add(log, hn::Set(d, 1.3862943611198906)),
                                                    hn::Log(d, hn::Sub(one, small)))));
  const VD root = hn::Sqrt(hn::Max(w, one));
  const VD far = hn::Mul(root, polynomial(d, hn::Div(one, root), tails));
  const VD scale = hn::IfThenElse(hn::Gt(w, hn::Set(d, middle_end)), far, polynomial(d, w, middle));
  VD a = hn::Max(hn::Zero(d), hn::Mul(hn::NegMulAdd(hn::Set(d, 2.), small, one), scale));  // y = -a
  const VD scaled = scaled_tail(a);
  const VD excess = hn::Sub(hn::NegMulAdd(hn::Mul(a, a), hn::Set(d, .5), hn::Log(d, scaled)), log);
  a = hn::MulAdd(hn::Mul(excess, scaled), hn::Set(d, 2.5066282746310002), a);  // one Newton step of log Phi
  return hn::IfThenElse(upper, a, hn::Neg(a));
}

}  // namespace leeway::average_case::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEEWAY_AVERAGE_CASE_NORMAL_INL_H_
