#include "leeway/tasks/assess/detail/comparison.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/statistics.h"

namespace leeway::assess {

Measured share(std::size_t count, std::size_t n, double level) {
  return measured(static_cast<double>(count) / static_cast<double>(n), clopper_pearson(count, n, level));
}

Measured share_of_equal(std::span<const std::int32_t> a, std::span<const std::int32_t> b, double level) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return share(equal, a.size(), level);
}

bool clearly_lower(const Measured& difference) { return difference.high.value_or(0) < 0; }
bool clearly_higher(const Measured& difference) { return difference.low.value_or(0) > 0; }
bool clear(const Measured& difference) { return clearly_lower(difference) || clearly_higher(difference); }

Measured paired_difference(std::size_t only_first, std::size_t only_second, std::size_t n, double level) {
  const double z = normal_quantile(.5 + level / 2), total = static_cast<double>(n) + 2;
  const double p = (static_cast<double>(only_first) + 1) / total,
               q = (static_cast<double>(only_second) + 1) / total;
  const double centre = q - p, half = z * std::sqrt((p + q - centre * centre) / total);
  const double value =
      (static_cast<double>(only_second) - static_cast<double>(only_first)) / static_cast<double>(n);
  return {value, std::max(-1., centre - half), std::min(1., centre + half)};
}

Measured unpaired_difference(std::size_t first, std::size_t first_n, std::size_t second, std::size_t second_n,
                             double level) {
  const Interval a = wilson(first, first_n, level), b = wilson(second, second_n, level);
  const double before = static_cast<double>(first) / static_cast<double>(first_n),
               after = static_cast<double>(second) / static_cast<double>(second_n), value = after - before;
  return {value, value - std::hypot(after - b.low, a.high - before),
          value + std::hypot(b.high - after, before - a.low)};
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
