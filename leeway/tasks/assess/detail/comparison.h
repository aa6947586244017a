// Proportions, and differences between two of them.
//
// A share k/n carries the interval of Clopper and Pearson. The difference of two shares carries
// - on the same samples: the adjusted Wald interval of Bonett and Price (J. Educ. Behav. Stat. 37, 2012),
// recommended by
//   Fagerland, Lydersen and Laake (Stat. Med. 33, 2014): with b, c the samples right in only one of the two,
//   p = (b+1)/(n+2), q = (c+1)/(n+2): (c-b)/n from q - p -+ z sqrt((p + q - (q-p)^2)/(n+2)), cut to [-1,1];
// - on different samples: the square-and-add interval of two Wilson intervals (Newcombe, Stat. Med. 17, 1998,
// method 10). A difference is clear where its interval leaves out 0; sentences claim no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leeway/core/statistics.h"

namespace leeway::assess {

struct Share {
  std::size_t count = 0, n = 0;  // n > 0
  double value = 0;              // count / n
  Interval interval;
};
[[nodiscard]] Share share(std::size_t count, std::size_t n, double level);

struct Difference {
  double value = 0;  // second minus first, in [-1,1]
  Interval interval;
  [[nodiscard]] bool clearly_lower() const { return interval.high < 0; }
  [[nodiscard]] bool clearly_higher() const { return interval.low > 0; }
  [[nodiscard]] bool clear() const { return clearly_lower() || clearly_higher(); }
};

// `only_first` and `only_second` count the samples of n that succeed in only one of the two.
[[nodiscard]] Difference paired_difference(std::size_t only_first, std::size_t only_second, std::size_t n,
                                           double level);
[[nodiscard]] Difference unpaired_difference(const Share& first, const Share& second, double level);

// From 0/1 outcomes on the same samples.
struct Discordance {
  std::size_t only_first = 0, only_second = 0;
};
[[nodiscard]] Discordance discordance(std::span<const std::uint8_t> first,
                                      std::span<const std::uint8_t> second);

}  // namespace leeway::assess
