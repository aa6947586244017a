#include "leeway/nn/train/matching.h"

namespace leeway::nn {
namespace {

// mean_e CE_e + w mean over pairs of environments of MMD^2(Z_i, Z_j), the biased estimate with a sum of seven Gaussian kernels.
class Mmd : public Matching {
 public:
  explicit Mmd(const AlgorithmSetting& setting) : Matching(setting, mmd_distance) {}
};

}  // namespace

AlgorithmMember mmd() {
  return {{"mmd",
           "features with the same distribution in every environment (maximum mean discrepancy)",
           "Li et al., CVPR 2018; without their autoencoder and adversary, with the kernels of Gulrajani and "
           "Lopez-Paz, ICLR 2021",
           {matching_weight()}},
          matching_needs,
          make_algorithm<Mmd>};
}

}  // namespace leeway::nn
