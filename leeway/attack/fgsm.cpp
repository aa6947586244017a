#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// PGD with one step of length eps from the clean row.
Attacked run_fgsm(const Problem& problem, const AttackOptions& options) {
  AttackOptions one = options;
  one.parameters = {{"steps", 1}, {"relative-step", 1}, {"random-start", 0}, {"restarts", 1}};
  return attack_named("pgd").run(problem, one);
}

}  // namespace

AttackMember fgsm() {
  return {{{"fgsm", "one gradient step of norm eps", "Goodfellow et al., ICLR 2015"},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2}},
          /*gradients=*/true,
          run_fgsm};
}

}  // namespace leeway::attack
