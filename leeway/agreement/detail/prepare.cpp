#include "leeway/agreement/detail/prepare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "leeway/core/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "leeway/agreement/detail/prepare.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once for each instruction set:
#include <hwy/highway.h>

#include "leeway/agreement/detail/lanes-inl.h"
#include "leeway/core/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace leeway::agreement::HWY_NAMESPACE {

HWY_INLINE V load_strided(const double* source, std::size_t stride) {
  const D d;
  const hn::RebindToSigned<D> di;
  return hn::GatherIndex(d, source, hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int64_t>(stride))));
}

HWY_INLINE V load_strided(const float* source, std::size_t stride) {
  const hn::Rebind<float, D> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto index = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(stride)));
  return hn::PromoteTo(D(), hn::GatherIndex(df, source, index));
}

constexpr std::size_t lead = 512;  // values that logits are asked for ahead

HWY_INLINE void store_lanes(V values, float* to) {
  const hn::Rebind<float, D> df;
  hn::Store(hn::DemoteTo(df, values), df, to);
}

// Sums and maxima over rows, lane by lane.
class FactSums {
 public:
  FactSums() {
    const D d;
    for (V& sum : sums_) sum = hn::Zero(d);
    largest_ = hn::Zero(d);
  }

  struct Row {
    V gap, x_sum, spread_sum, spread, same, right;
  };

  // Counts the lanes below `valid`.
  HWY_INLINE void add(const Row& row, std::size_t valid) {
    const D d;
    const auto counted = hn::FirstN(d, valid);
    const V one = hn::Set(d, 1.0);
    const V values[] = {row.gap,  row.x_sum, row.spread_sum,
                        row.same, row.right, hn::IfThenElseZero(hn::Gt(row.gap, hn::Zero(d)), one)};
    for (int i = 0; i < 6; ++i) sums_[i] = hn::Add(sums_[i], hn::IfThenElseZero(counted, values[i]));
    largest_ = hn::Max(largest_, hn::IfThenElseZero(counted, row.spread));
  }

  [[nodiscard]] Facts total() const {
    const auto number = [&](int i) { return static_cast<std::size_t>(sum_lanes(sums_[i])); };
    Facts facts;
    facts.gap_sum = sum_lanes(sums_[0]), facts.x_sum = sum_lanes(sums_[1]);
    facts.spread_sum = sum_lanes(sums_[2]);
    facts.same_prediction = number(3), facts.right = number(4), facts.disagreeing = number(5);
    facts.spread = hn::GetLane(hn::MaxOfLanes(D(), largest_));
    return facts;
  }

 private:
  V sums_[6], largest_;
};

// Converts one vector of rows from logits to x and collects their facts in two passes over the classes: the
// maxima; then everything relative to them, backwards so that ties end at the lowest class. `bad` marks
// values that are not finite or exceed logit_limit.
template <class T>
HWY_INLINE FactSums::Row prepare_lanes(const PrepareTiles<T>& job, std::size_t row, double* clean,
                                       double* shifted, V& bad) {
  const D d;
  const std::size_t k = job.k;
  V max1 = hn::Set(d, -2 * logit_limit), max2 = max1;
  for (std::size_t j = 0; j < k; ++j) {
    prefetch(job.clean + row * k, lead + j * hn::Lanes(d));
    prefetch(job.shifted + row * k, lead + j * hn::Lanes(d));
    const V f1 = load_strided(job.clean + row * k + j, k), f2 = load_strided(job.shifted + row * k + j, k);
    hn::Store(f1, d, clean + j * tile_rows);
    hn::Store(f2, d, shifted + j * tile_rows);
    if (job.raw != nullptr) {
      float* const raw = job.raw + row / tile_rows * 2 * k * tile_rows + j * tile_rows + row % tile_rows;
      store_lanes(f1, raw);
      store_lanes(f2, raw + k * tile_rows);
    }
    max1 = hn::Max(max1, f1), max2 = hn::Max(max2, f2);
  }
  const V zero = hn::Zero(d);
  V min1 = zero, min2 = zero, min12 = zero, sum = zero, arg1 = zero, arg2 = zero;
  V max12 = hn::Set(d, -4 * logit_limit);
  for (std::size_t j = k; j-- > 0;) {
    const V x1 = hn::Sub(hn::Load(d, clean + j * tile_rows), max1);
    const V x2 = hn::Sub(hn::Load(d, shifted + j * tile_rows), max2);
    hn::Store(x1, d, clean + j * tile_rows);
    hn::Store(x2, d, shifted + j * tile_rows);
    const V x12 = hn::Add(x1, x2), index = hn::Set(d, static_cast<double>(j));
    min1 = hn::Min(min1, x1), min2 = hn::Min(min2, x2), min12 = hn::Min(min12, x12);
    max12 = hn::Max(max12, x12);
    arg1 = hn::IfThenElse(hn::Eq(x1, zero), index, arg1);
    arg2 = hn::IfThenElse(hn::Eq(x2, zero), index, arg2);
    sum = hn::Add(sum, x12);
  }
  if (job.raw != nullptr) {
    const std::size_t at = row / tile_rows * 2 * tile_rows + row % tile_rows;
    store_lanes(max1, job.maxima + at);
    store_lanes(max2, job.maxima + at + tile_rows);
  }
  // A NaN or an infinity makes the sum one; x - x is 0 for every finite x.
  const V limit = hn::Set(d, logit_limit);
  const V largest = hn::Max(hn::Max(hn::Abs(max1), hn::Abs(max2)), hn::Neg(hn::Min(min1, min2)));
  bad = hn::Add(bad, hn::Add(hn::Sub(sum, sum), hn::IfThenElseZero(hn::Ge(largest, limit), limit)));
  const V spread = hn::Max(hn::Sub(max12, min12), hn::Neg(hn::Min(min1, min2)));
  const V one = hn::Set(d, 1.0);
  V right = zero;
  if (job.labels != nullptr) {
    const V label = hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<D>(), job.labels + row));
    right = hn::IfThenElseZero(hn::Eq(label, arg2), one);
  }
  return {
      hn::Neg(max12), sum, hn::Neg(hn::Add(min1, min2)), spread, hn::IfThenElseZero(hn::Eq(arg1, arg2), one),
      right};
}

template <class T>
Prepared prepare(const PrepareTiles<T>& job) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t block = 2 * job.k * tile_rows;
  // Rounding to float32 must not decrease a spread; beyond float32's range it exceeds every band's edge.
  const V up = hn::Set(d, 1 + 1e-6);
  const V least = hn::Set(d, least_float_spread), most = hn::Set(d, most_float_spread);
  FactSums total;
  V bad = hn::Zero(d);
  for (std::size_t row = 0; row < job.rows; row += lanes) {
    const std::size_t lane = row % tile_rows;
    double* clean = (job.raw != nullptr ? job.tiles : job.tiles + row / tile_rows * block) + lane;
    double* shifted = clean + job.k * tile_rows;
    const FactSums::Row facts = prepare_lanes(job, row, clean, shifted, bad);
    store_lanes(hn::Min(hn::Max(hn::Mul(facts.spread, up), least), most), job.spreads + row);
    total.add(facts, std::min(lanes, job.rows - row));
  }
  return {total.total(), sum_lanes(bad) != 0};
}

template <class T>
PreparedRow prepare_classes(const T* clean, const T* shifted, const std::int64_t* label, std::size_t k) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V max1 = hn::Set(d, -2 * logit_limit), max2 = max1, min1 = hn::Neg(max1), min2 = min1, sum1 = hn::Zero(d),
    sum2 = sum1;
  const auto take = [&](V f1, V f2) HWY_ATTR {
    max1 = hn::Max(max1, f1), max2 = hn::Max(max2, f2);
    min1 = hn::Min(min1, f1), min2 = hn::Min(min2, f2);
  };
  std::size_t j = 0;
  for (; j + lanes <= k; j += lanes) {
    const V f1 = load_classes(clean, j), f2 = load_classes(shifted, j);
    take(f1, f2);
    sum1 = hn::Add(sum1, f1), sum2 = hn::Add(sum2, f2);
  }
  double sum = sum_lanes(sum1) + sum_lanes(sum2);
  for (std::size_t c = j; c < k; ++c) sum += static_cast<double>(clean[c]) + static_cast<double>(shifted[c]);
  if (j < k) take(load_classes(clean, k - lanes), load_classes(shifted, k - lanes));
  const auto low = [&](V v) HWY_ATTR { return hn::GetLane(hn::MinOfLanes(d, v)); };
  const auto high = [&](V v) HWY_ATTR { return hn::GetLane(hn::MaxOfLanes(d, v)); };
  const double top1 = high(max1), top2 = high(max2), bottom1 = low(min1), bottom2 = low(min2);
  const double largest = std::max({std::abs(top1), std::abs(top2), std::abs(bottom1), std::abs(bottom2)});
  PreparedRow result;
  result.row.refused = !std::isfinite(sum) || !(largest < logit_limit);
  if (result.row.refused) return result;
  // x = F - max as an evaluation rounds it: a shared top class gives exactly 0.
  V top12 = hn::Set(d, -4 * logit_limit), bottom12 = hn::Zero(d);
  const V m1 = hn::Set(d, top1), m2 = hn::Set(d, top2);
  for (std::size_t c = 0; c < k; c += lanes) {
    const std::size_t at = std::min(c, k - lanes);
    const V x12 = hn::Add(hn::Sub(load_classes(clean, at), m1), hn::Sub(load_classes(shifted, at), m2));
    top12 = hn::Max(top12, x12), bottom12 = hn::Min(bottom12, x12);
  }
  const auto first_of = [k](const T* row, double value) {
    std::size_t c = 0;
    while (c + 1 < k && static_cast<double>(row[c]) != value) ++c;
    return c;
  };
  const std::size_t prediction = first_of(shifted, top2);
  Facts& facts = result.row.facts;
  facts.gap_sum = -high(top12);
  facts.disagreeing = facts.gap_sum > 0;
  facts.same_prediction = first_of(clean, top1) == prediction;
  facts.right = label != nullptr && static_cast<std::size_t>(*label) == prediction;
  facts.x_sum = sum - static_cast<double>(k) * (top1 + top2);
  facts.spread_sum = top1 - bottom1 + top2 - bottom2;
  facts.spread = std::max({top1 - bottom1, top2 - bottom2, high(top12) - low(bottom12)});
  result.max_clean = top1, result.max_shifted = top2;
  return result;
}

}  // namespace leeway::agreement::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leeway::agreement {

Facts& Facts::operator+=(const Facts& other) {
  disagreeing += other.disagreeing;
  same_prediction += other.same_prediction;
  right += other.right;
  gap_sum += other.gap_sum;
  x_sum += other.x_sum;
  spread_sum += other.spread_sum;
  spread = std::max(spread, other.spread);
  return *this;
}

Prepared prepare_tiles(const PrepareTiles<float>& job) { return LEEWAY_BEST(prepare<float>)(job); }
Prepared prepare_tiles(const PrepareTiles<double>& job) { return LEEWAY_BEST(prepare<double>)(job); }
PreparedRow prepare_row(const float* clean, const float* shifted, const std::int64_t* label, std::size_t k) {
  return LEEWAY_BEST(prepare_classes<float>)(clean, shifted, label, k);
}
PreparedRow prepare_row(const double* clean, const double* shifted, const std::int64_t* label,
                        std::size_t k) {
  return LEEWAY_BEST(prepare_classes<double>)(clean, shifted, label, k);
}

}  // namespace leeway::agreement
#endif
