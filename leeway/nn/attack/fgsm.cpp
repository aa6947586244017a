#include "leeway/nn/attack/attack.h"

namespace leeway::nn {
namespace {

// PGD with one step of length eps from the clean image.
Attacked run_fgsm(const Problem& problem, double eps, const AttackOptions& options) {
  AttackOptions one = options;
  one.parameters = {{"steps", 1}, {"relative-step", 1}, {"random-start", 0}, {"restarts", 1}};
  return std::get<FixedBudget>(attack("pgd").method).worst(problem, eps, one);
}

}  // namespace

AttackMember fgsm() {
  return {{"fgsm", "one gradient step of length eps", "Goodfellow et al., ICLR 2015"},
          {Norm::linf, Norm::l2},
          Loss::difference,
          true,
          FixedBudget{run_fgsm}};
}

}  // namespace leeway::nn
