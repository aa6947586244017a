// Is one model better than another on the same samples? A paired bootstrap and McNemar's exact test.
#include <fmt/core.h>

#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/statistics.h"

int main() {
  // Right (1) or wrong (0) on 400 samples: the second model repairs some of the first one's mistakes, and
  // adds a few.
  constexpr int n = 400;
  std::vector<int> first(n), second(n);
  int repaired = 0, broken = 0, first_right = 0, second_right = 0;
  for (int i = 0; i < n; ++i) {
    leeway::Random random(1, leeway::stream("example"), i);  // a draw depends on the row alone
    first[i] = random.uniform() < .80;
    second[i] = random.uniform() < (first[i] ? .96 : .40);
    repaired += !first[i] && second[i];
    broken += first[i] && !second[i];
    first_right += first[i] == 1;
    second_right += second[i] == 1;
  }
  const auto gain = [&](std::span<const std::size_t> rows) {
    int sum = 0;
    for (const std::size_t row : rows) sum += second[row] - first[row];
    return sum / static_cast<double>(rows.size());
  };
  const auto show = [](const char* what, int right) {
    const auto interval = leeway::clopper_pearson(right, n);
    fmt::print("{:<7}{:.3f}  ({:.3f} to {:.3f})\n", what, right / double{n}, interval.low, interval.high);
  };
  show("first", first_right);
  show("second", second_right);
  const auto interval = leeway::bootstrap(n, gain, {.replicates = 2000});
  fmt::print("gain   {:.3f}  ({:.3f} to {:.3f})\n", (second_right - first_right) / double{n}, interval.low,
             interval.high);
  fmt::print("repaired {}, broken {}: p = {:.2g}\n", repaired, broken, leeway::mcnemar_p(repaired, broken));
}
