// Shifts that put words in the place of others, put them between, or leave them out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/shift/shifted_text.h"

namespace leeway::shift {
namespace {

// Words that differ, place by place.
std::size_t replaced(const std::string& before, const std::string& after) {
  const auto a = words_in(before), b = words_in(after);
  EXPECT_EQ(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

TEST(WordReplacement, ChangesAsManyWordsAsThereAreEdits) {
  for (const char* name : {"amplify", "contradict"})
    for (const std::size_t words : {2, 5, 8, 40})
      for (const double w : {0., 2., 3., 5.}) {
        const std::string text = random_text(words, words);
        const std::size_t n = words_in(text).size();
        EXPECT_EQ(replaced(text, run(name, text, w, 3)), std::min(n, static_cast<std::size_t>(std::exp2(w))));
      }
}

TEST(WordReplacement, WordsAreOfTheSignThatTheLabelAsksFor) {
  for (const Sign sign : {Sign::positive, Sign::negative})
    for (const char* name : {"amplify", "contradict"}) {
      const bool positive = (sign == Sign::positive) == (std::string_view(name) == "amplify");
      const auto& list = own_word_lists()->of(positive ? Sign::positive : Sign::negative);
      for (const std::string& word : words_in(run(name, "one two three four", 2, 0, {}, sign)))
        EXPECT_THAT(list, testing::Contains(code_points_from_utf8(word).value())) << name;
    }
}

TEST(WordReplacement, WhiteSpaceStays) {
  const std::string text = "\t one\n\ntwo  three\u00a0four ";
  const auto gaps = [](const std::string& s) {
    std::u32string found;
    const std::u32string points = code_points_from_utf8(s).value();
    for (const char32_t c : points)
      if (is_white_space(c)) found += c;
    return found;
  };
  for (const double w : {0., 1., 4.}) EXPECT_EQ(gaps(run("amplify", text, w)), gaps(text));
}

TEST(WordReplacement, LargerStrengthsKeepTheWordsOfSmallerOnes) {
  const std::string text = random_text(50, 4);
  for (std::size_t row = 0; row < 50; ++row) {
    const auto was = words_in(text), few = words_in(run("contradict", text, 2, row)),
               more = words_in(run("contradict", text, 4, row));
    for (std::size_t i = 0; i < was.size(); ++i) ASSERT_TRUE(few[i] == was[i] || few[i] == more[i]);
  }
}

TEST(WordReplacement, TextsOfOneWordStay) {
  for (const char* text : {"", "  ", "word", " word\n", "\u4e2d\u6587"})
    for (const char* name : {"amplify", "contradict", "remove"}) EXPECT_EQ(run(name, text, 6), text);
}

TEST(WordInsertion, PutsOneWordAfterTheOtherIntoWhatStandsByThen) {
  TextOptions insert;
  insert.placing = Placing::insert;
  const auto& list = own_word_lists()->positive;
  for (const char* text : {" ", "one", " One\ntwo  three. ", "\t a b"})
    for (std::size_t row = 0; row < 20; ++row)
      for (const std::size_t w : {0, 1, 5}) {
        Random random(insert.seed, stream("amplify"), row);
        std::u32string expected = code_points_from_utf8(text).value();
        for (std::size_t edit = 0; edit < std::size_t{1} << w; ++edit) {
          std::vector<std::size_t> begins, ends;
          for (std::size_t i = 0; i < expected.size(); ++i) {
            if (is_white_space(expected[i])) continue;
            if (i == 0 || is_white_space(expected[i - 1])) begins.push_back(i);
            if (i + 1 == expected.size() || is_white_space(expected[i + 1])) ends.push_back(i + 1);
          }
          if (begins.empty()) break;  // texts without words stay
          const std::size_t place = random.below(begins.size() + 1);
          const std::u32string& word = list[random.below(list.size())];
          if (place < begins.size())
            expected.insert(begins[place], word + U' ');
          else
            expected.insert(ends.back(), U' ' + word);
        }
        ASSERT_EQ(run("amplify", text, static_cast<double>(w), row, insert),
                  utf8_from_code_points(expected).value());
      }
}

TEST(Remove, KeepsTheRestInOrder) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("w{} ", i);
  for (std::size_t row = 0; row < 50; ++row) {
    std::vector<std::string> before = words_in(text);
    for (const auto& [w, left] : {std::pair(0., 29), {2., 26}, {3., 22}, {4., 14}, {5., 1}, {9., 1}}) {
      const auto after = words_in(run("remove", text, w, row));
      ASSERT_EQ(after.size(), static_cast<std::size_t>(left));
      auto at = before.begin();  // a subsequence of what a smaller strength left
      for (const std::string& word : after) {
        at = std::find(at, before.end(), word);
        ASSERT_NE(at, before.end());
      }
      before = after;
    }
  }
  EXPECT_EQ(run("remove", " one\n", 4), " one\n");
  std::set<std::string> left;
  for (std::size_t row = 0; row < 60; ++row) left.insert(run("remove", " a\nb  c\t", 1, row));
  EXPECT_EQ(left, (std::set<std::string>{" a\t", " b\t", " c\t"}));
}

}  // namespace
}  // namespace leeway::shift
