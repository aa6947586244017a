// Edit distance against the textbook table, on texts around the sizes of blocks and bands.
#include "leeway/core/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "leeway/core/random.h"

namespace leeway {
namespace {

std::size_t by_table(std::u32string_view a, std::u32string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::u32string random_text(std::size_t size, std::size_t symbols, Random& random) {
  std::u32string text;
  for (std::size_t i = 0; i < size; ++i)
    text +=
        static_cast<char32_t>(symbols > 100 ? 0x1f600 + random.below(symbols) : U'a' + random.below(symbols));
  return text;
}

// So many letters inserted, deleted or replaced.
std::u32string edited(std::u32string text, std::size_t edits, Random& random) {
  for (std::size_t e = 0; e < edits && !text.empty(); ++e) {
    const auto place = static_cast<std::size_t>(random.below(text.size()));
    const auto operation = random.below(3);
    if (operation == 0) text.insert(place, 1, U'z');
    if (operation == 1) text.erase(place, 1);
    if (operation == 2) text[place] = U'y';
  }
  return text;
}

TEST(EditDistance, ByHand) {
  EXPECT_EQ(edit_distance(U"", U""), 0u);
  EXPECT_EQ(edit_distance(U"", U"abc"), 3u);
  EXPECT_EQ(edit_distance(U"abc", U""), 3u);
  EXPECT_EQ(edit_distance(U"kitten", U"sitting"), 3u);
  EXPECT_EQ(edit_distance(U"intention", U"execution"), 5u);
  EXPECT_EQ(edit_distance(U"\u03b1\u03b2\U0001f600", U"\u03b1\U0001f600"), 1u);
}

TEST(EditDistance, RandomTextsOfAnySize) {
  Random random(1, stream("edit distance"));
  for (const std::size_t symbols : {1, 2, 4, 26, 3000})
    for (const std::size_t size : {1, 2, 63, 64, 65, 127, 128, 129, 200, 321})
      for (const std::size_t other : {1, 64, 100, 129, 400}) {
        const std::u32string a = random_text(size, symbols, random), b = random_text(other, symbols, random);
        ASSERT_EQ(edit_distance(a, b), by_table(a, b)) << symbols << " " << size << " " << other;
        ASSERT_EQ(edit_distance(b, a), by_table(a, b));
      }
}

// Bands of 64, 128, 256 and 512 about the diagonal, blocks that begin and end within them.
TEST(EditDistance, EditedTexts) {
  Random random(2, stream("edit distance"));
  for (const std::size_t size : {100, 900})
    for (const std::size_t edits : {0, 1, 5, 40, 63, 64, 65, 90, 130, 300, 800}) {
      const std::u32string a = random_text(size, 5, random), b = edited(a, edits, random);
      ASSERT_EQ(edit_distance(a, b), by_table(a, b)) << size << " " << edits;
      const std::u32string shifted = a.substr(size / 3) + a.substr(0, size / 3);
      ASSERT_EQ(edit_distance(a, shifted), by_table(a, shifted));
    }
}

TEST(EditDistance, LongTextsThatHardlyDifferAreCheap) {
  Random random(3, stream("edit distance"));
  const std::u32string a = random_text(500'000, 3000, random);
  std::u32string b = a;
  b[10] = b[250'000] = U'x';
  b.erase(499'990, 1);
  EXPECT_EQ(edit_distance(a, b), 3u);
}

}  // namespace
}  // namespace leeway
