#include "leeway/tasks/assess/detail/comparison.h"

#include <algorithm>
#include <cmath>

namespace leeway::assess {

Share share(std::size_t count, std::size_t n, double level) {
  return {count, n, static_cast<double>(count) / static_cast<double>(n), clopper_pearson(count, n, level)};
}

Difference paired_difference(std::size_t only_first, std::size_t only_second, std::size_t n, double level) {
  const double z = normal_quantile(.5 + level / 2), total = static_cast<double>(n) + 2;
  const double p = (static_cast<double>(only_first) + 1) / total,
               q = (static_cast<double>(only_second) + 1) / total;
  const double centre = q - p, half = z * std::sqrt((p + q - centre * centre) / total);
  const double value =
      (static_cast<double>(only_second) - static_cast<double>(only_first)) / static_cast<double>(n);
  return {value, {std::max(-1., centre - half), std::min(1., centre + half)}};
}

Difference unpaired_difference(const Share& first, const Share& second, double level) {
  const Interval a = wilson(first.count, first.n, level), b = wilson(second.count, second.n, level);
  const double value = second.value - first.value;
  return {value,
          {value - std::hypot(second.value - b.low, a.high - first.value),
           value + std::hypot(b.high - second.value, first.value - a.low)}};
}

Discordance discordance(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
  Discordance result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    result.only_first += first[i] && !second[i];
    result.only_second += !first[i] && second[i];
  }
  return result;
}

}  // namespace leeway::assess
