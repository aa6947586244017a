// Options, messages, the driver of the attacks, and the parts that attacks share.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <memory>

#include "leeway/attack/member.h"
#include "tests/attack/toy_classifiers.h"
#include "tests/message_of.h"

namespace leeway::attack::run_test {

using Classes = std::vector<std::int64_t>;

TEST(AttackOptions, AreChecked) {
  const std::vector<std::pair<AttackOptions, std::string>> cases{
      {{.attack = "nothing"}, "found 'nothing'"},
      {{.eps = -1}, "found -1"},
      {{.eps = NAN}, "found nan"},
      {{.attack = "fmn", .eps = .1}, "found eps 0.1"},
      {{.norm = Norm::l1}, "found l1"},
      {{.parameters = {{"steps", 0}}}, "found 0"},
      {{.parameters = {{"steps", 2.5}}}, "found 2.5"},
      {{.attack = "noise", .parameters = {{"gamma", 1}}}, "found 'gamma'"},
      {{.attack = "fgsm", .parameters = {{"steps", 1}}}, "found 'steps'"}};
  for (const auto& one : cases) EXPECT_REFUSED(complete(one.first), "..." + one.second);
}

TEST(AttackOptions, AreCompletedWithTheAttacksOwn) {
  const AttackOptions pgd = complete({.parameters = {{"steps", 3}}});
  EXPECT_EQ(pgd.eps, default_eps);
  EXPECT_EQ(pgd.loss, Loss::difference);
  EXPECT_EQ(pgd.parameters, (std::map<std::string, double>{
                                {"steps", 3}, {"relative-step", 0}, {"random-start", 1}, {"restarts", 1}}));
  const AttackOptions fmn = complete({.attack = "fmn", .loss = Loss::margin});
  EXPECT_FALSE(fmn.eps.has_value());
  EXPECT_EQ(fmn.loss, Loss::margin);
}

TEST(Run, RefusesValuesOutsideTheBox) {
  const Classifier classifier = toy::random_linear(2, 3, 1).classifier();
  const auto attacked = [&](std::size_t place, float value, const Box& box) {
    std::vector<float> x(8, .5f);
    x[place] = value;
    return run({.classifier = classifier, .x = x, .box = box, .name = "a.npz"}, {});
  };
  EXPECT_REFUSED(attacked(3, 1.5f, {}), "a.npz: expected values in [0, 1] to attack, found 1.5 at row 1");
  EXPECT_REFUSED(attacked(2, -.5f, {}), "...found -0.5 at row 1");
  EXPECT_REFUSED(attacked(7, NAN, anywhere), "...found nan at row 3");
  EXPECT_REFUSED(attacked(3, 1e13f, anywhere),
                 "a.npz: expected numbers of at most 1e+12 to attack, found 1e+13 at row 1");
}

TEST(Run, RefusesSizesThatDoNotFit) {
  const Classifier three = toy::random_linear(2, 3, 1).classifier(),
                   one = toy::random_linear(2, 1, 1).classifier();
  const std::vector<float> x(7, .5f);
  EXPECT_REFUSED(run({three, x}, {}), "rows: expected at least one row of 2 values, found 7 values");
  EXPECT_REFUSED(run({three, std::span<const float>()}, {}), "...found 0 values");
  EXPECT_REFUSED(run({one, std::span(x).first(6)}, {}), "attack: the classifier: expected...two classes...");
}

TEST(Run, RefusesGradientsThatAreNotFinite) {
  Classifier broken = toy::random_linear(2, 3, 1).classifier();
  broken.linearize = [whole = broken.linearize](std::span<const float> x) {
    Linearized found = whole(x);
    found.vjp = [back = std::move(found.vjp)](std::span<const float> cotangents) {
      std::vector<float> gradients = back(cotangents);
      gradients[5] = NAN;
      return gradients;
    };
    return found;
  };
  const std::vector<float> x(8, .5f);
  for (const char* const name : {"pgd", "fmn", "fab", "ddn", "carlini-wagner"})
    EXPECT_REFUSED(run({broken, x, {}, anywhere}, {.attack = name, .norm = Norm::l2}),
                   "the classifier: expected finite gradients, found nan at row 2, value 1");
}

TEST(Run, RefusesClassesThatDoNotFit) {
  const Classifier classifier = toy::random_linear(2, 3, 1).classifier();
  const std::vector<float> x(8, .5f);
  EXPECT_REFUSED(run({classifier, x, Classes{0, -1, 2, 1}}, {}), "...found 1 of 4 rows without a label...");
  EXPECT_REFUSED(run({classifier, x, Classes{0, 1}}, {}),
                 "rows: labels: expected 4 labels, one per row, found 2");
  EXPECT_REFUSED(run({classifier, x, Classes{0, 1, 3, 1}}, {}),
                 "rows: labels: expected classes from 0 to 2, found 3 at row 2");
  EXPECT_REFUSED(run({classifier, x}, {.targets = {1, 2}}),
                 "attack: targets: expected 4 targets, one per row, found 2");
  EXPECT_REFUSED(run({classifier, x}, {.targets = {1, 2, 3, 0}}),
                 "attack: targets: expected classes from 0 to 2, found 3 at row 2");
}

TEST(Run, NeedsGradientsUnlessTheAttackUsesNone) {
  const Classifier blind =
      toy::classifier({2, 2, [](Row x) { return std::vector<float>(x.begin(), x.end()); }, {}});
  const std::vector<float> x(8, .5f);
  EXPECT_REFUSED(run({blind, x}, {}), "attack pgd: expected a classifier with gradients, found one without");
  EXPECT_EQ(run({blind, x}, {.attack = "noise"}).success.size(), 4U);
}

// On the clean rows, or only where the attack moves them.
TEST(Run, RefusesLogitsThatAreNotFinite) {
  for (const auto& one : {std::pair(.5f, 0.), {.55f, .1}}) {
    const auto forward = [from = one.first](Row x) {
      return std::vector<float>{x[0], 2 * x[0], x[0] < from ? 0 : NAN};
    };
    const auto backward = [](Row, Row by) { return std::vector<float>{by[0] + 2 * by[1]}; };
    const Classifier classifier = toy::classifier({1, 3, forward, backward});
    EXPECT_REFUSED(run({classifier, std::vector<float>{.3f, .3f, .3f, .5f}, Classes(4, 0)},
                       {.attack = "fgsm", .eps = one.second}),
                   "the classifier: expected finite logits, found nan at row 3, class 2");
  }
}

// Row 0 is wrong as it is, row 1 is within reach and row 2 is not. The fixed feature tells which row a pass holds.
TEST(Run, LeavesRowsThatAreDoneOutOfPasses) {
  const std::vector<float> x{0, .9f, .25f, .55f, .5f, .1f};
  std::vector<std::size_t> passes;
  std::size_t most = 0;  // rows in a pass
  const toy::Linear linear{2, 3, {0, 0, 0, 1, 0, -.1f}, {0, -.6f, -1}};
  Classifier classifier = linear.classifier();
  classifier.rows_at_once = 3;
  const auto count = [&](std::span<const float> rows) {
    most = std::max(most, rows.size() / 2);
    for (std::size_t i = 0; i < rows.size(); i += 2) ++passes.at(static_cast<std::size_t>(rows[i] * 4));
  };
  classifier.logits = [&, plain = classifier.logits](std::span<const float> rows) {
    return count(rows), plain(rows);
  };
  classifier.linearize = [&, plain = classifier.linearize](std::span<const float> rows) {
    return count(rows), plain(rows);
  };
  const auto passes_of = [&](const std::string& attack, const char* length, std::optional<double> eps) {
    passes.assign(3, 0);
    const AttackResult found =
        run({.classifier = classifier, .x = x, .labels = Classes{0, 0, 0}, .changeable = {0, 1}},
            {.attack = attack, .eps = eps, .parameters = {{length, 30}}});
    EXPECT_THAT(found.success, ::testing::ElementsAre(1, 1, eps ? 0 : 1)) << attack;
    return passes;
  };
  // besides the attack: predictions before and after, and two passes that check the gradient
  EXPECT_EQ(std::max(passes_of("fmn", "steps", {})[0], passes_of("apgd", "steps", .2)[0]), 4);
  EXPECT_THAT(passes_of("square", "queries", .2), ::testing::ElementsAre(2, ::testing::Lt(33), 33));
  const auto targeted = passes_of("apgd-targeted", "steps", .2);
  EXPECT_EQ(targeted[2] - targeted[1], 31);
  EXPECT_EQ(most, 3);
}

TEST(Run, IsInterruptedBeforeTheNextPass) {
  struct Stops : Progress {
    void update(std::string_view task, std::size_t, std::size_t total, std::string_view) override {
      EXPECT_EQ(task, "pgd");
      EXPECT_EQ(total, 9U);
    }
    [[nodiscard]] bool stop_requested() const override { return ++asked > 3; }
    mutable int asked = 0;
  } progress;
  EXPECT_THROW(
      (void)run({toy::random_linear(4, 2, 1).classifier(), toy::random_rows(9, 4, 2)}, {}, &progress),
      Interrupted);
  EXPECT_EQ(progress.asked, 4);
}

// `layer` of every value, then a linear model; `slope` is the layer's derivative.
Classifier behind(float (*layer)(float), float (*slope)(float), const toy::Linear& linear) {
  const auto forward = [=, inner = linear.classifier().logits](Row x) {
    std::vector<float> y(x.size());
    std::ranges::transform(x, y.begin(), layer);
    return inner(y);
  };
  const auto backward = [=, inner = linear.classifier().linearize](Row x, Row by) {
    std::vector<float> gradient = inner(x).vjp(by);
    for (std::size_t j = 0; j < x.size(); ++j) gradient[j] *= slope(x[j]);
    return gradient;
  };
  return toy::classifier({linear.d, linear.k, forward, backward});
}

// Signs have gradients of 0. Noise finds what the attack cannot: the result must not call these rows robust.
TEST(ZeroGradients, AreCountedAndNoiseRunsBesideTheAttack) {
  const Classifier classifier = behind([](float value) { return value > .5f ? 1.f : -1.f; },
                                       [](float) { return 0.f; }, toy::random_linear(64, 3, 1));
  const std::vector<float> x = toy::random_rows(50, 64, 3);
  const auto beside = [&](const AttackOptions& options) {
    const AttackResult found = run({classifier, x}, options);
    EXPECT_EQ(found.zero_gradient, 1);
    const BesideNoise both = found.beside_noise.value();
    EXPECT_EQ(both.attack_accuracy, 1) << options.attack;
    EXPECT_LT(both.noise_accuracy, .5) << options.attack;
    EXPECT_EQ(found.robust_accuracy, both.noise_accuracy);
    for (std::size_t i = 0; i < 50; ++i) {
      EXPECT_EQ(std::isfinite(found.norms[i]), found.success[i] != 0);
      EXPECT_GT(found.norms[i], 0);
      EXPECT_TRUE(found.success[i] == 0 || found.norms[i] <= options.eps.value_or(64));
    }
    return found.robust_accuracy;
  };
  const AttackResult noise = run({classifier, x}, {.attack = "noise", .eps = .3});
  EXPECT_FALSE(noise.zero_gradient.has_value());
  EXPECT_EQ(beside({.eps = .3, .parameters = {{"random-start", 0}}}), noise.robust_accuracy);
  EXPECT_EQ(beside({.attack = "fgsm", .eps = .3}), noise.robust_accuracy);
  // minimum norm: noise of growing radius, the nearest in the norm asked for
  (void)beside({.attack = "fmn", .norm = Norm::linf, .parameters = {{"steps", 3}}});
  (void)beside({.attack = "fmn", .norm = Norm::l0, .parameters = {{"steps", 3}}});
}

TEST(UnreliableGradients, AreThoseOfALayerThatMasksThem) {
  const toy::Linear linear = toy::random_linear(64, 5, 4);
  const Classifier masked = behind([](float value) { return value + .03f * std::sin(3000 * value); },
                                   [](float value) { return 1 + 90 * std::cos(3000 * value); }, linear);
  const auto unreliable = [&](const Classifier& classifier, const AttackOptions& options) {
    return run({classifier, toy::random_rows(60, 64, 9)}, options).unreliable_gradient;
  };
  for (const AttackOptions& options : std::vector<AttackOptions>{
           {}, {.attack = "fgsm", .norm = Norm::l2, .eps = .5}, {.attack = "fmn", .norm = Norm::l1}}) {
    EXPECT_LT(unreliable(linear.classifier(), options), .05) << options.attack;
    EXPECT_GT(unreliable(masked, options), .8) << options.attack;
  }
  EXPECT_FALSE(unreliable(masked, {.eps = 0}).has_value());
  EXPECT_FALSE(unreliable(masked, {.attack = "noise"}).has_value());
}

// Stops the run after a number of blocks.
struct InMemory : FinishedBlocks {
  std::optional<FinishedBlock> find(std::size_t stage, std::uint64_t first_row) override {
    const auto block = blocks.find({stage, first_row});
    if (block == blocks.end()) return std::nullopt;
    ++found;
    return block->second;
  }
  void keep(std::size_t stage, const FinishedBlock& block) override {
    if (blocks.size() == most) throw Interrupted("stopped");
    blocks[{stage, block.rows.front()}] = block;
  }
  std::map<std::pair<std::size_t, std::uint64_t>, FinishedBlock> blocks;
  std::size_t most = 1000, found = 0;
};

// One attack, an ensemble, and an attack beside noise.
TEST(FinishedBlocks, AreResumedToTheSameBitsAndOnlyForTheSameRows) {
  Classifier linear = toy::random_linear(16, 3, 4).classifier(),
             signs = behind([](float value) { return value > .5f ? 1.f : -1.f; }, [](float) { return 0.f; },
                            toy::random_linear(16, 3, 1));
  linear.rows_at_once = signs.rows_at_once = 8;
  const std::vector<float> x = toy::random_rows(30, 16, 5);
  const AttackOptions pgd{.eps = .02},
      strong{.attack = "strong", .eps = .02, .parameters = {{"steps", 5}, {"queries", 50}}};
  struct Case {
    const Classifier& classifier;
    AttackOptions options;
    std::size_t stages;
  };
  for (const Case& one : {Case{linear, pgd, 1}, {linear, strong, 4}, {signs, pgd, 2}}) {
    SCOPED_TRACE(one.options.attack + " " + std::to_string(one.stages));
    const Target target{one.classifier, x};
    const AttackResult whole = run(target, one.options);
    const auto resumed = [&](InMemory& memory) {
      const AttackResult again = run(target, one.options, nullptr, &memory);
      EXPECT_EQ(again.x, whole.x);
      EXPECT_EQ(again.norms, whole.norms);
      EXPECT_EQ(again.zero_gradient, whole.zero_gradient);
      EXPECT_EQ(again.robust_accuracy, whole.robust_accuracy);
    };
    InMemory all;
    resumed(all);
    EXPECT_EQ(all.blocks.rbegin()->first.first + 1, one.stages);
    for (std::size_t stop = 0; stop < all.blocks.size(); ++stop) {
      InMemory memory;
      memory.most = stop;
      EXPECT_THROW((void)run(target, one.options, nullptr, &memory), Interrupted);
      memory.most = 1000;
      resumed(memory);
      EXPECT_EQ(memory.found, stop);
    }
    for (auto& [place, block] : all.blocks) ++block.rows.back(), std::ranges::fill(block.x, 0.f);
    resumed(all);
  }
}

// F(x) = W sin(x + z) with noise z of its own in every pass, so that most gradients of one pass have wrong signs.
Classifier randomized(const toy::Linear& linear, double sigma) {
  Classifier made = linear.classifier();
  made.linearize = [=, inner = made.linearize,
                    random = std::make_shared<Random>(7, stream("draws"))](std::span<const float> x) {
    std::vector<float> sines, slopes;
    for (const float value : x) {
      const double place = value + sigma * random->normal();
      sines.push_back(static_cast<float>(std::sin(place)));
      slopes.push_back(static_cast<float>(std::cos(place)));
    }
    Linearized found = inner(sines);
    found.vjp = [back = std::move(found.vjp), slopes = std::move(slopes)](std::span<const float> by) {
      std::vector<float> gradients = back(by);
      std::ranges::transform(gradients, slopes, gradients.begin(), std::multiplies<>());
      return gradients;
    };
    return found;
  };
  made.logits = [linearize = made.linearize](std::span<const float> x) { return linearize(x).logits; };
  return made;
}

// The mean logits are those of sin(x), made smaller: in their worst case every value moves by the radius.
TEST(Draws, AreNeededAgainstARandomizedModel) {
  constexpr std::size_t d = 32, n = 500;
  constexpr double eps = .2;
  const toy::Linear linear = toy::random_linear(d, 2, 3);
  const Classifier model = randomized(linear, .7);
  const std::vector<float> x = toy::random_rows(n, d, 4, -1, 1);
  AttackOptions options{.eps = 0, .parameters = {{"steps", 5}}, .draws = 32};
  const std::vector<std::int64_t> classes = run({model, x, {}, anywhere}, options).classes;
  std::vector<float> worst = x;
  for (std::size_t j = 0; j < n * d; ++j) {
    const auto from = static_cast<std::size_t>(classes[j / d]);
    worst[j] += static_cast<float>(linear.w(from, j % d) < linear.w(1 - from, j % d) ? eps : -eps);
  }
  const double least = run({model, worst, classes, anywhere}, options).clean_accuracy;
  options.eps = eps;
  const Target target{.classifier = model, .x = x, .labels = classes, .box = anywhere, .varies = true};
  const AttackResult many = run(target, options);
  options.draws = 1;
  const AttackResult one = run(target, options);
  EXPECT_NEAR(many.robust_accuracy, least, .03);
  EXPECT_GT(one.robust_accuracy, least + .1);
  EXPECT_GT(one.unreliable_gradient, most_unreliable_gradients);
  EXPECT_FALSE(many.unreliable_gradient.has_value());
  EXPECT_EQ(many.repeats.size(), 32U);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(many.success[i] != 0, many.right_after[i] < .5);
}

TEST(Draws, ChangeNoBitOfADeterministicModel) {
  const Classifier classifier = toy::random_linear(16, 3, 4).classifier();
  const std::vector<float> x = toy::random_rows(30, 16, 5);
  for (const char* const attack : {"pgd", "strong"}) {
    AttackOptions options{.attack = attack, .eps = .05, .parameters = {{"steps", 5}}};
    const AttackResult one = run({classifier, x}, options);
    options.draws = 4;
    const AttackResult four = run({classifier, x}, options);
    EXPECT_EQ(four.x, one.x);
    EXPECT_EQ(four.norms, one.norms);
    EXPECT_EQ(four.repeats, std::vector<double>(4, one.robust_accuracy));
  }
}

// Ranking: failure with loss -1, success with 1, success with 3, failure with 9.
TEST(BestPoint, IsASuccessThenTheLargerLossThenTheEarlier) {
  Best best;
  const auto kept = [&](float x, double loss, bool success) {
    best.offer({1, 1, {x}}, {{loss}, {success}});
    return best.points().values[0];
  };
  EXPECT_EQ(kept(1, -1, false), 1);
  EXPECT_EQ(kept(2, 1, true), 2);
  EXPECT_EQ(kept(3, 3, true), 3);
  EXPECT_EQ(kept(4, 9, false), 3);
  EXPECT_EQ(kept(5, 3, true), 3);
}

// By hand, logits (1, 3, 2), class 0: margin log(e^3 + e^2) - 1, difference 3 - 1, dlr 2 / (3 - 1).
TEST(Losses, AreWhatTheirNamesSay) {
  const Classifier classifier = toy::Linear{3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}.classifier();
  const Points x{1, 3, {1, 3, 2}};
  const Classes y{0};
  const double m = std::log(std::exp(3.) + std::exp(2.)) - 1;
  const double expected[] = {m, 2, std::log1p(std::exp(m)), 1};
  for (const Loss loss : every_loss)
    for (const bool targeted : {false, true}) {
      const Evaluation here = evaluate({classifier, x, y, {}, loss, targeted}, x);
      EXPECT_NEAR(here.value[0], (targeted ? -1 : 1) * expected[static_cast<std::size_t>(loss)], 1e-6)
          << name_of(loss);
      EXPECT_EQ(here.success[0] != 0, !targeted);
    }
  EXPECT_EQ(evaluate_with_gradient({classifier, x, y, {}, Loss::difference, true}, x).gradient.values,
            (std::vector<float>{1, -1, 0}));
}

TEST(Losses, HaveTheGradientsOfDifferences) {
  constexpr float step = 1.f / 512;
  for (const Loss loss : every_loss)
    for (const std::int64_t k : {2, 3, 5})
      for (std::int64_t y = 0; y < k; ++y) {
        std::vector<float> logits = toy::random_rows(1, static_cast<std::size_t>(k), 8, -2, 2),
                           gradient(logits.size());
        (void)loss_of(loss, logits, y, gradient);
        for (std::size_t j = 0; j < logits.size(); ++j) {
          logits[j] += step;
          const double above = loss_of(loss, logits, y);
          logits[j] -= 2 * step;
          EXPECT_NEAR((above - loss_of(loss, logits, y)) / (2 * step), gradient[j],
                      1e-4 * (1 + std::abs(gradient[j])))
              << name_of(loss) << k << y;
          logits[j] += step;
        }
      }
}

}  // namespace leeway::attack::run_test
