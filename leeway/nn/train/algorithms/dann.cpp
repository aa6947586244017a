#include "leeway/nn/train/domain_adversarial.h"

namespace leeway::nn {
namespace {

// Domain-adversarial neural networks (Ganin et al., JMLR 2016, section 4): the discriminator sees the features, T = z.
class Dann : public DomainAdversarial {
 public:
  explicit Dann(const AlgorithmSetting& setting) : DomainAdversarial(setting, setting.features) {}

 protected:
  [[nodiscard]] torch::Tensor shown(const Forward& both) const override { return both.features; }
};

}  // namespace

AlgorithmMember dann() {
  return {
      {"dann", "domain-adversarial training: features that do not separate source from target",
       "Ganin et al., JMLR 2016, section 4; the discriminator and rates as Garg et al., ICML 2023 (RLSbench)",
       adversarial_parameters()},
      adversarial_needs,
      make_algorithm<Dann>};
}

}  // namespace leeway::nn
