#include "leeway/nn/io/strided.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/message_of.h"

namespace leeway::nn::strided_test {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

class Strided : public ::testing::Test {
 protected:
  Strided() : elements_(24) { std::iota(elements_.begin(), elements_.end(), 0.f); }

  [[nodiscard]] Array make(const StridedView& view, std::size_t budget = 1000) const {
    CopyBudget left{budget};
    return make_strided(view, *find_storage_type("torch.FloatStorage"), block(), left, "w");
  }
  [[nodiscard]] std::vector<double> values(const StridedView& view) const { return to_f64(make(view), "w"); }
  [[nodiscard]] std::string refusal(const StridedView& view, std::size_t budget = 1000) const {
    return message_of([&] { (void)make(view, budget); });
  }
  [[nodiscard]] MappedFile block() const { return {nullptr, std::as_bytes(std::span(elements_))}; }

  std::vector<float> elements_;  // element i is i
};

TEST_F(Strided, GathersInCOrder) {
  EXPECT_EQ(values({5, {}, {}}), (std::vector<double>{5}));
  EXPECT_EQ(values({1, {3}, {4}}), (std::vector<double>{1, 5, 9}));
  EXPECT_EQ(values({0, {2, 3}, {1, 2}}), (std::vector<double>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(values({2, {2, 2, 2}, {0, 8, 3}}), (std::vector<double>{2, 5, 10, 13, 2, 5, 10, 13}));
  EXPECT_EQ(values({3, {2, 1, 2}, {4, huge, 2}}), (std::vector<double>{3, 5, 7, 9}))
      << "one element: any stride";
  EXPECT_EQ(values({0, {1, 1, 1}, {huge, huge, huge}}), (std::vector<double>{0}));
  EXPECT_EQ(make({0, {3, 0, 2}, {1, 1, 1}}).shape, (std::vector<std::size_t>{3, 0, 2}));
}

// A view of all the block's elements by any order of its dimensions, against the definition.
TEST_F(Strided, EqualsItsDefinition) {
  std::vector<std::size_t> order{0, 1, 2};
  const std::int64_t sizes[] = {2, 3, 4}, strides[] = {12, 4, 1};
  do {
    StridedView view;
    for (const std::size_t d : order) {
      view.sizes.push_back(sizes[d]);
      view.strides.push_back(strides[d]);
    }
    std::vector<double> expected;
    for (std::int64_t i = 0; i < view.sizes[0]; ++i)
      for (std::int64_t j = 0; j < view.sizes[1]; ++j)
        for (std::int64_t k = 0; k < view.sizes[2]; ++k)
          expected.push_back(
              static_cast<double>(i * view.strides[0] + j * view.strides[1] + k * view.strides[2]));
    EXPECT_EQ(values(view), expected);
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(Strided, ContiguousViewsAreNotCopied) {
  EXPECT_EQ(make({6, {3, 6}, {6, 1}}, 0).storage.get(), elements_.data() + 6);
  EXPECT_EQ(make({6, {3, 1, 6}, {6, 99, 1}}, 0).storage.get(), elements_.data() + 6);
  EXPECT_THAT(refusal({0, {3}, {2}}, 11), Says("w: expected at most 11 more bytes of tensors ... found 12"));
}

TEST_F(Strided, RefusesElementsOutside) {
  EXPECT_THAT(refusal({0, {25}, {1}}), Says("w: expected a ... found offset 0, sizes (25), strides (1)"));
  for (const StridedView& view : std::vector<StridedView>{{24, {}, {}},
                                                          {1, {4, 6}, {6, 1}},
                                                          {0, {2, 2}, {23, 1}},
                                                          {0, {2}, {huge}},
                                                          {0, {huge}, {huge}},
                                                          {huge, {1}, {1}},
                                                          {1, {2, 2}, {huge, huge}}})
    EXPECT_THAT(refusal(view), ::testing::StartsWith("w: expected a tensor inside its 24 stored elements"));
  EXPECT_THAT(refusal({0, {2}, {-1}}), Says("w: expected an ... found offset 0, sizes (2), strides (-1)"));
  EXPECT_THAT(refusal({-1, {2}, {1}}), ::testing::HasSubstr("at least 0"));
  EXPECT_THAT(refusal({0, {-2}, {1}}), ::testing::HasSubstr("at least 0"));
  EXPECT_EQ(refusal({0, {2, 2}, {1}}), "w: expected 2 strides, found 1");
}

// 10 GB from four bytes, by strides of 0.
TEST_F(Strided, RefusesExpansionBeyondTheBudget) {
  EXPECT_THAT(refusal({0, {2'500'000'000}, {0}}), Says("w: expected at most 1000 ... found 10000000000"));
  EXPECT_THAT(refusal({0, {huge, huge}, {0, 0}}), ::testing::HasSubstr("fewer than 2^63 bytes"));
}

TEST(StorageTypes, AreKnownByName) {
  EXPECT_EQ(find_storage_type("torch.BFloat16Storage")->type, ElementType::f32);
  EXPECT_EQ(find_storage_type("torch.ComplexFloatStorage"), nullptr);
}

}  // namespace leeway::nn::strided_test
