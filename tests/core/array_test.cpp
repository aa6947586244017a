#include "leeway/core/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Array, ViewIsTypedAndShaped) {
  const Array array = make_array<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(array.size(), 6u);
  EXPECT_EQ(array.shape_text(), "(2, 3)");
  EXPECT_THAT(array.view<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(array.bytes().size(), 24u);
  EXPECT_EQ(message_of([&] { (void)array.view<double>(); }),
            "Array::view: expected elements of type float64, found float32");
}

TEST(Array, ScalarAndNothing) {
  EXPECT_EQ(make_array<double>({}, {2.5}).shape_text(), "()");
  EXPECT_EQ(make_array<double>({}, {2.5}).view<double>()[0], 2.5);
  EXPECT_EQ(Array{}.view<double>().size(), 0u);
  EXPECT_EQ(make_array<double>({0, 3}, {}).size(), 0u);
}

TEST(Array, ValuesMustFillTheShape) {
  EXPECT_EQ(message_of([] {
              (void)make_array<float>({2, 3}, {1, 2});
            }),
            "make_array: expected as many values as shape (2, 3) holds, found 2");
  EXPECT_THAT(message_of([] { (void)make_text_array({3}, {"a"}); }), HasSubstr("shape (3)"));
  const std::size_t large = std::size_t{1} << 33;  // the product is 2^66, which wraps to 4
  EXPECT_NE(message_of([&] { (void)make_array<float>({large, large}, {1, 2, 3, 4}); }), "no error");
}

TEST(Array, Conversions) {
  EXPECT_THAT(to_f64(make_array<std::int8_t>({2}, {-3, 4}), "x"), ElementsAre(-3.0, 4.0));
  EXPECT_THAT(to_i64(make_array<double>({2}, {-3, 4e15}), "x"), ElementsAre(-3, 4'000'000'000'000'000));
  const auto bytes = make_array<std::uint8_t>({3}, {0, 1, 255});
  const Array flags{ElementType::boolean, {3}, bytes.storage, {}};
  EXPECT_THAT(to_f64(flags, "x"), ElementsAre(0.0, 1.0, 1.0));
  EXPECT_THAT(to_i64(flags, "x"), ElementsAre(0, 1, 1));
  EXPECT_EQ(as_float(bytes, "x").type, ElementType::f64);
  const Array floats = make_array<float>({1}, {1});
  EXPECT_EQ(as_float(floats, "x").storage, floats.storage);
}

TEST(Array, WhatIsNotWholeIsNamed) {
  const auto message = [](std::vector<double> values) {
    const std::size_t size = values.size();
    return message_of([&] { (void)to_i64(make_array({size}, values), "y.npy"); });
  };
  EXPECT_EQ(message({1, 2, 2.5}), "y.npy: expected whole numbers, found 2.5 at row 2");
  EXPECT_EQ(message({NAN}), "y.npy: expected whole numbers, found nan at row 0");
  EXPECT_EQ(message({1, -inf}), "y.npy: expected whole numbers, found -inf at row 1");
  EXPECT_THAT(message({9223372036854775808.0}), HasSubstr("found 9.223372036854776e+18 at row 0"));
  EXPECT_EQ(message({-9223372036854774784.0}), "no error");
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(message_of([&] {
              (void)to_i64(make_array<std::uint64_t>({1, 2}, {0, top}), "y");
            }),
            "y: expected whole numbers, found 18446744073709551615 at row 0, column 1");
  EXPECT_EQ(message_of([] { (void)to_f64(make_text_array({1}, {"a"}), "y"); }),
            "y: expected numbers, found text");
}

TEST(Array, PositionOfAnElement) {
  EXPECT_EQ(position_text(make_array<float>({4}, {0, 0, 0, 0}), 3), "row 3");
  EXPECT_EQ(position_text(make_array<float>({2, 2}, {0, 0, 0, 0}), 3), "row 1, column 1");
  EXPECT_EQ(position_text(make_array<float>({1, 2, 2}, {0, 0, 0, 0}), 2), "(0, 1, 0)");
}

TEST(Array, CheckedBytes) {
  const std::size_t large = std::size_t{1} << 32;
  const auto bytes = [](std::vector<std::size_t> shape, std::size_t size) {
    return checked_bytes(shape, size);
  };
  EXPECT_EQ(bytes({3, 4}, 8), 96u);
  EXPECT_EQ(bytes({}, 8), 8u);
  EXPECT_EQ(bytes({0, 4}, 8), 0u);
  EXPECT_EQ(bytes({large, large}, 1), std::nullopt);
  EXPECT_EQ(bytes({0, large, large}, 1), std::nullopt);
  EXPECT_EQ(bytes({large, large / 4}, 1), large * (large / 4));
  EXPECT_EQ(bytes({large, large / 2}, 1), std::nullopt);  // 2^63
}

template <class T>
void check_first_not_finite() {
  for (const std::size_t size : {1u, 255u, 256u, 257u, 1000u, 600'000u})
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1})
      for (const double bad : {static_cast<double>(NAN), inf, -inf}) {
        std::vector<T> values(size, std::numeric_limits<T>::max());
        values[size / 3] = std::numeric_limits<T>::denorm_min();
        values[0] = -std::numeric_limits<T>::max();
        EXPECT_EQ(first_not_finite(make_array({size}, values)), std::nullopt);
        values[at] = static_cast<T>(bad);
        values[size - 1] = static_cast<T>(bad);
        EXPECT_EQ(first_not_finite(make_array({size}, values)), at);
      }
}

TEST(Array, FirstNotFinite) {
  check_first_not_finite<float>();
  check_first_not_finite<double>();
  EXPECT_EQ(first_not_finite(make_array<int>({1}, {0})), std::nullopt);
  EXPECT_EQ(first_not_finite(make_array<float>({0}, {})), std::nullopt);
}

TEST(Array, StorageIsAligned) {
  for (const std::size_t size : {0u, 1u, 1000u})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(allocate_bytes(size).get()) % 64, 0u);
}

}  // namespace
}  // namespace leeway
