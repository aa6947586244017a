#include "leeway/core/array.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "leeway/core/rows.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::array_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Array, ViewIsTypedAndShaped) {
  const Array array = make_array<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(array.size(), 6u);
  EXPECT_EQ(array.shape_text(), "(2, 3)");
  EXPECT_THAT(array.view<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(array.bytes().size(), 24u);
  EXPECT_REFUSED(array.view<double>(), "Array::view: expected elements of type float64, found float32");
}

TEST(Array, ValuesMustFillTheShape) {
  EXPECT_REFUSED(make_array<float>({2, 3}, {1, 2}), "make_array: expected as many values as ... found 2");
  EXPECT_REFUSED(make_text_array({3}, {"a"}), "shape (3)...");
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
  EXPECT_EQ(message({1, 2, 2.5}), "y.npy: expected integers, found 2.5 at row 2");
  EXPECT_EQ(message({NAN}), "y.npy: expected integers, found nan at row 0");
  EXPECT_EQ(message({1, -inf}), "y.npy: expected integers, found -inf at row 1");
  EXPECT_THAT(message({9223372036854775808.0}), HasSubstr("found 9.223372036854776e+18 at row 0"));
  EXPECT_EQ(message({-9223372036854774784.0}), "no error");
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_REFUSED(to_i64(make_array<std::uint64_t>({1, 2}, {0, top}), "y"),
                 "y: expected integers, found 18446744073709551615 at row 0, column 1");
  EXPECT_REFUSED(to_f64(make_text_array({1}, {"a"}), "y"), "y: expected numbers, found text");
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

Rows three_parts() {
  return Rows(std::vector<Array>{make_array<float>({2, 2}, {0, 1, 2, 3}), make_array<float>({1, 2}, {4, 5}),
                                 make_array<float>({3, 2}, {6, 7, 8, 9, 10, 11})});
}

TEST(Rows, AnyRangeReadsAsTheJoinedMatrix) {
  const Rows rows = three_parts();
  EXPECT_THAT(rows.shape(), ElementsAre(6, 2));
  EXPECT_EQ(rows.shape_text(), "(6, 2)");
  const Array whole = rows.joined();
  const auto values = whole.view<float>();
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  for (std::size_t begin = 0; begin < 6; ++begin)
    for (std::size_t end = begin + 1; end <= 6; ++end) {
      std::vector<float> scratch;
      const float* found = rows.rows(begin, end, scratch);
      for (std::size_t i = 2 * begin; i < 2 * end; ++i) EXPECT_EQ(found[i - 2 * begin], values[i]);
      const bool inside = end <= 2 || (begin == 2 && end == 3) || begin >= 3;
      EXPECT_EQ(scratch.empty(), inside) << begin << " to " << end;
    }
  for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ(rows.at(row, 1), static_cast<double>(2 * row + 1));
  const std::vector<std::size_t> wanted{5, 0, 2, 2};
  const Array taken = rows.take(wanted);
  EXPECT_THAT(taken.view<float>(), ElementsAre(10, 11, 0, 1, 4, 5, 4, 5));
}

TEST(Rows, OnePartIsNotCopied) {
  const Array array = make_array<double>({2, 2}, {1, 2, 3, 4});
  const Rows rows = array;
  EXPECT_EQ(rows.joined().storage, array.storage);
  EXPECT_EQ(rows.position_text(1), "row 1");
  EXPECT_EQ(three_parts().position_text(4), "row 4 (row 1 of part 3)");
}

TEST(Rows, FloatsBesideDoublesAreWidened) {
  const Rows rows(
      std::vector<Array>{make_array<float>({1, 2}, {.1f, 2}), make_array<double>({1, 2}, {.1, 4})});
  EXPECT_EQ(rows.type(), ElementType::f64);
  EXPECT_THAT(rows.joined().view<double>(), ElementsAre(static_cast<double>(.1f), 2, .1, 4));
}

TEST(Rows, PartsThatDoNotFit) {
  const Array good = make_array<float>({1, 2}, {1, 2});
  const auto message = [&](Array bad) { return message_of([&] { Rows rows({good, std::move(bad)}); }); };
  EXPECT_EQ(message(make_array<float>({1, 3}, {1, 2, 3})), "Rows: part 1: expected 2 columns, found 3");
  EXPECT_THAT(message(make_array<float>({2}, {1, 2})), HasSubstr("a matrix of floats, found shape (2)"));
  EXPECT_THAT(message(make_array<std::int8_t>({1, 2}, {1, 2})), HasSubstr("int8"));
  EXPECT_REFUSED(Rows(std::vector<Array>()), "at least one part...");
}

}  // namespace leeway::array_test
