// Arrays in memory are read as files of them are: the same values from the same storage, the same errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "leeway/core/images.h"
#include "leeway/core/npy.h"
#include "leeway/core/outputs.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;

template <class T>
Array elements(std::string_view descr, const std::vector<std::size_t>& shape, const std::vector<T>& values) {
  const auto kept = std::make_shared<const std::vector<T>>(values);
  return array_of_elements(descr, shape, std::as_bytes(std::span(*kept)), kept, "a");
}

TEST(ArrayOfElements, SharesWhatIsNative) {
  const auto kept = std::make_shared<const std::vector<float>>(6, 1.f);
  const Array array = array_of_elements("<f4", {2, 3}, std::as_bytes(std::span(*kept)), kept, "a");
  EXPECT_EQ(array.storage.get(), kept->data());
  EXPECT_EQ(kept.use_count(), 2);
}

TEST(ArrayOfElements, ConvertsWhatIsNot) {
  EXPECT_THAT(elements<std::uint16_t>(">u2", {2}, {0x0100, 0x0200}).view<std::uint16_t>(), ElementsAre(1, 2));
  const Array half = elements<std::uint16_t>("<f2", {1}, {0x3c00});
  EXPECT_EQ(half.view<float>()[0], 1.f);
  EXPECT_THAT(*elements<char32_t>("<U2", {2}, {U'a', U'b', U'c', U'\0'}).texts, ElementsAre("ab", "c"));
}

TEST(ArrayOfElements, RefusesWhatAFileMayNotHold) {
  EXPECT_EQ(message_of([] {
              (void)elements<float>("<f4", {5}, {1, 2, 3, 4});
            }),
            "a: expected 20 bytes of data for shape (5) of '<f4', found 16");
}

TEST(OutputsOf, SharesTheLogitsAndReadsTheRest) {
  const Array logits = make_array<double>({2, 2}, {1, 2, 3, 4});
  const Outputs outputs = outputs_of({{"logits", logits}, {"y", make_array<float>({2, 1}, {1, 0})}}, "set");
  EXPECT_EQ(outputs.logits.storage, logits.storage);
  EXPECT_THAT(*outputs.labels, ElementsAre(1, 0));
  EXPECT_EQ(outputs.path, "set");
  EXPECT_EQ(outputs_of({{"", logits}}, "set").logits.storage, logits.storage);
  EXPECT_EQ(message_of([&] {
              (void)outputs_of({{"y", logits}}, "set");
            }),
            "set: expected an array named logits or probs, found y (--class-columns and --label-column "
            "select others)");
}

TEST(ImagesOf, SharesThePixels) {
  const Array x = make_array<std::uint8_t>({2, 1, 1, 1}, {1, 2});
  const Images images = images_of({{"x", x}, {"y", make_array<std::int64_t>({2}, {5, 6})}}, "images");
  EXPECT_EQ(images.pixels.storage, x.storage);
  EXPECT_THAT(*images.labels, ElementsAre(5, 6));
  EXPECT_EQ(images_of({{"", x}}, "images").pixels.storage, x.storage);
  EXPECT_EQ(message_of([&] {
              (void)images_of({{"y", x}}, "images");
            }),
            "images: expected an array named x, found y");
}

}  // namespace
}  // namespace leeway
