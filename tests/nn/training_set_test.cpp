#include "leeway/nn/train/training_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "leeway/nn/train/optimizer.h"
#include "tests/nn/training.h"

namespace leeway::nn::training_set_test {

std::vector<std::int64_t> values_of(std::span<const std::int64_t> rows) { return {rows.begin(), rows.end()}; }

TEST(TrainingSet, BytesStayBytesUntilABatchIsMade) {
  Images bytes = toy::images(20, {3, 4, 5}, 2);
  std::vector<std::uint8_t> levels(20 * 60);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<std::uint8_t>(i * 7 % 256);
  std::vector<float> floats(levels.size());
  std::ranges::transform(levels, floats.begin(),
                         [](std::uint8_t v) { return static_cast<float>(v) / 255.f; });
  Images wide = bytes;
  bytes.pixels = make_array({20, 3, 4, 5}, levels);
  wide.pixels = make_array({20, 3, 4, 5}, floats);
  const data::TrainingData narrow(bytes), all(wide);
  const TrainOptions options = in_batches(6);
  TrainingSet a(narrow, options, {}, "erm"), b(all, options, {}, "erm");
  a.begin_epoch(2), b.begin_epoch(2);
  ASSERT_EQ(a.steps(), 4U);
  for (std::size_t step = 0; step < 4; ++step) {
    const Minibatches first = a.minibatches(step), second = b.minibatches(step);
    EXPECT_TRUE(first.labelled.x.equal(second.labelled.x));
    EXPECT_TRUE(first.labelled.y.equal(second.labelled.y));
    EXPECT_EQ(first.step, 4 + step + 1);
    EXPECT_EQ(first.steps, 40U);
    EXPECT_EQ(first.labelled.rows.size(), step == 3 ? 2U : 6U);
  }
}

TEST(TrainingSet, EveryRowOnceAnEpochInAnotherOrder) {
  const data::TrainingData data(toy::squares(33, 4));
  const TrainOptions options = in_batches(8);
  TrainingSet set(data, options, {}, "erm");
  EXPECT_EQ(set.steps(), 4U) << "the 33rd row joins the last batch";
  std::vector<std::vector<std::int64_t>> orders;
  for (const std::size_t epoch : {1, 2, 1}) {
    set.begin_epoch(epoch);
    orders.emplace_back();
    for (std::size_t step = 0; step < set.steps(); ++step)
      for (const std::int64_t row : set.minibatches(step).labelled.rows) orders.back().push_back(row);
  }
  EXPECT_EQ(orders[0], orders[2]);
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_EQ(std::set<std::int64_t>(orders[1].begin(), orders[1].end()).size(), 33U);
}

TEST(TrainingSet, ALastBatchMayBeLeftOut) {
  const data::TrainingData data(toy::squares(33, 4));
  TrainOptions options = in_batches(8);
  options.last_batch = "drop";
  TrainingSet set(data, options, {}, "erm");
  EXPECT_EQ(set.steps(), 4U);
  set.begin_epoch(1);
  EXPECT_EQ(set.minibatches(3).labelled.rows.size(), 8U);
  options.batch = 50;
  TrainingSet one(data, options, {}, "erm");
  one.begin_epoch(1);
  EXPECT_EQ(one.steps(), 1U);
  EXPECT_EQ(one.minibatches(0).labelled.rows.size(), 33U) << "the only one there is";
}

// 50 rows, 20 of camera b, 17 red ones.
TEST(TrainingSet, BatchesOfAnyAlgorithmMayBeBalanced) {
  const data::TrainingData data = squares_of_two_cameras(50);
  TrainOptions options = in_batches(10);
  const auto counts = [&](const std::string& balance, const Requirements& needs, const std::string& name) {
    options.balance = balance;
    TrainingSet set(data, options, needs, name);
    set.begin_epoch(1);
    std::map<std::int32_t, std::set<std::size_t>> seen;  // of each camera, how many rows batches have
    for (std::size_t step = 0; step < set.steps(); ++step) {
      std::map<std::int32_t, std::size_t> count;
      for (const std::int64_t row : set.minibatches(step).labelled.rows)
        ++count[data.environment->codes[static_cast<std::size_t>(row)]];
      for (const auto& [camera, rows] : count) seen[camera].insert(rows);
    }
    return seen;
  };
  using Seen = std::map<std::int32_t, std::set<std::size_t>>;
  EXPECT_EQ(counts("environment", {}, "erm"), (Seen{{0, {5}}, {1, {5}}}));
  EXPECT_NE(counts("auto", {}, "erm"), (Seen{{0, {5}}, {1, {5}}}));
  Requirements lisa;
  lisa.environments = 2, lisa.own_labels = lisa.unbalanced = true;
  EXPECT_EQ(counts("auto", lisa, "lisa"), (Seen{{0, {5}}, {1, {5}}}));
  std::size_t of_b = 0;
  options.balance = "none";
  TrainingSet natural(data, options, lisa, "lisa");
  natural.begin_epoch(1);
  for (std::size_t step = 0; step < natural.steps(); ++step) {
    const Minibatches batches = natural.minibatches(step);
    std::size_t rows = 0;
    for (const Batch& one : batches.environments) rows += one.rows.size();
    EXPECT_EQ(rows, batches.labelled.rows.size());
    for (const std::int64_t row : batches.labelled.rows)
      of_b += data.environment->codes[static_cast<std::size_t>(row)] == 1 ? 1 : 0;
  }
  EXPECT_EQ(of_b, 20U) << "as often as it occurs";
  options.balance = "groups";
  TrainingSet grouped(data, options, {}, "erm");
  grouped.begin_epoch(1);
  std::set<std::int64_t> groups;
  const Minibatches batches = grouped.minibatches(0);
  const torch::Tensor group = batches.labelled.group;
  for (std::int64_t i = 0; i < group.numel(); ++i) groups.insert(group[i].item<std::int64_t>());
  EXPECT_EQ(groups.size(), std::min<std::size_t>(10, grouped.group_sizes().size()));
}

TEST(TrainingSet, BalanceIsRefusedWhereItCannotBe) {
  const data::TrainingData data = squares_of_two_cameras(50), plain(toy::squares(50, 4));
  TrainOptions options = in_batches(10);
  const auto message = [&](const data::TrainingData& of, const std::string& balance,
                           const Requirements& needs, const std::string& name) {
    options.balance = balance;
    return message_of([&] { TrainingSet(of, options, needs, name); });
  };
  Requirements irm, resample;
  irm.environments = 2, irm.least_rows = 2;
  resample.balanced = resample.groups = true;
  EXPECT_THAT(message(data, "none", irm, "irm"), Says("train: balance: expected auto... found none"));
  EXPECT_EQ(message(data, "environment", irm, "irm"), "no error");
  EXPECT_THAT(message(data, "none", resample, "resample"), Says("train: balance: expected ... found none"));
  EXPECT_THAT(message(plain, "environment", {}, "erm"), Says("train: balance: expected an ... found none"));
  EXPECT_THAT(message(plain, "groups", {}, "erm"),
              Says("train: balance: expected groups for each ... found none"));
}

TEST(TrainingSet, EnvironmentsHaveEqualPartsOfEveryBatch) {
  const data::TrainingData data = squares_of_two_cameras(50);  // 20 rows of b
  const TrainOptions options = in_batches(12);
  Requirements needs;
  needs.environments = 2, needs.least_rows = 2;
  TrainingSet set(data, options, needs, "irm");
  EXPECT_EQ(set.steps(), 4U) << "two rows of each: the last two join";
  set.begin_epoch(1);
  std::map<std::int64_t, int> times;
  for (std::size_t step = 0; step < set.steps(); ++step) {
    const Minibatches batches = set.minibatches(step);
    ASSERT_EQ(batches.environments.size(), 2U);
    EXPECT_EQ(batches.environments[0].rows.size(), batches.environments[1].rows.size());
    EXPECT_TRUE(torch::cat({batches.environments[0].x, batches.environments[1].x}).equal(batches.labelled.x));
    for (std::size_t e = 0; e < 2; ++e)
      for (const std::int64_t row : batches.environments[e].rows) {
        EXPECT_EQ(data.environment->codes[static_cast<std::size_t>(row)], static_cast<std::int32_t>(e));
        ++times[row];
      }
  }
  for (const auto& [row, count] : times)
    EXPECT_LE(count, data.environment->codes[static_cast<std::size_t>(row)] == 1 ? 2 : 1);
}

TEST(TrainingSet, BalancedGroups) {
  const data::TrainingData data = squares_of_two_cameras(200);
  const TrainOptions options = in_batches(32);
  Requirements needs;
  needs.groups = needs.balanced = true;
  TrainingSet set(data, options, needs, "group-dro");
  ASSERT_EQ(set.group_sizes().size(), 8U);
  set.begin_epoch(1);
  const torch::Tensor counts = torch::bincount(set.minibatches(0).labelled.group, {}, 8);
  EXPECT_TRUE(counts.eq(4).all().item<bool>()) << counts;
}

TEST(TrainingSet, UnlabelledImagesPassAfterPass) {
  const data::TrainingData data = squares_of_two_cameras(64);  // 50 unlabelled
  const TrainOptions options = in_batches(16);
  Requirements needs;
  needs.unlabelled = true, needs.unlabelled_ratio = 2;
  needs.unlabelled_views = {"weak", "strong"}, needs.views = {"weak"};
  const auto rows = [&](std::size_t from_epoch) {
    TrainingSet set(data, options, needs, "fixmatch");
    std::vector<std::int64_t> all;
    for (std::size_t epoch = from_epoch; epoch <= 3; ++epoch) {
      set.begin_epoch(epoch);
      for (std::size_t step = 0; step < set.steps(); ++step) {
        const Minibatches batches = set.minibatches(step);
        EXPECT_EQ(batches.unlabelled.views.size(), 2U);
        EXPECT_EQ(batches.labelled.views.at(0).sizes(), batches.labelled.x.sizes());
        EXPECT_EQ(batches.unlabelled.views[1].sizes(), batches.unlabelled.x.sizes());
        EXPECT_FALSE(batches.unlabelled.views[0].equal(batches.unlabelled.views[1]));
        for (const std::int64_t row : batches.unlabelled.rows) all.push_back(row);
      }
    }
    return all;
  };
  const std::vector<std::int64_t> all = rows(1), later = rows(2);
  ASSERT_EQ(all.size(), 3 * 128U);
  EXPECT_EQ(values_of(std::span(all).subspan(128)), later)
      << "an epoch's images do not depend on what ran before";
  for (std::size_t pass = 0; pass + 50 <= all.size(); pass += 50)
    EXPECT_EQ(std::set<std::int64_t>(all.begin() + static_cast<std::ptrdiff_t>(pass),
                                     all.begin() + static_cast<std::ptrdiff_t>(pass + 50))
                  .size(),
              50U);
}

TEST(TrainingSet, CutmixSharesAreSharesOfPixels) {
  Images images = toy::images(16, {1, 4, 12}, 2);
  std::vector<float> values(16 * 48);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i / 48) / 16;
  images.pixels = make_array({16, 1, 4, 12}, values);
  std::iota(images.labels->begin(), images.labels->end(), std::int64_t{0});
  const data::TrainingData data(images);
  TrainOptions options = in_batches(16);
  options.augment = "cutmix:alpha=1:probability=1";
  TrainingSet set(data, options, {}, "erm");
  std::size_t mixed = 0;
  for (std::size_t epoch = 1; epoch <= 10; ++epoch) {
    set.begin_epoch(epoch);
    const Batch batch = set.minibatches(0).labelled;
    if (!batch.share.defined()) continue;
    ++mixed;
    const torch::Tensor own = batch.x == (batch.y.to(torch::kFloat32) / 16).view({16, 1, 1, 1});
    const torch::Tensor found = own.to(torch::kFloat64).mean({1, 2, 3});
    for (std::int64_t i = 0; i < 16; ++i)
      EXPECT_NEAR(found[i].item<double>(),
                  batch.y[i].equal(batch.other[i]) ? 1 : batch.share[i].item<double>(), 1e-6);
  }
  EXPECT_GT(mixed, 5U);
}

// The place of a window in an image, or (-1,-1).
std::pair<std::int64_t, std::int64_t> place_of(const torch::Tensor& window, const torch::Tensor& image) {
  for (std::int64_t top = 0; top + window.size(1) <= image.size(1); ++top)
    for (std::int64_t left = 0; left + window.size(2) <= image.size(2); ++left)
      if (image.slice(1, top, top + window.size(1)).slice(2, left, left + window.size(2)).equal(window))
        return {top, left};
  return {-1, -1};
}

TEST(TrainingSet, WindowsOfLargerImages) {
  data::TrainingData data(toy::images(60, {3, 8, 9}, 2));
  data.unlabelled = toy::images(30, {3, 8, 9}, 3);
  TrainOptions options = in_batches(20);
  options.crop = 6, options.validation = .2;
  Requirements needs;
  needs.unlabelled = true, needs.unlabelled_views = {"flip:probability=0", "flip:probability=0"};
  TrainingSet set(data, options, needs, "fixmatch"), again(data, options, needs, "fixmatch");
  EXPECT_EQ(set.shape(), (InputShape{3, 6, 6}));
  std::map<std::pair<std::int64_t, std::int64_t>, int> places;
  std::size_t apart = 0;
  for (std::size_t epoch = 1; epoch <= 8; ++epoch) {
    set.begin_epoch(epoch), again.begin_epoch(epoch);
    for (std::size_t step = 0; step < set.steps(); ++step) {
      const Minibatches batches = set.minibatches(step);
      EXPECT_TRUE(batches.labelled.x.equal(again.minibatches(step).labelled.x));
      for (std::size_t i = 0; i < batches.labelled.rows.size(); ++i)
        ++places[place_of(batches.labelled.x[static_cast<std::int64_t>(i)],
                          pixels(data.images, static_cast<std::size_t>(batches.labelled.rows[i]),
                                 static_cast<std::size_t>(batches.labelled.rows[i]) + 1)[0])];
      const torch::Tensor first = batches.unlabelled.views.at(0), second = batches.unlabelled.views.at(1);
      for (std::int64_t i = 0; i < first.size(0); ++i) apart += first[i].equal(second[i]) ? 0 : 1;
    }
  }
  EXPECT_EQ(places.size(), 12U) << "3 x 4 places";
  for (const auto& [place, count] : places) {
    EXPECT_GE(place.first, 0);
    EXPECT_NEAR(count, 8 * 48 / 12., 24) << place.first << ", " << place.second;
  }
  EXPECT_NEAR(static_cast<double>(apart), 8 * 48 * 11 / 12., 40) << "every view at a place of its own";
  const std::vector<std::int64_t> rows = {5, 3};
  EXPECT_EQ(place_of(set.batch(rows).x[1], pixels(data.images, 3, 4)[0]),
            (std::pair<std::int64_t, std::int64_t>(1, 2)))
      << "of 3 pixels more the even place";
  const std::int64_t held = set.validation().front();
  const auto row = static_cast<std::size_t>(held);
  EXPECT_EQ(
      place_of(set.batch(std::span(set.validation()).first(1)).x[0], pixels(data.images, row, row + 1)[0]),
      (std::pair<std::int64_t, std::int64_t>(1, 2)));
  set.append(torch::full({1, 3, 6, 6}, .5), std::vector<std::int64_t>{3});
  EXPECT_TRUE(set.batch(std::vector<std::int64_t>{60, 3}).x[0].eq(.5).all().item<bool>());
}

TEST(TrainingSet, WindowsOfUnlabelledImagesAndOfRowsBeside) {
  data::TrainingData data(toy::images(60, {1, 9, 9}, 2));
  data.unlabelled = toy::images(60, {1, 9, 9}, 3);
  TrainOptions options = in_batches(20), small = in_batches(10);
  options.crop = small.crop = 6;
  Requirements needs;
  needs.unlabelled = true;
  TrainingSet set(data, options, needs, "dann"), other(data, small, needs, "dann");
  set.begin_epoch(1), other.begin_epoch(1);
  const Minibatches batches = set.minibatches(0), first = other.minibatches(0), second = other.minibatches(1);
  EXPECT_TRUE(batches.labelled.x.equal(torch::cat({first.labelled.x, second.labelled.x})));
  EXPECT_TRUE(batches.unlabelled.x.equal(torch::cat({first.unlabelled.x, second.unlabelled.x})));
  std::set<std::pair<std::int64_t, std::int64_t>> unlabelled, beside;
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto row = static_cast<std::size_t>(batches.unlabelled.rows[static_cast<std::size_t>(i)]);
    unlabelled.insert(place_of(batches.unlabelled.x[i], pixels(*data.unlabelled, row, row + 1)[0]));
    beside.insert(
        place_of(set.augmented(std::vector<std::int64_t>{4, i}).x[1],
                 pixels(data.images, static_cast<std::size_t>(i), static_cast<std::size_t>(i) + 1)[0]));
  }
  EXPECT_GT(unlabelled.size(), 4U);
  EXPECT_FALSE(unlabelled.contains({-1, -1}));
  EXPECT_FALSE(beside.contains({-1, -1}));
  const torch::Tensor two = set.augmented(std::vector<std::int64_t>(12, 7)).x;
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t i = 0; i < 12; ++i) places.insert(place_of(two[i], pixels(data.images, 7, 8)[0]));
  EXPECT_GT(places.size(), 3U) << "one row at several places";
}

// LibTorch's own on the same gradients, 20 steps, the last ten from the state of the first.
template <class Reference, class Options>
void expect_steps_of(const OptimizerOptions& options, const Options& same) {
  torch::manual_seed(3);
  torch::Tensor ours = torch::randn({7, 5}), theirs = ours.clone().requires_grad_();
  auto optimizer = make_optimizer(options, {ours});
  Reference reference({theirs}, same);
  for (int step = 0; step < 20; ++step) {
    if (step == 10) {
      const Tensors state = optimizer->state();
      optimizer = make_optimizer(options, {ours});
      optimizer->restore(state, "state");
    }
    const torch::Tensor gradient = torch::randn({7, 5});
    optimizer->step({gradient});
    theirs.mutable_grad() = gradient;
    reference.step();
  }
  EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6) << options.kind;
}

TEST(Optimizers, AgreeWithLibTorch) {
  const auto sgd = torch::optim::SGDOptions(.01).weight_decay(.1).momentum(.8);
  expect_steps_of<torch::optim::SGD>({"sgd", .01, .1, .8}, sgd);
  expect_steps_of<torch::optim::SGD>({"nesterov", .01, .1, .8}, torch::optim::SGDOptions(sgd).nesterov(true));
  expect_steps_of<torch::optim::AdamW>({"adam", .01, .1}, torch::optim::AdamWOptions(.01).weight_decay(.1));
  expect_steps_of<torch::optim::Adam>(
      {.kind = "adam", .learning_rate = .01, .weight_decay = .1, .coupled = true},
      torch::optim::AdamOptions(.01).weight_decay(.1));
}

TEST(Schedule, ByHand) {
  EXPECT_EQ(Schedule("constant").factor(70, 100, 8), 1);
  EXPECT_EQ(Schedule("cosine").factor(1, 100, 1), 1);
  EXPECT_NEAR(Schedule("cosine").factor(51, 100, 1), .5, 1e-12);
  EXPECT_NEAR(Schedule("inverse").factor(101, 200, 1), std::pow(6, -.75), 1e-12);
  EXPECT_EQ(Schedule("step:2:4").factor(1, 100, 2), 1);
  EXPECT_EQ(Schedule("step:2:4").factor(1, 100, 3), .1);
  EXPECT_NEAR(Schedule("step:2:4").factor(1, 100, 5), .01, 1e-12);
  EXPECT_NEAR(Schedule("exponential:0.96").factor(9, 10, 3), .96 * .96, 1e-12);
  const Schedule linear("linear:0.5");
  EXPECT_NEAR(linear.factor(1, 9, 1), .2, 1e-12);
  EXPECT_NEAR(linear.factor(5, 9, 1), 1, 1e-12);
  EXPECT_NEAR(linear.factor(9, 9, 1), .2, 1e-12);
  EXPECT_NEAR(Schedule("warm-up:5").factor(1, 9, 2), .4, 1e-12);
  EXPECT_EQ(Schedule("warm-up:5").factor(1, 9, 9), 1);
  EXPECT_NEAR(Schedule("warm-up:5,step:1,exponential:0.5").factor(1, 9, 3), .6 * .1 * .25, 1e-12);
  for (const char* text :
       {"", "constant:1", "cosine:", "linear", "linear:1", "step", "step:0", "exponential:x", "warm",
        "cosine:1", "inverse:1", "warm-up:", "cosine,", ",", "cosine,,cosine"})
    EXPECT_TRUE(message_of([&] { (void)Schedule(text); }).ends_with(std::string(", found '") + text + "'"))
        << text;
}

}  // namespace leeway::nn::training_set_test
