// Ratio sweep: posterior agreement as a growing share of the samples is shifted.
//
// At ratio r the round(r n) samples with the smallest perturbation norms are shifted and the others stay
// clean. (Adversarial ratio: Carvalho et al. 2025, section 4.1, and Jiménez Rodríguez 2024, section 4.2;
// shift ratio: Carvalho et al. 2025, section 4.2.) Norms that are equal up to 1e-6 of them, and samples
// without norms, are taken in row order; infinite norms (failed attacks) come last. At ratio 0 the clean set
// is compared with itself: if PA is log k, so are both interval ends.
// Shapes: as posterior_agreement; norms empty or (n), >= 0 or infinite; ratios in [0,1]. Errors (Error):
// those of posterior_agreement, norms of another length, negative or NaN, a ratio outside [0,1]; Interrupted.
// Cost: one agreement per ratio, each with its own beta, and a copy of the shifted set. Deterministic for any
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "leeway/agreement/agreement.h"

namespace leeway::agreement {

struct RatioPoint {
  double ratio = 0;
  std::size_t shifted = 0;  // samples
  Agreement agreement;
};

struct Sweep {
  std::span<const std::int64_t> labels;  // empty or (n)
  std::span<const double> norms;         // empty or (n)
  std::span<const double> ratios;
  Options options = {};
  std::optional<Agreement> whole =
      {};  // posterior_agreement of the two sets with these options, where it is known
  // Is given every point with the set that was compared with the clean one: shifted rows among clean ones.
  std::function<void(const RatioPoint&, const Array& mixed)> visit = {};
};

[[nodiscard]] std::vector<RatioPoint> ratio_sweep(const Array& clean, const Array& shifted,
                                                  const Sweep& sweep);

// Adversarial-ratio gap: how much more shifted data one model tolerates until its PA is as low as another's.
//
// For models + and - and a level of PA, AR+ and AR- are the smallest ratios at which their sweeps, linear
// between ratios, fall to that level; the gap is AR+ - AR- (Jiménez Rodríguez 2024, section 4.2). A level
// that the sweep does not reach, or above its first point (by over 1e-9, the accuracy of PA), has none.
//
// Model + has the higher PA at the largest common ratio (the first, if equal). The levels are the PA of + at
// its ratios, without those above its first point. Both ratios are first crossings, so a sweep has a gap of 0 to
// itself. PA is compared in nats: both models need the same k. Ratios may come in any order.
// Errors (Error): no ratio in common. Cost: m'm'' for sweeps of m' and m'' ratios.
struct ArGapPoint {
  double pa = 0, ratio_plus = 0;
  std::optional<double> ratio_minus, gap;  // none: - does not reach this PA within its sweep
};

struct ArGap {
  bool first_is_plus = true;
  std::vector<ArGapPoint> points;  // by ratio_plus, rising; levels falling
};

[[nodiscard]] ArGap ar_gap(std::span<const RatioPoint> first, std::span<const RatioPoint> second);

}  // namespace leeway::agreement
