// e = sigma L z, z standard normal, L L' = C; C = I where no covariance is given.
#include "leeway/average_case/detail/noise_kernel.h"
#include "leeway/average_case/noise.h"

namespace leeway::average_case {

NoiseKind gaussian() {
  return {{"gaussian", "normal, independent coordinates or a given covariance", ""},
          /*covariance=*/true,
          fill_normal};
}

}  // namespace leeway::average_case
