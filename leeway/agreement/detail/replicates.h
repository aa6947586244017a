// Posterior agreement (PA) of resamples of the rows. Not part of the library's interface.
//
// Resample b holds row i w_i times, n rows in all, drawn by Random(seed, stream("bootstrap"), b) as bootstrap() draws
// (statistics.h). Its PA is log k + max over beta of A_b, A_b(beta) = (1/n) sum_i w_i a_i(beta). All resamples are sums of the
// same a_i, so these are computed once, at the nodes beta = 2^(j/6). Between nodes A_b is the polynomial of degree 8 in
// log beta through nine of them, whose maximum next to every node that is highest among its neighbours is taken; beta = 0 and
// infinity are exact. A look at every octave of what the search on all rows met says where nodes are wanted; more are added above and
// below until no resample is highest near an end.
//
// Accuracy: not certified; within 2e-6 of the certified maximum of every resample in the tests, far inside the width of an
// interval. Cost: some 40 to 60 passes of values over the rows, and a multiplication for each row, node and resample, where
// a search for each resample takes ten passes. Memory: 2 bytes for each row and resample, 128 MB at most; more resamples
// are made group by group. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "leeway/agreement/detail/maximum.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/core/progress.h"

namespace leeway::agreement {

struct Resampling {
  std::size_t replicates = 0;
  std::uint64_t seed = 0;
  std::string_view phase = "bootstrap";  // of the progress
  Progress* progress = nullptr;          // may stop it (Interrupted)
};

// max over beta of A_b, replicate by replicate. `maximum` belongs to `pairs`, or to nearly the same rows.
[[nodiscard]] std::vector<double> replicate_maxima(const Pairs& pairs, const Maximum& maximum,
                                                   const Resampling& how);

}  // namespace leeway::agreement
