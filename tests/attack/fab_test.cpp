#include <gmock/gmock.h>

#include <numeric>

#include "leeway/core/error.h"
#include "tests/attack/toy_classifiers.h"

// FAB, DeepFool and DDN, and the projection onto a plane inside a box.
namespace leeway::attack::fab_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The most that <w, u> can be within |u|_p <= radius, 0 <= sign(w) u <= room.
double most_rise(Row w, Row room, double radius, Norm norm) {
  std::vector<std::size_t> order(w.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater<>(), [&](std::size_t j) { return std::abs(w[j]); });
  const auto total = [&](auto size) {
    double rise = 0;
    for (const std::size_t j : order) rise += std::abs(w[j]) * std::min<double>(room[j], size(j));
    return rise;
  };
  if (norm == Norm::linf) return total([&](std::size_t) { return radius; });
  if (norm == Norm::l1)
    return total([&, left = radius](std::size_t j) mutable {
      const double size = std::max(0., left);
      left -= room[j];
      return size;
    });
  double low = 0, high = 1e6;  // of l2: t, by bisection
  for (int i = 0; i < 100; ++i) {
    const double t = (low + high) / 2;
    double length = 0;
    for (const std::size_t j : order) length += std::pow(std::min<double>(room[j], t * std::abs(w[j])), 2);
    (length <= radius * radius ? low : high) = t;
  }
  return total([&](std::size_t j) { return low * std::abs(w[j]); });
}

// Distance inside the box from x to the plane of two logits, by bisection; infinity if the box ends before.
double exact_distance(const toy::Linear& model, Row x, Norm norm, const Box& box) {
  std::vector<float> w(model.d);
  double gap = static_cast<double>(model.bias[0]) - model.bias[1];
  for (std::size_t p = 0; p < model.d; ++p) {
    w[p] = model.w(0, p) - model.w(1, p);
    gap += static_cast<double>(w[p]) * x[p];
  }
  if (gap > 0)
    for (float& value : w) value = -value;
  const std::vector<float> room = room_along(x, w, box);
  double low = 0, high = 1e3;
  if (most_rise(w, room, high, norm) < std::abs(gap)) return infinity;
  for (int i = 0; i < 60; ++i) {
    const double radius = (low + high) / 2;
    (most_rise(w, room, radius, norm) < std::abs(gap) ? low : high) = radius;
  }
  return high;
}

// Brute force: no random point of the plane inside the box is nearer.
TEST(MoveToPlane, IsTheShortestMoveInsideTheBox) {
  Random random(5, stream("planes"));
  for (int round = 0; round < 60; ++round) {
    const std::vector<float> x = toy::random_rows(1, 3, round),
                             w = toy::random_rows(1, 3, 100 + round, -1, 1);
    const auto rise_of = [&](Row u) { return std::inner_product(w.begin(), w.end(), u.begin(), 0.); };
    std::vector<float> u(3);
    const auto draw = [&] {
      for (std::size_t j = 0; j < 3; ++j) u[j] = static_cast<float>(random.uniform()) - x[j];
    };
    draw();
    const double rise = rise_of(u);
    for (const Norm norm : {Norm::linf, Norm::l2, Norm::l1}) {
      const std::vector<float> move = move_to_plane(x, w, rise, norm, {});
      EXPECT_NEAR(rise_of(move), rise, 1e-6);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_TRUE(x[j] + move[j] >= -1e-7f && x[j] + move[j] <= 1 + 1e-6f);
      for (int i = 0; i < 300; ++i) {
        draw();
        u[0] += static_cast<float>((rise - rise_of(u)) / w[0]);
        if (x[0] + u[0] < 0 || x[0] + u[0] > 1) continue;
        EXPECT_GE(norm_of(u, norm), norm_of(move, norm) * (1 - 1e-6)) << name_of(norm);
      }
    }
  }
}

TEST(MoveToPlane, GoesToTheCornerWhereTheBoxEndsBeforeThePlane) {
  const std::vector<float> x = {.25f, .5f, .75f}, w = {1, 0, -2};
  for (const Norm norm : {Norm::linf, Norm::l2, Norm::l1}) {
    EXPECT_THAT(move_to_plane(x, w, 100, norm, {}), testing::ElementsAre(.75f, 0, -.75f));
    EXPECT_THAT(move_to_plane(x, w, -100, norm, {}), testing::ElementsAre(-.25f, 0, .25f));
    EXPECT_THAT(move_to_plane(x, std::vector<float>(3), 1, norm, {}), testing::Each(0.f));
  }
}

struct Case {
  std::string attack;
  std::vector<Norm> norms;
  std::map<std::string, double> parameters;
  double factor, tolerance, in_box;  // of norms / exact distances

  [[nodiscard]] AttackOptions with(Norm norm) const {
    return {.attack = attack, .norm = norm, .parameters = parameters, .seed = 5};
  }
};

// In linf FAB shrinks all values alike, also clipped ones. What DeepFool overshoots may be clipped.
// The loss of DDN draws rows to all other classes at once: with three classes its distances are larger.
const Case cases[] = {
    {"fab", {Norm::linf, Norm::l2, Norm::l1}, {}, 1, 1e-4, 3e-3},
    {"fab", {Norm::linf, Norm::l2, Norm::l1}, {{"targets", 2}, {"restarts", 2}}, 1, 1e-4, 3e-3},
    {"deepfool", {Norm::linf, Norm::l2}, {}, 1.02, 1e-3, 4e-3},
    {"deepfool", {Norm::linf, Norm::l2}, {{"overshoot", 0}}, 1, 1e-3, 1e-3},
    {"ddn", {Norm::l2}, {}, 1, .04, .04},
    {"ddn", {Norm::l2}, {{"steps", 1000}, {"gamma", .01}, {"last-step", 1e-4}}, 1, 1e-3, 1e-3}};

void for_cases(const std::function<void(const Case&, Norm)>& body) {
  for (const Case& one : cases)
    for (const Norm norm : one.norms) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, one.attack + " " + std::string(name_of(norm)));
      body(one, norm);
    }
}

// The logits of two of the model's classes.
toy::Linear pair_of(const toy::Linear& model, std::size_t a, std::size_t b) {
  toy::Linear pair{model.d, 2, {}, {model.bias[a], model.bias[b]}};
  for (const std::size_t j : {a, b})
    for (std::size_t p = 0; p < model.d; ++p) pair.weight.push_back(model.w(j, p));
  return pair;
}

// The distance to the nearest of the planes around the class y.
double nearest_boundary(const toy::Linear& model, std::size_t y, Row x, Norm norm, const Box& box) {
  double far = infinity;
  for (std::size_t j = 0; j < model.k; ++j)
    if (j != y) far = std::min(far, exact_distance(pair_of(model, y, j), x, norm, box));
  return far;
}

TEST(MinimumNorm, FindsTheDistanceOfLinearModels) {
  const std::vector<float> x = toy::random_rows(20, 12, 4);
  for (const auto& [k, box] : {std::pair<std::size_t, Box>{2, anywhere}, {2, {}}, {3, anywhere}}) {
    const toy::Linear model = toy::random_linear(12, k, 3);
    const Classifier classifier = model.classifier();
    for_cases([&, k = k, box = box](const Case& one, Norm norm) {
      const bool mixed = one.attack == "ddn" && k > 2;
      const double factor = mixed ? 1.06 : one.factor, tolerance = mixed             ? .06
                                                                   : box.unbounded() ? one.tolerance
                                                                                     : one.in_box;
      const AttackResult found = run({.classifier = classifier, .x = x, .box = box}, one.with(norm));
      for (std::size_t i = 0; i < 20; ++i) {
        const double far = nearest_boundary(model, static_cast<std::size_t>(found.classes[i]),
                                            Row(x).subspan(i * 12, 12), norm, box);
        ASSERT_TRUE(std::isfinite(far));
        EXPECT_NEAR(found.norms[i] / far, factor, tolerance) << i << " of " << k << " classes";
      }
      EXPECT_THAT(found.x, testing::Each(testing::AllOf(testing::Ge(box.low), testing::Le(box.high))));
    });
  }
}

// To reach a class, rows must cross the plane between it and every other: the farthest is enough for most.
TEST(MinimumNorm, ReachesTargets) {
  constexpr std::size_t goal = 1;
  const toy::Linear model = toy::random_linear(12, 3, 3);
  const std::vector<float> x = toy::random_rows(20, 12, 4);
  const Classifier classifier = model.classifier();
  for_cases([&](const Case& one, Norm norm) {
    AttackOptions options = one.with(norm);
    options.targets.assign(20, goal);
    const Target target{.classifier = classifier, .x = x, .box = anywhere};
    if (one.attack == "deepfool") {
      EXPECT_THROW((void)run(target, options), Error);
      return;
    }
    const AttackResult found = run(target, options);
    EXPECT_THAT(found.success, testing::Each(1));
    int one_is_enough = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      double far = 0;
      bool enough = false;
      for (const std::size_t j : {std::size_t{0}, std::size_t{2}}) {
        const toy::Linear pair = pair_of(model, goal, j);
        const Row row = Row(x).subspan(i * 12, 12);
        const std::vector<float> logits = pair.classifier().logits(row);
        if (logits[0] >= logits[1] || toy::distance_to_plane(pair, row, norm) < far) continue;
        far = toy::distance_to_plane(pair, row, norm);
        std::vector<float> w(12);
        for (std::size_t p = 0; p < 12; ++p) w[p] = pair.w(0, p) - pair.w(1, p);
        std::vector<float> moved = move_to_plane(row, w, 1.0001 * (logits[1] - logits[0]), norm, anywhere);
        for (std::size_t p = 0; p < 12; ++p) moved[p] += row[p];
        enough = std::ranges::max(classifier.logits(moved)) == classifier.logits(moved)[goal];
      }
      EXPECT_GE(found.norms[i], far * (1 - 1e-5)) << i;
      if (!enough || one.attack == "ddn") continue;
      ++one_is_enough;
      EXPECT_NEAR(found.norms[i] / far, 1, one.tolerance) << i;
    }
    EXPECT_TRUE(one_is_enough > 10 || one.attack == "ddn");
  });
}

// F = (0, |x|^2 - 1): from inside, the boundary is 1 - |x| away.
TEST(MinimumNorm, FindsTheDistanceToASphere) {
  const Classifier classifier =
      toy::classifier({4, 2,
                       [](Row x) {
                         const double r = norm_of(x, Norm::l2);
                         return std::vector<float>{0, static_cast<float>(r * r - 1)};
                       },
                       [](Row x, Row cotangents) {
                         std::vector<float> gradient(x.begin(), x.end());
                         for (float& value : gradient) value *= 2 * cotangents[1];
                         return gradient;
                       }});
  const std::vector<float> x = toy::random_rows(10, 4, 4, .05, .4);
  for_cases([&](const Case& one, Norm norm) {
    if (norm != Norm::l2 || one.attack == "deepfool") return;
    const AttackResult found = run({.classifier = classifier, .x = x, .box = anywhere}, one.with(norm));
    for (std::size_t i = 0; i < 10; ++i) {
      const double far = 1 - norm_of(Row(x).subspan(i * 4, 4), norm);
      EXPECT_NEAR(found.norms[i] / far, 1, one.tolerance) << i;
    }
  });
}

TEST(MinimumNorm, SurvivesTies) {
  const std::vector<float> x(6, .5f);
  for_cases([&](const Case& one, Norm norm) {
    const Classifier tied = toy::Linear{3, 2, {1, 2, -3, -3, 2, 1}, {2, 2}}.classifier();
    const AttackResult left = run({.classifier = tied, .x = x}, one.with(norm));
    EXPECT_EQ(left.robust_accuracy, 0);
    EXPECT_LT(left.norms[0], one.attack == "ddn" ? .01 : 1e-4);
  });
}

}  // namespace leeway::attack::fab_test
