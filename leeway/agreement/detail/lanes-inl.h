// Vectors of float64 and loads of rows. Included after highway.h, once per instruction set.
#if defined(LEEWAY_AGREEMENT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEEWAY_AGREEMENT_LANES_INL_H_
#undef LEEWAY_AGREEMENT_LANES_INL_H_
#else
#define LEEWAY_AGREEMENT_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

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

// Prefetches what will be read `ahead` values from now; halves the time for uncached data, whose loads the
// processor cannot predict (gathers, or thirty instructions between loads). Any address is allowed.
template <class T>
HWY_INLINE void prefetch(const T* now, std::size_t ahead) {
  const auto address = reinterpret_cast<std::uintptr_t>(now) + ahead * sizeof(T);
  __builtin_prefetch(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace leeway::agreement::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEEWAY_AGREEMENT_LANES_INL_H_
