// What COT's constraint on the class shares costs where nothing moved. A finite sample never has the class shares of
// another one, so this excess over confidence is positive: about .1 for 1,000 rows of 100 classes.
//
//   excess = cost(n_T rows of the source -> max(0, m + mean of p over n_S rows - mean of p)) - (1 - mean confidence
//   of the n_T rows)
// over 6 to 400 draws of both sets of rows with replacement; m are the source's label shares, p its softmax, and masses
// are rounded to whole rows. Given the rows, m varies already, so that labels are not drawn anew. Draws understate the
// excess where classes have few rows or none; a factor corrects that (self_transport.cpp).
// A set of more than 1e5 / k rows (from 500 to 20,000) is represented by a part of it, and noise is scaled by the root
// of the sizes.
// Shapes: source (n_S,k), labeled. Errors: none; the sample is checked (sample.h). Cost: 6 transports (transport.h) of
// these rows, more if they are few. Deterministic for any number of threads.
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
