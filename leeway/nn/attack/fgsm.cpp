#include "leeway/nn/attack/attack.h"

namespace leeway::nn {
namespace {

// PGD with one step of length eps from the clean image.
Attacked run_fgsm(const Problem& problem, const AttackOptions& options) {
  AttackOptions one = options;
  one.steps = 1;
  one.relative_step = 1;
  one.random_start = false;
  return attack("pgd").run(problem, one);
}

}  // namespace

AttackMember fgsm() {
  return {"fgsm", "one gradient step of length eps", "Goodfellow et al., ICLR 2015", true, run_fgsm};
}

}  // namespace leeway::nn
