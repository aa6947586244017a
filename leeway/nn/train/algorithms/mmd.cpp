#include "leeway/nn/train/matching.h"

namespace leeway::nn {

// mean_e CE_e + w mean over pairs of environments of MMD^2(Z_i, Z_j), the biased estimate with a sum of seven Gaussian kernels.
AlgorithmMember mmd() {
  return {{"mmd",
           "features with the same distribution in every environment (maximum mean discrepancy)",
           "Li et al., CVPR 2018; without their autoencoder and adversary, with the kernels as in Gulrajani "
           "and Lopez-Paz, ICLR 2021",
           {matching_weight()}},
          matching_needs,
          [](const AlgorithmSetting& setting) -> std::unique_ptr<Algorithm> {
            return std::make_unique<Matching>(setting, mmd_distance);
          }};
}

}  // namespace leeway::nn
