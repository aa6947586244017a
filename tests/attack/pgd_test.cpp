#include <gmock/gmock.h>

#include "tests/attack/toy_classifiers.h"

namespace leeway::attack::pgd_test {

// Away from the box, the worst case moves the difference of two logits by eps times the dual norm of its gradient.
TEST(Pgd, ReachesTheClosedFormOfLinearModels) {
  const toy::Linear model = toy::random_linear(12, 2, 3);
  const std::vector<float> x = toy::random_rows(30, 12, 4);
  const Classifier classifier = model.classifier();
  for (const Norm norm : {Norm::linf, Norm::l2}) {
    const Target target{.classifier = classifier, .x = x, .box = anywhere};
    const AttackResult found =
        run(target,
            {.attack = "pgd", .norm = norm, .eps = .2, .parameters = {{"steps", 60}, {"relative-step", 1}}});
    for (std::size_t i = 0; i < 30; ++i) {
      const double far = toy::distance_to_plane(model, Row(x).subspan(i * 12, 12), norm);
      EXPECT_EQ(found.success[i] != 0, far < .2) << i << " " << far;
      const Row moved = Row(found.x).subspan(i * 12, 12);
      const double beyond = toy::distance_to_plane(model, moved, norm);
      EXPECT_NEAR(beyond, std::abs(far - .2), 1e-5) << i;
    }
  }
}

TEST(Fmn, FindsTheDistanceToThePlane) {
  const toy::Linear model = toy::random_linear(12, 2, 3);
  const std::vector<float> x = toy::random_rows(30, 12, 4);
  const Classifier classifier = model.classifier();
  for (const Norm norm : {Norm::linf, Norm::l2, Norm::l1}) {
    const Target target{.classifier = classifier, .x = x, .box = anywhere};
    const AttackResult found = run(target, {.attack = "fmn", .norm = norm});
    for (std::size_t i = 0; i < 30; ++i) {
      const double far = toy::distance_to_plane(model, Row(x).subspan(i * 12, 12), norm);
      EXPECT_NEAR(found.norms[i] / far, 1, 2e-3) << i << name_of(norm);
    }
  }
}

}  // namespace leeway::attack::pgd_test
