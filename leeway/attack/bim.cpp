#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// PGD from the clean row, x <- project(x + alpha d), with alpha = eps / steps by default. The gradient of
// the loss `margin` is a positive multiple of the gradient of the paper's cross-entropy. The paper's l_inf
// attack at eps = 8/255 has alpha = 1/255 (relative-step .125) and min(8 + 4, 1.25 * 8) = 10 steps.
//
// Deviations: the best point is kept, not the last; alpha depends on eps; l_2 besides l_inf.
Attacked run_bim(const Problem& problem, const AttackOptions& options) {
  const double steps = options.parameters.at("steps"), relative = options.parameters.at("relative-step");
  AttackOptions clean_start = options;
  clean_start.parameters = {{"steps", steps},
                            {"relative-step", relative > 0 ? relative : 1 / steps},
                            {"random-start", 0},
                            {"restarts", 1}};
  return attack_named("pgd").run(problem, clean_start);
}

}  // namespace

AttackMember bim() {
  return {{{"bim",
            "basic iterative method: small gradient steps from the image; the best point is kept",
            "Kurakin et al., Adversarial examples in the physical world, ICLR workshop 2017",
            {{"steps", 10, 1, 1e6, "gradient steps", true},
             {"relative-step", 0, 0, 1e6, "step size / eps; 0: 1 / steps"}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2},
           Loss::margin},
          /*gradients=*/true,
          run_bim};
}

}  // namespace leeway::attack
