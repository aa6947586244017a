// Share of M noisy copies of the input that keep the prediction (Han et al. 2024, section 3.1), with the
// Clopper-Pearson interval. With a width w, draws double from 128 until a row's interval is no wider; the
// interval ignores this stopping rule.
#include <algorithm>

#include "leeway/average_case/detail/evidence.h"
#include "leeway/core/rows.h"
#include "leeway/core/statistics.h"

namespace leeway::average_case {
namespace {

void run(Evidence& evidence, std::size_t sigma, Column& column) {
  const double start = now();
  const AverageCaseOptions& options = evidence.options();
  std::vector<Kept> counts(evidence.n());
  std::vector<Interval> intervals(evidence.n());
  std::vector<std::size_t> open = all_rows(evidence.n());
  Spent spent;
  std::size_t done = 0;
  while (!open.empty() && done < options.draws) {
    const std::size_t wanted = options.width > 0 ? std::max(done, first_draws) : options.draws;
    const std::size_t more = std::min(wanted, options.draws - done);
    evidence.count_kept(sigma, open, done, more, counts, spent);
    done += more;
    for (const std::size_t i : open)
      intervals[i] = clopper_pearson(counts[i].kept, counts[i].draws, options.level);
    std::erase_if(open, [&](std::size_t i) {
      return options.width > 0 && intervals[i].high - intervals[i].low <= options.width;
    });
  }
  for (std::size_t i = 0; i < evidence.n(); ++i) {
    column.p.push_back(static_cast<double>(counts[i].kept) / static_cast<double>(counts[i].draws));
    column.low.push_back(intervals[i].low), column.high.push_back(intervals[i].high);
    column.draws.push_back(counts[i].draws);
  }
  spent.seconds = now() - start;
  add_to(column, spent, evidence.pass_cost());
}

}  // namespace

Estimator monte_carlo() {
  return {
      {"mc", "Monte Carlo: share of noisy copies that keep the prediction", "Han et al. 2024, section 3.1"},
      /*probability=*/true,
      /*gradients=*/false,
      /*model=*/true,
      run};
}

}  // namespace leeway::average_case
