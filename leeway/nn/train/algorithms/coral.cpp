#include "leeway/nn/train/matching.h"

namespace leeway::nn {

// Correlation alignment: mean_e CE_e + weight mean over pairs of environments of |m_i - m_j|^2 / d + |C_i - C_j|^2 / d^2, m and C the mean
// and the covariance of the d features. Deep CORAL (Sun and Saenko, 2016) has |C_i - C_j|^2 / (4 d^2) alone.
AlgorithmMember coral() {
  return {{"coral",
           "features with the same mean and covariance in every environment",
           "Sun and Saenko, ECCV workshops 2016; between environments and with means as in Gulrajani and "
           "Lopez-Paz, ICLR 2021",
           {matching_weight(),
            {"deep-coral", 0, 0, 1, "1: as in Sun and Saenko: only covariances, divided by 4 d^2", true}}},
          matching_needs,
          [](const AlgorithmSetting& setting) -> std::unique_ptr<Algorithm> {
            const bool deep = setting.parameters.at("deep-coral") != 0;
            return std::make_unique<Matching>(setting, deep ? deep_coral_distance : coral_distance);
          }};
}

}  // namespace leeway::nn
