// Posterior agreement (PA) of bootstrap resamples. Internal.
//
// Resample b holds row i w_i times, drawn by Random(seed, stream("bootstrap"), b) as in bootstrap()
// (statistics.h). Its PA is log k + max over beta of A_b, A_b(beta) = (1/n) sum_i w_i a_i(beta). The a_i are
// shared by all resamples and computed once, at nodes beta = 2^(j/6). Between nodes A_b is interpolated in
// log beta by a polynomial of degree 8 through nine nodes and maximized next to every node that is a local
// maximum; beta = 0 and infinity are exact. A scan of the octaves of the full-data search places the nodes;
// more are added until no resample is highest near an end.
// Accuracy: not certified; within 2e-6 of the certified maximum in the tests, far below the interval's width.
// Cost: 40 to 60 passes of values over the rows and one multiplication per row, node and resample (a search
// per resample takes ten passes). Memory: 2 bytes per row and resample, at most 128 MB at a time.
// Deterministic for any number of threads.
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
