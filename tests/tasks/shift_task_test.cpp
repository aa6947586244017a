// Shifted sets: corrupted images come a block at a time, and are those of the whole set.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/tasks/shift/shift.h"
#include "tests/core/files.h"
#include "tests/stopping.h"

namespace leeway::tasks::shift_task_test {

class ShiftTaskTest : public ::testing::Test {
 protected:
  [[nodiscard]] ShiftTask task(const Images& images) const {
    ShiftTask task{"gaussian-noise", images, (folder_ / "out.npz").string()};
    task.options.severity = {3}, task.seed = 5;
    return task;
  }

  const TemporaryFolder folder_;
};

// Two blocks of 2,048 and a rest.
Images made() {
  constexpr std::size_t n = 2 * 2048 + 100;
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
  Random random(1, stream("shift task"));
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(static_cast<std::int64_t>(i % 7));
    for (int p = 0; p < 6; ++p) pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  return {"made", make_array({n, 1, 2, 3}, std::move(pixels)), labels};
}

TEST_F(ShiftTaskTest, BlocksAreTheWholeSet) {
  const Images images = made();
  ShiftTask one = task(images);
  ArrayMap taken;
  one.take = [&](ArrayMap arrays) { taken = std::move(arrays); };
  one.sheet = (folder_ / "sheet.png").string();
  const Shift record = shift_images(one);
  shift::Options options;
  options.severity = 3, options.seed = 5;
  const Images expected = shift::member("gaussian-noise").apply(images, options, nullptr).images;
  const Images found = read_images(one.out), also = images_of(taken, "taken");
  const auto levels = expected.pixels.view<std::uint8_t>();
  for (const Images* const set : {&found, &also}) {
    EXPECT_EQ(set->pixels.shape, images.pixels.shape);
    EXPECT_TRUE(std::ranges::equal(set->pixels.view<std::uint8_t>(), levels));
    EXPECT_EQ(set->labels, images.labels);
  }
  EXPECT_NEAR(*record.results[0].mean_change,
              sum_of_changes(images, expected, 0) / static_cast<double>(levels.size()), 1e-12);
  EXPECT_EQ(record.results[0].n, images.n());
  EXPECT_TRUE(std::filesystem::exists(one.sheet));
}

// Row i has label i mod 7 and group a or b; all labels of b change.
TEST_F(ShiftTaskTest, LabelNoiseByGroups) {
  const Images images = made();
  ShiftTask noisy = task(images);
  const std::string groups = (folder_ / "groups.csv").string();
  std::string text = "place\n";
  for (std::size_t i = 0; i < images.n(); ++i) text += i % 4 == 0 ? "b\n" : "a\n";
  std::ofstream(groups) << text;
  noisy.shift = "label-noise", noisy.options = {.groups = groups, .group_rates = {0, 1}};
  ArrayMap taken;
  noisy.take = [&](ArrayMap arrays) { taken = std::move(arrays); };
  const ShiftedSet set = shift_images(noisy).results[0];
  EXPECT_EQ(set.label_noise->changed, images.n() / 4);
  EXPECT_EQ(set.label_noise->groups[0].changed, 0u);
  EXPECT_EQ(set.label_noise->groups[1].changed, images.n() / 4);
  EXPECT_FALSE(set.mean_change || set.strength);
  const auto before = taken.at("y_source").view<std::int64_t>(), after = taken.at("y").view<std::int64_t>();
  for (std::size_t i = 0; i < images.n(); ++i) ASSERT_EQ(before[i] == after[i], i % 4 != 0);
  noisy.options.group_rates = {.1};
  EXPECT_REFUSED(shift_images(noisy),
                 groups + ": expected 1 groups, one for each of --group-rates, found 2: a, b");
  noisy.options.groups.reset();
  EXPECT_THROW((void)shift_images(noisy), OptionError);
}

TEST_F(ShiftTaskTest, AStopLeavesNoFile) {
  const Images images = made();
  Stopping progress(1);
  EXPECT_REFUSED(shift_images(task(images), &progress),
                 "gaussian-noise stopped after 2048 of 4196 images; nothing was written");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace leeway::tasks::shift_task_test
