// What every shift owes, whatever it does: a new member is tested the day it is listed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tests/at_threads.h"
#include "tests/case_name.h"
#include "tests/shift/pictures.h"
#include "tests/stopping.h"

namespace leeway::shift::members_test {

class EveryShift : public ::testing::TestWithParam<Member> {
 protected:
  // label-subset keeps two of the three classes; imbalance and label noise order all; the others look at no
  // class.
  static std::vector<std::int64_t> classes() {
    if (!GetParam().keeps_pixels()) return {};
    return GetParam().name == "label-subset" ? std::vector<std::int64_t>{2, 0}
                                             : std::vector<std::int64_t>{1, 2, 0};
  }
  static Shifted run(const Images& images, double strength, std::uint64_t seed = 7,
                     Progress* progress = nullptr) {
    return GetParam().apply(images, {strength, seed, classes()}, progress);
  }
  const Images images_ = random_images(700, 2, 5, 4);
};

class ShiftOfPixels : public EveryShift {};  // not those that select rows

TEST_P(EveryShift, RefusesStrengthsOutOfRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double strength :
       {GetParam().strength().low - 1, std::nextafter(GetParam().strength().high, infinity), infinity,
        std::nan("")}) {
    const std::string message = message_of([&] { (void)run(images_, strength); });
    EXPECT_THAT(message, ::testing::StartsWith(fmt::format("shift {}: expected ", GetParam().name)));
    EXPECT_THAT(message, ::testing::EndsWith(fmt::format(", found {}", strength)));
  }
}

TEST_P(EveryShift, StaysBetweenZeroAndOne) {
  std::set<double> strengths{GetParam().strength().low, GetParam().strength().value,
                             GetParam().strength().high};
  for (const double strength : strengths)
    for (const float x : floats(run(images_, strength).images))
      ASSERT_TRUE(x >= 0 && x <= 1) << strength << " " << x;
}

TEST_P(EveryShift, ChangesSomethingByDefault) {
  const Shifted shifted = run(images_, GetParam().strength().value);
  EXPECT_NE(std::pair(floats(shifted.images), shifted.images.labels),
            std::pair(floats(images_), images_.labels));
}

TEST_P(EveryShift, ChangesNothingAtItsIdentity) {
  const std::map<std::string_view, double> identities{
      {"gaussian-noise", 0}, {"brightness", 0}, {"contrast", 1},    {"gaussian-blur", 0},   {"rotation", 0},
      {"pixelation", 1},     {"imbalance", 1},  {"label-noise", 0}, {"label-noise-pair", 0}};
  const auto found = identities.find(GetParam().name);
  if (found == identities.end()) return;
  const Shifted shifted = run(images_, found->second);
  EXPECT_EQ(floats(shifted.images), floats(images_));
  EXPECT_EQ(shifted.images.labels, images_.labels);
}

TEST_P(EveryShift, LabelsAndPixelsFollowTheRows) {
  const Shifted shifted = run(images_, GetParam().strength().value);
  ASSERT_EQ(shifted.rows.size(), shifted.images.n());
  ASSERT_EQ(shifted.images.labels->size(), shifted.images.n());
  EXPECT_TRUE(std::is_sorted(shifted.rows.begin(), shifted.rows.end()));
  if (GetParam().select == nullptr) {
    EXPECT_EQ(shifted.images.pixels.shape, images_.pixels.shape);
  }
  std::vector<float> was(images_.pixels_per_image()), is(was.size());
  for (std::size_t i = 0; i < shifted.rows.size(); ++i) {
    if (GetParam().relabel == nullptr) {
      EXPECT_EQ((*shifted.images.labels)[i], (*images_.labels)[shifted.rows[i]]);
    }
    if (GetParam().select == nullptr) {
      EXPECT_EQ(shifted.rows[i], i);
      if (!GetParam().keeps_pixels()) continue;
    }
    images_.copy_row(shifted.rows[i], was);
    shifted.images.copy_row(i, is);
    EXPECT_EQ(was, is);
  }
}

TEST_P(EveryShift, HasTheSameBitsForAnyThreads) {
  const auto work = [&] { return run(images_, GetParam().strength().value); };
  const Shifted one = at_threads(1, work);
  for (const int count : {2, 7}) {
    const Shifted many = at_threads(count, work);
    EXPECT_EQ(floats(one.images), floats(many.images));
    EXPECT_EQ(one.rows, many.rows);
  }
}

// The other pictures all become black: picture 600 stays what it was.
TEST_P(ShiftOfPixels, LooksAtOnePictureAtATime) {
  const std::size_t size = images_.pixels_per_image(), start = 600 * size;
  std::vector<float> pixels = floats(images_);
  std::fill(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(start), 0.f);
  std::fill(pixels.begin() + static_cast<std::ptrdiff_t>(start + size), pixels.end(), 0.f);
  const Images alone = make_images(images_.pixels.shape, pixels);
  const auto a = floats(run(images_, GetParam().strength().value).images);
  const auto b = floats(run(alone, GetParam().strength().value).images);
  for (std::size_t i = start; i < start + size; ++i) ASSERT_EQ(a[i], b[i]);
}

TEST_P(EveryShift, ReadsBytesAsFractions) {
  std::vector<std::uint8_t> bytes(6 * 12);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 3);
  std::vector<float> fractions(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) fractions[i] = static_cast<float>(bytes[i]) / 255.f;
  const std::vector<std::int64_t> labels{0, 1, 2, 0, 1, 2};
  const Images whole{"bytes.npz", make_array(std::vector<std::size_t>{6, 1, 4, 3}, bytes), labels};
  const Images parts{"floats.npz", make_array(std::vector<std::size_t>{6, 1, 4, 3}, fractions), labels};
  const Shifted from_bytes = run(whole, GetParam().strength().value),
                from_floats = run(parts, GetParam().strength().value);
  EXPECT_EQ(from_bytes.rows, from_floats.rows);
  EXPECT_EQ(floats(from_bytes.images), floats(from_floats.images));
  EXPECT_EQ(from_bytes.images.pixels.type, GetParam().keeps_pixels() ? ElementType::u8 : ElementType::f32);
}

TEST_P(ShiftOfPixels, ReportsAndStops) {
  Stopping watching(Stopping::never), stopping;
  (void)run(images_, GetParam().strength().value, 0, &watching);
  EXPECT_THAT(watching.tasks, ::testing::ElementsAre(GetParam().name));
  EXPECT_EQ(watching.done, 700u);
  EXPECT_EQ(watching.total, 700u);
  EXPECT_THROW((void)run(images_, GetParam().strength().value, 0, &stopping), Interrupted);
}

std::vector<Member> members_where(bool (*condition)(const Member&)) {
  std::vector<Member> some;
  std::copy_if(members().begin(), members().end(), std::back_inserter(some), condition);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Members, EveryShift, ::testing::ValuesIn(members_where([](const Member& m) {
                           return m.has_strengths();
                         })),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Members, ShiftOfPixels, ::testing::ValuesIn(members_where([](const Member& m) {
                           return m.by_strength != nullptr;
                         })),
                         case_name);
}  // namespace leeway::shift::members_test
