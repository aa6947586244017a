#include "leeway/attack/detail/apgd.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/attack/toy_classifiers.h"

namespace leeway::attack::apgd_test {

constexpr const char* every_attack[] = {"apgd", "apgd-targeted", "fgsm", "bim", "momentum-pgd"};
constexpr Norm both_norms[] = {Norm::linf, Norm::l2};

Row row_of(const std::vector<float>& x, std::size_t i, std::size_t d) { return Row(x).subspan(i * d, d); }

// Away from the box, the worst case changes the difference of two logits by eps times the dual norm of its
// gradient. With target class 1, rows of class 0 need this change, and rows of class 1 succeed at once.
TEST(Apgd, ReachesTheClosedFormOfLinearModels) {
  const std::size_t n = 30, d = 12;
  const toy::Linear model = toy::random_linear(d, 2, 3);
  const std::vector<float> x = toy::random_rows(n, d, 4);
  const Classifier classifier = model.classifier();
  const Target target{.classifier = classifier, .x = x, .box = anywhere};
  for (const char* attack : every_attack)
    for (const Norm norm : both_norms) {
      const AttackResult found = run(target, {.attack = attack, .norm = norm, .eps = .2});
      const AttackResult aimed = run(
          target, {.attack = attack, .norm = norm, .eps = .2, .targets = std::vector<std::int64_t>(n, 1)});
      for (std::size_t i = 0; i < n; ++i) {
        const double far = toy::distance_to_plane(model, row_of(x, i, d), norm);
        const double beyond = toy::distance_to_plane(model, row_of(found.x, i, d), norm);
        EXPECT_EQ(found.success[i] != 0, far < .2) << attack << name_of(norm) << i;
        EXPECT_NEAR(beyond, std::abs(far - .2), 2.5e-7) << attack << name_of(norm) << i;
        EXPECT_EQ(aimed.success[i] != 0, found.classes[i] == 1 || far < .2) << attack << name_of(norm) << i;
      }
    }
}

// A row of a linear model has a successful point iff F_t - F_y can be positive for some wrong class t.
TEST(Apgd, TargetedSucceedsWhereALinearModelCanBeFooled) {
  const std::size_t n = 60, d = 8;
  const double eps = .1;
  for (const std::size_t k : {2, 3, 4, 10})
    for (const Norm norm : both_norms) {
      const toy::Linear model = toy::random_linear(d, k, 5);
      const std::vector<float> x = toy::random_rows(n, d, 6);
      const Classifier classifier = model.classifier();
      const AttackResult found = run({.classifier = classifier, .x = x, .box = anywhere},
                                     {.attack = "apgd-targeted", .norm = norm, .eps = eps});
      const std::vector<float> logits = classifier.logits(x);
      std::size_t fooled = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double worst = -1e9;
        const auto y = static_cast<std::size_t>(found.classes[i]);
        for (std::size_t j = 0; j < k; ++j) {
          if (j == y) continue;
          std::vector<float> w(d);
          for (std::size_t p = 0; p < d; ++p) w[p] = model.w(j, p) - model.w(y, p);
          worst = std::max(worst, logits[i * k + j] - logits[i * k + y] + eps * norm_of(w, dual_of(norm)));
        }
        EXPECT_EQ(found.success[i] != 0, worst > 0) << k << name_of(norm) << i << " " << worst;
        fooled += worst > 0;
      }
      EXPECT_GT(fooled, 0U);
      EXPECT_LT(fooled, n);
    }
}

TEST(Apgd, ChecksTheStepSizeAtThePublishedIterations) {
  EXPECT_EQ(apgd_checkpoints(100), (std::vector<std::size_t>{22, 41, 57, 70, 80, 87, 93, 99}));
  EXPECT_EQ(apgd_checkpoints(5), (std::vector<std::size_t>{2, 3, 4, 5}));
  EXPECT_EQ(apgd_checkpoints(1), (std::vector<std::size_t>{1}));
}

TEST(Apgd, TargetedLossAndItsGradient) {
  const std::vector<float> logits{1, 5, 2, -1, 3};
  EXPECT_DOUBLE_EQ(targeted_dlr(logits, 1, 4, {}), -2 / (5 - 1.5));
  EXPECT_DOUBLE_EQ(targeted_dlr(Row(logits).first(3), 1, 2, {}), -3);        // too few classes
  EXPECT_EQ(targeted_dlr(std::vector<float>{2, 2, 2, 2, 1}, 0, 4, {}), -1);  // divisor 0
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t t = 0; t < 5; ++t) {
      std::vector<float> gradient(5, 7.f);
      (void)targeted_dlr(logits, y, t, gradient);
      for (std::size_t j = 0; j < 5; ++j) {
        std::vector<float> more = logits, less = logits;
        more[j] += 0x1p-8f, less[j] -= 0x1p-8f;
        const double slope = (targeted_dlr(more, y, t, {}) - targeted_dlr(less, y, t, {})) / 0x1p-7;
        EXPECT_NEAR(gradient[j], slope, 1e-4) << y << t << j;
      }
    }
}

// Loss -sum_j a_j (x_j - c_j)^2 of the class 0, with its maximum inside the ball.
struct Hill {
  std::vector<double> scale{1, 3, .5, 8}, top{.02, -.05, .07, .01};

  [[nodiscard]] double loss(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum -= scale[j] * (x[j] - top[j]) * (x[j] - top[j]);
    return sum;
  }
  [[nodiscard]] double slope(const std::vector<double>& x, std::size_t j) const {
    return -2 * scale[j] * (x[j] - top[j]);
  }
  [[nodiscard]] Classifier classifier() const {
    return toy::classifier(
        {4, 2,
         [self = *this](Row x) {
           return std::vector<float>{0, static_cast<float>(self.loss({x.begin(), x.end()}))};
         },
         [self = *this](Row x, Row cotangents) {
           std::vector<float> gradient(4);
           for (std::size_t j = 0; j < 4; ++j)
             gradient[j] = cotangents[1] * static_cast<float>(self.slope({x.begin(), x.end()}, j));
           return gradient;
         }});
  }
};

double sign(double value) { return (value > 0) - (value < 0); }

struct Path {
  std::vector<double> best, last;  // points
};

// Algorithm 1 of the paper for one row in l_inf around 0, in float64. `last`: the last point visited.
Path naive_apgd(const Hill& hill, std::vector<double> x, double eps, double rho) {
  const auto clip = [&](double value) { return std::clamp(value, -eps, eps); };
  std::vector<double> previous = x, best = x, visited = x;
  std::vector<double> losses{hill.loss(x)}, checked{losses[0]};
  double step = 2 * eps;
  bool halved = false;
  std::size_t checked_at = 0;
  for (std::size_t k = 1; k <= 100; ++k) {
    const double a = k == 1 ? 1 : .75;
    const std::vector<double> here = x;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double z = clip(here[j] + step * sign(hill.slope(here, j)));
      x[j] = clip(here[j] + a * (z - here[j]) + (1 - a) * (here[j] - previous[j]));
    }
    previous = here, visited = x;
    losses.push_back(hill.loss(x));
    if (losses.back() > hill.loss(best)) best = x;
    if (k != 22 && k != 41 && k != 57 && k != 70 && k != 80 && k != 87 && k != 93 && k != 99) continue;
    double rises = 0;
    for (std::size_t i = checked_at; i < k; ++i) rises += losses[i + 1] > losses[i];
    halved =
        rises < rho * static_cast<double>(k - checked_at) || (!halved && checked.back() == hill.loss(best));
    checked.push_back(hill.loss(best));
    if (halved) step /= 2, x = best, losses.back() = hill.loss(best);
    checked_at = k;
  }
  return {best, visited};
}

// MI-FGSM for one row in l_inf around 0, in float64.
std::vector<double> naive_momentum(const Hill& hill, double eps, int steps) {
  std::vector<double> x(4), momentum(4), best = x;
  for (int step = 0; step < steps; ++step) {
    double length = 0;
    for (std::size_t j = 0; j < 4; ++j) length += std::abs(hill.slope(x, j));
    for (std::size_t j = 0; j < 4; ++j) momentum[j] += hill.slope(x, j) / length;
    for (std::size_t j = 0; j < 4; ++j) x[j] += eps / steps * sign(momentum[j]);
    if (hill.loss(x) > hill.loss(best)) best = x;
  }
  return best;
}

TEST(Apgd, AgreesWithNaiveLoops) {
  const std::size_t n = 8;
  const Hill hill;
  const Classifier classifier = hill.classifier();
  const std::vector<float> x(n * 4);
  const std::vector<std::int64_t> labels(n, 0);
  const double eps = .1;
  const Target target{.classifier = classifier, .x = x, .labels = labels, .box = anywhere};
  const AttackResult found = run(target, {.attack = "apgd", .eps = eps, .seed = 2});
  const Points clean{n, 4, x};
  std::vector<std::uint64_t> keys(n);
  std::iota(keys.begin(), keys.end(), 0U);
  const Points starts = Ball(clean, Norm::linf, eps, anywhere).random(2, stream("apgd start"), keys);
  for (std::size_t i = 0; i < n; ++i) {
    const Path path = naive_apgd(hill, {starts.row(i).begin(), starts.row(i).end()}, eps, .75);
    EXPECT_GT(hill.loss(path.best), -1e-4) << i;  // eps^2 sum_j a_j is .125
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found.x[i * 4 + j], path.best[j], 1e-6) << i << j;
  }
  const AttackResult momentum = run(target, {.attack = "momentum-pgd", .eps = eps});
  const std::vector<double> expected = naive_momentum(hill, eps, 10);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(momentum.x[j], expected[j], 1e-6) << j;
}

// With rho 0 the first condition never holds. No step improves on a start next to the maximum, so the second
// one holds at every other checkpoint.
TEST(Apgd, HalvesTheStepSizeWithoutImprovement) {
  const Hill hill;
  std::vector<float> visited;
  Classifier classifier = hill.classifier();
  classifier.linearize = [&visited, inner = classifier.linearize](std::span<const float> x) {
    visited.assign(x.begin(), x.end());
    return inner(x);
  };
  const Points clean = Points::zeros(1, 4);
  const std::vector<std::int64_t> labels{0};
  const std::vector<std::uint64_t> keys{0};
  const Problem problem{classifier, clean, labels, keys, Loss::margin, false, anywhere};
  const AttackOptions options = complete({.attack = "apgd", .eps = .1, .parameters = {{"rho", 0}}});
  Points start = clean;
  for (std::size_t j = 0; j < 4; ++j) start.values[j] = static_cast<float>(hill.top[j] + 1e-4);
  const Path path = naive_apgd(hill, {start.values.begin(), start.values.end()}, .1, 0);
  Best best;
  (void)auto_pgd(problem, Ball(clean, Norm::linf, .1, anywhere), options, loss_of(problem), start, best);
  EXPECT_EQ(best.points().values, start.values);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(visited[j], path.last[j], 1e-6) << j;
}

TEST(Apgd, BimIsPgdFromTheCleanRow) {
  const toy::Linear model = toy::random_linear(6, 4, 8);
  const std::vector<float> x = toy::random_rows(5, 6, 9);
  const Classifier classifier = model.classifier();
  const Target target{.classifier = classifier, .x = x};
  for (const Norm norm : both_norms) {
    const AttackOptions pgd{.attack = "pgd",
                            .norm = norm,
                            .eps = .3,
                            .loss = Loss::margin,
                            .parameters = {{"steps", 10}, {"relative-step", .1}, {"random-start", 0}}};
    EXPECT_EQ(run(target, {.attack = "bim", .norm = norm, .eps = .3}).x, run(target, pgd).x);
  }
}

TEST(Apgd, TargetedRefusesOtherLosses) {
  const toy::Linear model = toy::random_linear(6, 5, 8);
  const Classifier classifier = model.classifier();
  const std::vector<float> x = toy::random_rows(2, 6, 9);
  EXPECT_THROW(
      (void)run({.classifier = classifier, .x = x}, {.attack = "apgd-targeted", .loss = Loss::margin}),
      Error);
}

}  // namespace leeway::attack::apgd_test
