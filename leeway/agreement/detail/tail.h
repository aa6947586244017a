// An upper bound of the agreement beyond some beta, and its limit at infinity.
//
// For every beta >= B
//   a_i(beta) <= min(-log max(m', m''), -B gap_i + log(s + (k-s) exp(-B D_i)) - log(m' m''))
// with gap_i = max F' + max F'' - max(F' + F''), s classes tied at max(F' + F''), D_i the distance from there
// to the next value, m' and m'' classes tied at max F' and max F''. The limit is log(s / (m' m'')) if gap_i =
// 0, else -inf. Ties make this necessary: (1,1,0) twice tends to -log 2 from below without reaching it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/agreement/detail/pairs.h"

namespace leeway::agreement {

class TailBound {
 public:
  explicit TailBound(const Pairs& pairs);  // one pass over the rows; `pairs` must outlive it

  // An upper bound of the mean of a_i on [beta, inf]; falls as beta grows. beta = inf gives limit().
  [[nodiscard]] double operator()(double beta) const;
  [[nodiscard]] double limit() const {
    return limit_;
  }  // of the mean, -inf if any row's top classes do not meet

 private:
  struct Row {
    double gap, distance, ties, log_tops, ceiling;
  };
  [[nodiscard]] Row row_of(std::size_t i, std::span<double> x) const;

  const Pairs* pairs_;
  std::vector<Row> rows_;  // empty where there are too many to keep
  double classes_ = 0, limit_ = 0;
};

}  // namespace leeway::agreement
