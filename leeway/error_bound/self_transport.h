// What COT's constraint on the class shares costs where nothing moved: rows drawn from the source, as many as the
// target has, to label shares as uncertain as those of the source. A finite sample never has the class shares of
// another one, so that the excess is positive; with 100 classes and 1,000 rows it is about .1.
//
//   excess = cost(n_T rows of the source -> max(0, m + mean of p over n_S rows - mean of p)) - (1 - mean confidence
//   of the n_T rows)
// over 16 to 400 draws with replacement, m the source's label shares, p its softmax. What labels vary by given the
// rows is in m already, so that drawing labels anew would count it twice.
// Beyond 2e6 / k rows (2,000 at least), either set is represented by so many, and what noise adds is scaled by the
// root of the sizes. Cost: 16 transports (transport.h), or more of few values. Deterministic for any number of threads.
#pragma once

#include <cstddef>

#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct SelfTransport {
  double excess = 0, deviation = 0;  // mean and standard deviation over draws
};

[[nodiscard]] SelfTransport self_transport(const Sample& source, double inverse_temperature,
                                           std::size_t target_rows);

}  // namespace leeway::error_bound
