// Inputs that are not images: bounds per feature, features that may not change, grids of values.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "leeway/attack/member.h"
#include "tests/attack/toy_classifiers.h"
#include "tests/message_of.h"

namespace leeway::attack::grid_test {

using Values = std::vector<float>;
using Values64 = std::vector<double>;

// Feature 0 may not change, 1 and 2 are whole numbers with bounds of their own, 3 to 5 a group.
constexpr std::size_t d = 6, n = 30;
const Grid grid{{0, 1, 1, 0, 0, 0}, {{3, 4, 5}}};
const std::vector<std::uint8_t> changeable{0, 1, 1, 1, 1, 1};
const Box bounds{0, 1, {-9, 0, -2, 0, 0, 0}, {9, 4, 2.5, 1, 1, 1}};

// Every row of the grid with the first value of `row`.
std::vector<Values> whole_grid(Row row) {
  std::vector<Values> all;
  for (int a = 0; a <= 4; ++a)
    for (int b = -2; b <= 2; ++b)
      for (std::size_t hot = 3; hot < d; ++hot) {
        all.push_back({row[0], static_cast<float>(a), static_cast<float>(b), 0, 0, 0});
        all.back()[hot] = 1;
      }
  return all;
}

Values clean_rows() {
  Random random(8, stream("toy rows"));
  Values x;
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<Values> all = whole_grid(std::vector{static_cast<float>(10 * random.uniform() - 5)});
    const Values& row = all[random.below(all.size())];
    x.insert(x.end(), row.begin(), row.end());
  }
  return x;
}

std::int64_t prediction(const Classifier& classifier, Row row) {
  const Values logits = classifier.logits(row);
  return std::ranges::max_element(logits) - logits.begin();
}

AttackOptions options_of(const AttackEntry& member, Norm norm, double eps) {
  AttackOptions options{.attack = std::string(member.name), .norm = norm};
  if (!member.minimum_norm) options.eps = eps;
  for (const auto& [name, value] : {std::pair("restarts", 5.), {"queries", 200.}, {"first-evaluations", 20.}})
    if (std::ranges::count(member.parameters, name, &Parameter::name) > 0) options.parameters[name] = value;
  return options;
}

// The smallest norm of a point of the grid with another prediction.
double least_norm(const Classifier& classifier, Row row, Norm norm) {
  double least = INFINITY;
  for (const Values& point : whole_grid(row))
    if (prediction(classifier, point) != prediction(classifier, row))
      least = std::min(least, distance(point, row, norm));
  return least;
}

// Every member against all points of the grid.
TEST(Grid, HoldsWhatEveryAttackFinds) {
  const Classifier classifier = toy::random_linear(d, 3, 2).classifier();
  const Values x = clean_rows();
  for (const AttackEntry& member : entries())
    for (const Norm norm : member.norms) {
      SCOPED_TRACE(std::string(member.name) + " " + std::string(name_of(norm)));
      const double eps = norm == Norm::linf ? 1.2 : 2.3;
      const AttackResult found =
          run({.classifier = classifier, .x = x, .box = bounds, .changeable = changeable, .grid = grid},
              options_of(member, norm, eps));
      double possible = 0, reached = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Row before = Row(x).subspan(i * d, d), after = Row(found.x).subspan(i * d, d);
        const bool success = found.success[i] != 0;
        EXPECT_THAT(whole_grid(before), ::testing::Contains(Values(after.begin(), after.end())));
        EXPECT_EQ(success, prediction(classifier, after) != prediction(classifier, before));
        const double moved = distance(after, before, norm), least = least_norm(classifier, before, norm);
        EXPECT_EQ(found.norms[i], success ? moved : INFINITY);
        EXPECT_GE(found.norms[i], least);
        EXPECT_TRUE(member.minimum_norm || moved <= eps) << moved;
        possible += member.minimum_norm ? std::isfinite(least) : least <= eps;
        reached += success;
      }
      EXPECT_GE(reached, .7 * possible);
    }
}

// Of every attack: bounds that each feature has, and marks that leave all free, change no bit. A feature that may
// not change has no influence, however steep the model is there.
TEST(Features, ThatDoNotMoveHaveNoInfluence) {
  const toy::Linear model = toy::random_linear(4, 3, 3);
  toy::Linear wide{5, 3, {}, model.bias};
  for (std::size_t k = 0; k < 3; ++k) {
    wide.weight.push_back(k == 0 ? 1e6f : -1e6f);
    wide.weight.insert(wide.weight.end(), model.weight.begin() + static_cast<std::ptrdiff_t>(4 * k),
                       model.weight.begin() + static_cast<std::ptrdiff_t>(4 * (k + 1)));
  }
  const Classifier narrow_model = model.classifier(), wide_model = wide.classifier();
  const Values x = toy::random_rows(10, 4, 5);
  Values with_zero;
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (v % 4 == 0) with_zero.push_back(0);
    with_zero.push_back(x[v]);
  }
  for (const AttackEntry& member : entries())
    for (const Norm norm : member.norms) {
      SCOPED_TRACE(std::string(member.name) + " " + std::string(name_of(norm)));
      AttackOptions options = options_of(member, norm, .2);
      options.parameters.erase("restarts");
      const AttackResult narrow = run({narrow_model, x}, options);
      const AttackResult free = run({.classifier = narrow_model,
                                     .x = x,
                                     .box = {0, 1, Values64(4, 0), Values64(4, 1)},
                                     .changeable = {1, 1, 1, 1}},
                                    options);
      EXPECT_EQ(free.x, narrow.x);
      AttackResult fixed =
          run({.classifier = wide_model, .x = with_zero, .changeable = {0, 1, 1, 1, 1}}, options);
      EXPECT_EQ(fixed.norms, narrow.norms);
      for (std::size_t i = 10; i-- > 0;) fixed.x.erase(fixed.x.begin() + static_cast<std::ptrdiff_t>(5 * i));
      EXPECT_EQ(fixed.x, narrow.x);
      EXPECT_EQ(fixed.unreliable_gradient, narrow.unreliable_gradient);
    }
}

// Of two classes, every pixel moves by all levels of the radius, unless the box ends before.
TEST(Levels, AreThoseOfTheWorstCase) {
  const toy::Linear model = toy::random_linear(12, 2, 11);
  const Classifier classifier = model.classifier();
  Values x = toy::random_rows(40, 12, 3);
  for (float& value : x) value = std::round(value * 255) / 255;
  for (const double levels : {1., 3.7, 8.}) {
    const AttackResult found =
        run({.classifier = classifier, .x = x, .picture = {1, 3, 4}},
            {.eps = levels / 255, .parameters = {{"relative-step", 1}}, .levels = Levels::eight_bit});
    for (std::size_t i = 0; i < 40; ++i) {
      Values worst(x.begin() + static_cast<std::ptrdiff_t>(12 * i),
                   x.begin() + static_cast<std::ptrdiff_t>(12 * (i + 1)));
      const std::size_t from = static_cast<std::size_t>(prediction(classifier, worst));
      for (std::size_t j = 0; j < 12; ++j) {
        const float slope = model.w(1 - from, j) - model.w(from, j), move = slope > 0 ? 1 : -1;
        const auto level = std::round(worst[j] * 255) + move * static_cast<float>(std::floor(levels));
        worst[j] = std::clamp(level, 0.f, 255.f) / 255;
      }
      EXPECT_EQ(found.success[i] != 0, prediction(classifier, worst) != static_cast<std::int64_t>(from));
      EXPECT_TRUE(found.success[i] == 0 || found.norms[i] <= levels / 255);
      for (std::size_t j = 0; j < 12; ++j) {
        const float value = found.x[12 * i + j];
        EXPECT_EQ(value, std::round(value * 255) / 255);
        EXPECT_TRUE(found.success[i] == 0 || value == worst[j]) << value << " " << worst[j];
      }
    }
  }
}

// Whole numbers in [-4, 2.5], from a clean row of 0, and a group.
TEST(Snap, GoesToTheNearestPointInBoxAndBall) {
  const struct {
    Norm norm;
    double radius;
    Values x, expected;
  } cases[] = {{Norm::linf, infinity, {1.6f, -1.4f, .2f, .5f}, {2, -1, 0, 1}},
               {Norm::linf, infinity, {2.5f, .5f, .5f, .5f}, {2, 1, 1, 0}},  // the box; a tie keeps the group
               {Norm::linf, 1.7, {1.7f, -1.7f, .4f, .6f}, {1, -1, 0, 1}},
               {Norm::linf, .9, {.9f, .4f, .4f, .9f}, {0, 0, 1, 0}},
               {Norm::l2, 2.3, {1.6f, 1.6f, .9f, .1f}, {1, 2, 1, 0}},  // of equals the first gives way
               {Norm::l2, 2.3, {1.9f, 1.2f, .9f, .1f}, {2, 1, 1, 0}},
               {Norm::l1, 2.1, {.3f, .2f, .4f, .6f}, {0, 0, 0, 1}},
               {Norm::l1, 1.9, {.3f, .2f, .4f, .6f}, {0, 0, 1, 0}}};
  const Values clean{0, 0, 1, 0};
  const Grid numbers{{1, 1, 0, 0}, {{2, 3}}};
  for (const auto& one : cases) {
    Values x = one.x;
    for (int again = 0; again < 2; ++again) {
      snap(x, clean, numbers, {-4, 2.5}, one.norm, one.radius);
      EXPECT_EQ(x, one.expected) << name_of(one.norm) << " " << one.radius;
    }
  }
}

// Many values in l2: within the radius, and nearer to the point than the cut-off values are.
TEST(Snap, LosesLittleOfTheRadius) {
  const Values clean(400, 128.f / 255), direction = toy::random_rows(1, 400, 3, -1, 1);
  const Grid pixels{Values64(400, 255), {}};
  for (const double radius : {.05, .1, .3}) {
    const double scale = radius / norm_of(direction, Norm::l2);
    Values x = clean;
    for (std::size_t j = 0; j < 400; ++j) x[j] += static_cast<float>(.999999 * scale * direction[j]);
    snap(x, clean, pixels, {}, Norm::l2, radius);
    EXPECT_LE(distance(x, clean, Norm::l2, pixels), radius);
    EXPECT_GE(distance(x, clean, Norm::l2, pixels), .98 * radius);
  }
}

TEST(Features, ThatDoNotFitAreRefused) {
  const Classifier classifier = toy::random_linear(3, 2, 1).classifier();
  const Values x{0, 1, 0, 0, 1, .5f};
  const auto refused = [&](Target target, const std::string& message, Levels levels = Levels::any) {
    target.name = "t.csv";
    EXPECT_REFUSED(run(target, {.levels = levels}), message);
  };
  const Target plain{classifier, x};
  const auto with = [&](const auto& change) {
    Target target = plain;
    change(target);
    return target;
  };
  refused(with([](Target& t) {
            t.grid.per_one = {0, 0, 1};
          }),
          "t.csv: expected integers, found 0.5 at row 1, feature 2");
  refused(with([](Target& t) {
            t.grid.per_one = {0, 0, 1}, t.changeable = {0, 0, 0};
          }),
          "...may change...none");
  refused(with([](Target& t) {
            t.grid.one_hot = {{0, 1, 2}};
          }),
          "t.csv: expected a single 1 and otherwise 0 in features 0, 1, 2, found 0, 1, 0.5 at row 1");
  refused(with([](Target& t) { t.grid.one_hot = {{0, 1}, {1, 2}}; }), "...one-hot groups...found feature 1");
  refused(with([](Target& t) { t.grid.one_hot = {{0, 3}}; }), "...from 0 to 2...found feature 3");
  refused(with([](Target& t) {
            t.box.lows = {0, 0, 0}, t.box.highs = {1, 1, .4};
          }),
          "t.csv: expected values in [0, 0.4] to attack, found 0.5 at row 1, feature 2");
  refused(with([](Target& t) { t.box.lows = {0}, t.box.highs = {1}; }), "...3 lower bounds...found 1");
  refused(with([](Target& t) {
            t.box.lows = {0, 2, 0}, t.box.highs = {1, 1, 1};
          }),
          "...found 2 and 1 of feature 1");
  refused(with([](Target& t) { t.changeable = {1}; }), "t.csv: expected 3 marks...found 1");
  refused(plain, "t.csv: expected images...", Levels::eight_bit);
  refused(with([](Target& t) {
            t.picture = {1, 1, 3};
          }),
          "t.csv: expected multiples of 1/255, found 0.5 at row 1, feature 2", Levels::eight_bit);
}

}  // namespace leeway::attack::grid_test
