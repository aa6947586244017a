#include "leeway/core/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_THAT(message(make_array<float>({2}, {1, 2})),
              HasSubstr("expected a matrix of floats, found shape (2)"));
  EXPECT_THAT(message(make_array<std::int8_t>({1, 2}, {1, 2})), HasSubstr("int8"));
  EXPECT_THAT(message_of([] { Rows rows((std::vector<Array>())); }), HasSubstr("at least one part"));
}

}  // namespace
}  // namespace leeway
