#include "leeway/error_bound/detail/critic_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"
#include "leeway/error_bound/component_range.h"
#include "leeway/error_bound/detail/lifted_class.h"
#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound::critic_rows_test {

std::vector<std::size_t> sorted_union(const Split& split) {
  std::vector<std::size_t> all = split.training;
  all.insert(all.end(), split.holdout.begin(), split.holdout.end());
  std::ranges::sort(all);
  return all;
}

TEST(Split, PartsARowOnceAndTheWantedShareIsHeldOut) {
  for (const std::size_t n : {2, 3, 10, 101})
    for (const double holdout : {.01, .3, .5, .95}) {
      const Sample sample = drawn(n, 3, 1, n);
      for (const bool stratified : {false, true}) {
        const Split split =
            split_rows(sample, holdout,
                       stratified ? std::span(sample.labels) : std::span<const std::int64_t>(), 1, "test");
        const std::vector<std::size_t> all = sorted_union(split);
        ASSERT_EQ(all.size(), n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(all[i], i);
        const double wanted = std::clamp(std::round(holdout * double(n)), 1., double(n - 1));
        EXPECT_EQ(split.holdout.size(), wanted) << n << ' ' << holdout;
      }
    }
}

TEST(Split, StratifiedKeepsTheShareOfEveryClass) {
  // 70 rows of class 0, 20 of 1, 9 of 2, a single one of 3: half of each, to within one row.
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 100; ++i) labels.push_back(i < 70 ? 0 : i < 90 ? 1 : i < 99 ? 2 : 3);
  const Sample sample = sample_of(4, std::vector<double>(400, 0.), labels);
  double farthest_plain = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const bool stratified : {false, true}) {
      const Split split = split_rows(
          sample, .5, stratified ? std::span(labels) : std::span<const std::int64_t>(), seed, "test");
      const double counts[] = {70, 20, 9, 1};
      for (std::int64_t c = 0; c < 4; ++c) {
        const double held =
            double(std::ranges::count_if(split.holdout, [&](std::size_t row) { return labels[row] == c; }));
        const double off = std::abs(held - counts[c] / 2);
        if (!stratified)
          farthest_plain = std::max(farthest_plain, off);
        else {
          EXPECT_LE(off, 1) << seed << ' ' << c;
        }
      }
    }
  EXPECT_GT(farthest_plain, 1);  // chance alone does not keep them
}

// Features: 40 along u, where they have mean 0 and deviation 3, and the constant 5 along v; u and v are unit vectors at
// right angles. Uncentred, v leads (25 a row against 9); centred, u would.
struct Turned {
  Sample source, target;
  double u[3] = {.6, .8, 0}, v[3] = {0, 0, 1};
};

Turned turned() {
  Turned made{drawn(40, 2, 1, 1), drawn(30, 2, 1, 2)};
  std::vector<double> source, target;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 3; ++j) source.push_back((i % 2 ? 3 : -3) * made.u[j] + 5 * made.v[j]);
  for (std::size_t i = 0; i < 30; ++i)  // the target's own direction, (-.8, .6, 0), has no say
    for (const double value : {-.8 * 100 * double(i), .6 * 100 * double(i), double(i)})
      target.push_back(value);
  made.source.features = make_array<double>({40, 3}, source);
  made.target.features = make_array<double>({30, 3}, target);
  return made;
}

// Column j of row i as the representation holds it, scaling undone.
double raw(const CriticData& data, std::size_t i, std::size_t j) {
  return double(data.training.at_row(i, j)) * data.scale[j] + data.centre[j];
}

TEST(Components, AreThoseOfTheUncentredSource) {
  const Turned made = turned();
  Dis2Options options;
  options.holdout = 0;
  for (const std::size_t components : {1, 2}) {
    options.representation = {Representation::Kind::pca, components, 0};
    const CriticData data = critic_data(made.source, made.target, options, Scaling::standard);
    ASSERT_EQ(data.training.d, components);
    const std::size_t leading = components - 1;  // ascending: the leading one is last
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_NEAR(std::abs(raw(data, i, leading)), 5, 1e-4);
      if (components == 2) {
        EXPECT_NEAR(std::abs(raw(data, i, 0)), 3, 1e-4);
      }
    }
    for (std::size_t i = 0; i < 30; ++i)
      EXPECT_NEAR(std::abs(raw(data, 40 + i, leading)), double(i), 1e-3) << "the target's rows along v";
  }
}

TEST(Components, OfTheTrainingRowsAlone) {
  Turned made = turned();
  Dis2Options options;
  options.representation = {Representation::Kind::pca, 1, 0};
  const CriticData before = critic_data(made.source, made.target, options, Scaling::none);
  std::vector<double> moved = to_f64(*made.source.features, "features");
  for (const std::size_t row : before.source.holdout)
    for (std::size_t j = 0; j < 3; ++j) moved[3 * row + j] = j == 0 ? 1000 : 0;
  made.source.features = make_array<double>({40, 3}, moved);
  const CriticData after = critic_data(made.source, made.target, options, Scaling::none);
  EXPECT_EQ(before.training.x, after.training.x);
  EXPECT_NE(before.holdout.kept->x, after.holdout.kept->x);
}

TEST(Components, AFractionIsRoundedDown) {
  const Sample source = [] {
    Sample sample = drawn(30, 2, 1, 1);
    Random random(2, stream("features"));
    std::vector<double> values(30 * 9);
    for (double& value : values) value = random.normal();
    sample.features = make_array<double>({30, 9}, values);
    return sample;
  }();
  Dis2Options options;
  const auto columns = [&](std::size_t components, std::size_t fraction) {
    options.representation = {Representation::Kind::pca, components, fraction};
    return critic_data(source, source, options, Scaling::standard).training.d;
  };
  EXPECT_EQ(columns(0, 1), 9u);
  EXPECT_EQ(columns(0, 2), 4u);
  EXPECT_EQ(columns(0, 9), 1u);
  EXPECT_EQ(columns(5, 0), 5u);
  EXPECT_REFUSED(columns(0, 10), "source: expected 1 to 9 principal components, found 0");
  EXPECT_REFUSED(columns(10, 0), "source: expected 1 to 9 principal components, found 10");
}

TEST(CriticRows, ColumnsHaveUnitVarianceAndConstantsAre0) {
  Sample source = drawn(60, 3, 1, 1), target = drawn(40, 3, 1, 2);
  std::vector<double> values;
  for (std::size_t i = 0; i < 60; ++i)
    values.insert(values.end(), {1e6 + double(i % 7), .1, -3. * double(i)});
  source.features = make_array<double>({60, 3}, values);
  values.resize(120);
  target.features = make_array<double>({40, 3}, values);
  Dis2Options options;
  options.holdout = 0, options.representation.kind = Representation::Kind::features;
  const CriticData data = critic_data(source, target, options, Scaling::standard);
  for (const std::size_t j : {0, 1, 2}) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      const double x = double(data.training.at_row(i, j));
      sum += x, squares += x * x;
    }
    EXPECT_NEAR(sum / 100, 0, 1e-5) << j;
    EXPECT_NEAR(squares / 100, j == 1 ? 0 : 1, 1e-5) << j;
  }
}

// 1e139 is legal and more than float32 holds, the more so in units of a tiny deviation.
TEST(CriticRows, ExtremesStayNumbers) {
  Sample source = drawn(40, 3, 1, 1), target = drawn(40, 3, 1, 2);
  Dis2Options options;
  options.restarts = 2, options.representation.kind = Representation::Kind::features;
  for (const double spread : {1., 1e-30}) {
    std::vector<double> values(80);
    for (std::size_t i = 0; i < 80; ++i) values[i] = spread * double(i % 5);
    source.features = make_array<double>({40, 2}, values);
    const CriticData plain = critic_data(source, source, options, Scaling::none);
    values[2 * plain.target.holdout.front()] = 1e139;
    values[2 * plain.target.training.front() + 1] = -1e139;
    target.features = make_array<double>({40, 2}, values);
    for (const Scaling scaling : {Scaling::none, Scaling::standard}) {
      const CriticData data = critic_data(source, target, options, scaling);
      for (const CriticRows* rows : {&data.training, &*data.holdout.kept})
        for (const float x : rows->x) ASSERT_LE(std::abs(x), 1e18f);
    }
    train_reference(critic_data(source, target, options, Scaling::none).training, options.loss, 1, 0,
                    [](std::span<const float> theta) {
                      for (const float value : theta) ASSERT_TRUE(std::isfinite(value));
                    });
  }
}

TEST(CriticRows, FeaturesMustHaveAColumn) {
  Sample source = drawn(4, 3, 1, 1);
  source.features = make_array<double>({4, 0}, {});
  Dis2Options options;
  options.representation.kind = Representation::Kind::features;
  EXPECT_REFUSED(critic_data(source, source, options, Scaling::standard), "source: expected ... found none");
}

// Two classes along column 0, which has the least variance of d; the target lies elsewhere along column 1.
Sample featured(const char* name, std::size_t n, std::size_t d, bool target, std::uint64_t number) {
  Random random(3, stream("component range"), number);
  std::vector<double> logits, features;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = random.normal();
    logits.insert(logits.end(), {0, 3 * u});
    features.push_back(u);
    for (std::size_t j = 1; j < d; ++j)
      features.push_back((2 + double(j)) * (random.normal() + (target && j == 1 ? 3 : 0)));
  }
  Sample sample = sample_of(2, std::move(logits), std::vector<std::int64_t>(n, 0), name);
  sample.features = make_array<double>({n, d}, std::move(features));
  return sample;
}

TEST(ComponentRange, FractionsOfThePaperWithoutFewerThanFour) {
  using List = std::vector<std::size_t>;
  EXPECT_EQ(fractions_of(3), List{});
  EXPECT_EQ(fractions_of(4), List{1});
  EXPECT_EQ(fractions_of(15), List{1});
  EXPECT_EQ(fractions_of(16), (List{1, 4}));
  EXPECT_EQ(fractions_of(511), (List{1, 4, 16, 32, 64}));
  EXPECT_EQ(fractions_of(2048), (List{1, 4, 16, 32, 64, 128}));
}

// Bounds .9, .6, .4, .4, .2 of which some are kept.
TEST(ComponentRange, TheLeastBoundOfThoseKeptIsChosen) {
  const auto chosen = [](std::vector<bool> kept) {
    const double values[] = {.9, .6, .4, .4, .2};
    std::vector<ComponentBound> bounds(5);
    for (std::size_t i = 0; i < 5; ++i) bounds[i].dis2.bound = values[i], bounds[i].kept = kept[i];
    return least_kept(bounds);
  };
  EXPECT_EQ(chosen({true, true, true, true, true}), 4u);
  EXPECT_EQ(chosen({true, true, true, true, false}), 2u);  // tied with the next
  EXPECT_EQ(chosen({false, true, false, true, false}), 3u);
  EXPECT_EQ(chosen({false, true, false, false, false}), 1u);
  EXPECT_EQ(chosen({true, false, false, false, false}), 0u);
  EXPECT_EQ(chosen({false, false, false, false, false}), 0u);  // all components
}

class Range : public ::testing::Test {
 protected:
  Sample source_ = featured("s", 800, 64, false, 1), target_ = featured("t", 600, 64, true, 2);
  Dis2Options options_ = [] {
    Dis2Options options;
    options.restarts = 3;  // each of the two classes alone among them
    return options;
  }();
};

TEST_F(Range, EachIsDis2AtItsShareOfDelta) {
  const ComponentRange range = dis2_over_components(source_, target_, options_);
  ASSERT_EQ(range.bounds.size(), 3u);  // 64, 16, 4
  Dis2Options one = options_;
  one.delta = .01 / 3;
  for (const ComponentBound& bound : range.bounds) {
    one.representation = {Representation::Kind::pca, bound.components, 0};
    const Dis2 alone = dis2_bound(source_, target_, one);
    EXPECT_EQ(bound.dis2.bound, alone.bound);
    EXPECT_EQ(bound.dis2.restarts, alone.restarts);
    EXPECT_EQ(bound.dis2.concentration, hoeffding_term(400, 300, .01 / 3));
  }
}

TEST_F(Range, KeepsWhatReachesTheScore) {
  const ComponentRange all = dis2_over_components(source_, target_, options_, 0);
  const double threshold = all.bounds[1].validity_score;
  const ComponentRange range = dis2_over_components(source_, target_, options_, threshold);
  for (std::size_t i = 0; i < range.bounds.size(); ++i) {
    EXPECT_TRUE(all.bounds[i].kept);
    EXPECT_EQ(range.bounds[i].kept, all.bounds[i].validity_score >= threshold);
  }
  EXPECT_EQ(all.chosen, least_kept(all.bounds));
  EXPECT_EQ(range.chosen, least_kept(range.bounds));
  options_.search = Search::reference;  // the score is this recipe's in any case
  const ComponentRange recipe = dis2_over_components(source_, target_, options_);
  EXPECT_EQ(*recipe.best().dis2.validity_score, recipe.best().validity_score);
}

// The four leading components lack what the classifier looks at: no critic can agree with it on the source.
TEST_F(Range, TooFewComponentsLowerDiscrepancyAndScore) {
  source_ = featured("s", 1600, 64, false, 1), target_ = featured("t", 1200, 64, true, 2);
  const ComponentRange range = dis2_over_components(source_, target_, options_);
  const ComponentBound &all = range.bounds.front(), &few = range.bounds.back();
  EXPECT_LT(few.dis2.discrepancy, all.dis2.discrepancy - .1);
  EXPECT_LT(few.validity_score, all.validity_score - .1);
}

TEST_F(Range, BadInputIsOneLine) {
  const auto message = [&](double least) {
    return message_of([&] { (void)dis2_over_components(source_, target_, options_, least); });
  };
  EXPECT_EQ(message(1.5), "validity: expected a score from 0 to 1, found 1.5");
  EXPECT_EQ(message(std::nan("")), "validity: expected a score from 0 to 1, found nan");
  target_.features.reset();
  EXPECT_EQ(message(.5), "t: expected features, which the critics are set to use, found none");
  source_ = featured("s", 20, 3, false, 1);
  EXPECT_EQ(message(.5), "s: expected at least 4 features for a range, found 3");
  source_.features.reset();
  EXPECT_EQ(message(.5), "s: expected features, which the critics are set to use, found none");
}

}  // namespace leeway::error_bound::critic_rows_test
