// How many noisy copies are enough: the p of Monte Carlo and of MMSE as their numbers of copies grow, against the p of
// the largest number.
//
// Draws are the first of a fixed sequence (noise is keyed by the number of the draw; MMSE centres as many as it uses), so
// every point is what the method would have given with so many. Errors: those of average_case. Cost: some 1.5 times that
// of the largest numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "leeway/average_case/average_case.h"

namespace leeway::average_case {

struct ConvergencePoint {
  std::string method;  // "mc", "mmse"
  double sigma = 0;
  std::size_t copies = 0;                   // M or N
  double mean_change = 0, most_change = 0;  // |p - p of the largest number| over samples
};

// Rows [0, n). `draws` and `copies` ascending; either may be empty.
[[nodiscard]] std::vector<ConvergencePoint> convergence(const Classifier& classifier, const Noise& noise,
                                                        const InputRow& input, std::size_t n,
                                                        const AverageCaseOptions& options,
                                                        std::span<const std::size_t> draws,
                                                        std::span<const std::size_t> copies);

}  // namespace leeway::average_case
