// Adversarial-ratio gap: how much more of the data one model can have shifted before it agrees as little as another.
//
// For models + and - and a level of PA, AR+ and AR- are the ratios at which their sweeps (ratios.h) fall to that level,
// and the gap is AR+ - AR- (Jiménez Rodríguez 2024, section 4.2). Sweeps are linear between their ratios. PA need not fall all
// the way: where a sweep meets a level more than once, the smallest such ratio counts, and of a flat piece at the
// level its beginning. A level that the sweep does not reach, or that lies above its first point, has no ratio.
//
// Which model is +: the one with the higher PA at the largest ratio that both sweeps hold (the first, if equal).
// The levels are the PA of + at its own ratios. PA is compared in nats: both models need the same k.
//
// Ratios may come in any order. Levels within 1e-9 of a sweep's first point, the accuracy of PA, are on it. Errors
// (Error): no ratio in common. Cost: m'm'' for sweeps of m' and m'' ratios.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "leeway/agreement/ratios.h"

namespace leeway::agreement {

struct ArGapPoint {
  double pa = 0, ratio_plus = 0;
  std::optional<double> ratio_minus, gap;  // none: - does not reach this PA within its sweep
};

struct ArGap {
  bool first_is_plus = true;
  std::vector<ArGapPoint> points;  // by ratio_plus, rising
};

[[nodiscard]] ArGap ar_gap(std::span<const RatioPoint> first, std::span<const RatioPoint> second);

}  // namespace leeway::agreement
