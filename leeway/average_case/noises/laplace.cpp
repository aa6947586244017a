// e_j = +-sigma sqrt(1/2) log(1/u_j), u uniform on (0, 1): coordinate by coordinate, variance sigma^2.
#include "leeway/average_case/detail/noise_kernel.h"
#include "leeway/average_case/noise.h"

namespace leeway::average_case {

NoiseKind laplace() {
  return {{"laplace", "Laplace, independent coordinates with variance sigma^2", ""},
          /*covariance=*/false,
          fill_laplace};
}

}  // namespace leeway::average_case
