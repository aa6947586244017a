#include "leeway/nn/augment/chain.h"

#include <gtest/gtest.h>

#include "tests/message_of.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment::chain_test {

std::string error_of(const std::string& text) {
  return message_of([&] { (void)Chain(text); });
}

TEST(Chain, IsWrittenWithEveryParameter) {
  const Chain chain("flip,randaugment:magnitude=5:num-ops=3,cutmix:alpha=1/2");
  EXPECT_EQ(chain.text(),
            "flip:probability=0.5,randaugment:num-ops=3:magnitude=5:bins=31,cutmix:alpha=0.5:probability=1");
  EXPECT_TRUE(chain.changes_pixels() && chain.mixes());
  EXPECT_EQ(Chain("").text(), "");
  EXPECT_FALSE(Chain("").changes_pixels() || Chain().mixes());
  EXPECT_TRUE(Chain("mixup").mixes());
  EXPECT_FALSE(Chain("mixup").changes_pixels());
  EXPECT_EQ(Chain("weak,weak").text(), "weak,weak");
  for (const Augmentation& member : augmentations()) {
    const std::string text = Chain(member.name).text();
    EXPECT_EQ(Chain(text).text(), text);
  }
}

TEST(Chain, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("flop"), "augmentation: expected one of " + names_of(augmentations()) +
                                  ", found 'flop'; did you mean flip?");
  EXPECT_EQ(error_of("flip,"), "augmentation: expected one of " + names_of(augmentations()) + ", found ''");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"flip:p=1", " flip: expected parameters among probability, found 'p'"},
      {"flip:probability=2", " flip: probability: expected a number from 0 to 1, found 2"},
      {"crop:padding=1.5", " crop: padding: expected a whole number from 0 to 1000, found 1.5"},
      {"augmix:severity=11", " augmix: severity: expected a whole number from 1 to 10, found 11"},
      {"flip:probability=1:probability=0", " flip: expected 'probability' once, found it twice"},
      {"randaugment:magnitude=31",
       " randaugment: magnitude: expected a number below the number of bins, 31, found 31"},
      {"mixup,flip", "s: expected mixup, which mixes images, at the end, found flip after it"},
      {"mixup,cutmix", "s: expected mixup, which mixes images, at the end, found cutmix after it"}};
  for (const auto& [text, said] : cases) EXPECT_EQ(error_of(text), "augmentation" + said);
  for (const std::string part :
       {"half", "", "probability", "probability=", "probability=x", "probability=nan"})
    EXPECT_EQ(error_of("flip:" + part), "augmentation flip: expected PARAMETER=NUMBER, found '" + part + "'");
}

// What an algorithm made outside [0,1] becomes the nearest level.
TEST(Chain, CutsWhatIsNoPixel) {
  std::vector<float> image = {-3.f, .5f, 7.f, 1.f};
  Random random(1, stream("chain test"));
  Chain("flip:probability=0").change(image, 1, 2, 2, random);
  EXPECT_EQ(image, (std::vector<float>{0.f, 127.f / 255.f, 1.f, 1.f}));
}

TEST(Chain, AppliesItsMembersInOrder) {
  const Shape shape = {3, 6, 7};
  const Levels picture = picture_of(shape);
  EXPECT_EQ(after(Chain(""), picture, shape, 0), picture);
  EXPECT_EQ(after(Chain("mixup"), picture, shape, 0), picture);
  EXPECT_EQ(after(Chain("flip:probability=1,flip:probability=1"), picture, shape, 0), picture);
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    Levels levels = picture;
    Random random(5, stream("augment test"), draw);
    const Picture one{levels, 3, 6, 7};
    Chain("crop:padding=2").change(one, random);
    Chain("jitter").change(one, random);
    EXPECT_EQ(after(Chain("crop:padding=2,jitter"), picture, shape, draw), levels);
  }
}

TEST(Chain, ImagesAreLevelsAndBack) {
  std::vector<float> image(256), same;
  for (std::size_t i = 0; i < 256; ++i) image[i] = static_cast<float>(i) / 255.f;
  same = image;
  Random random(5, stream("augment test")), again(5, stream("augment test"));
  Chain("flip:probability=0").change(same, 1, 16, 16, random);
  EXPECT_EQ(same, image) << "every level comes back";
  Levels levels(256);
  for (std::size_t i = 0; i < 256; ++i) levels[i] = static_cast<std::uint8_t>(i);
  const Chain chain("strong");
  Random one(6, stream("augment test")), two(6, stream("augment test"));
  chain.change(image, 1, 16, 16, one);
  chain.change({levels, 1, 16, 16}, two);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(image[i], static_cast<float>(levels[i]) / 255.f);
  std::vector<float> between = {.1234f};
  Chain("mixup").change(between, 1, 1, 1, again);
  EXPECT_EQ(between[0], .1234f) << "without pixel members not even rounded";
}

}  // namespace leeway::nn::augment::chain_test
