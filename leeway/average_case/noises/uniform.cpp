// e_j = sigma sqrt(3) (2 u_j - 1), u uniform on (0, 1): coordinate by coordinate, variance sigma^2.
#include "leeway/average_case/detail/noise_kernel.h"
#include "leeway/average_case/noise.h"

namespace leeway::average_case {

NoiseKind uniform() {
  return {{"uniform", "uniform, independent coordinates with variance sigma^2", ""},
          /*covariance=*/false,
          fill_uniform};
}

}  // namespace leeway::average_case
