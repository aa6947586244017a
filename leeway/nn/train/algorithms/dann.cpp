#include "leeway/nn/train/domain_adversarial.h"

namespace leeway::nn {

// Domain-adversarial neural networks (Ganin et al., JMLR 2016, section 4): the discriminator sees the features, T = z.
AlgorithmMember dann() {
  return {{"dann", "domain-adversarial training: features that do not separate source from target",
           "Ganin et al., JMLR 2016, section 4; the discriminator and rates as in Garg et al., ICML 2023 "
           "(RLSbench)",
           adversarial_parameters()},
          adversarial_needs,
          [](const AlgorithmSetting& setting) -> std::unique_ptr<Algorithm> {
            return std::make_unique<DomainAdversarial>(setting, setting.features);
          }};
}

}  // namespace leeway::nn
