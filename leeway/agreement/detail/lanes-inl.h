// Vectors of float64 and how rows get into them, once for each instruction set: a file that is compiled for
// several includes this between highway.h and its own code.
#if defined(LEEWAY_AGREEMENT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEEWAY_AGREEMENT_LANES_INL_H_
#undef LEEWAY_AGREEMENT_LANES_INL_H_
#else
#define LEEWAY_AGREEMENT_LANES_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leeway::agreement::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

HWY_INLINE V load_classes(const double* row, std::size_t j) { return hn::LoadU(D(), row + j); }

HWY_INLINE V load_classes(const float* row, std::size_t j) {
  return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), row + j));
}

HWY_INLINE double sum_lanes(V v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }

}  // namespace leeway::agreement::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEEWAY_AGREEMENT_LANES_INL_H_
