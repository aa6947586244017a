// Texts: escapes and code points, letters, numbers in words, distances, names that are meant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/characters.h"
#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/core/utf8.h"
#include "tests/message_of.h"

namespace leeway::text_test {

TEST(Message, StaysOnOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("dög"), "dög");
  EXPECT_EQ(printable("\xff\xc2\x85"), "\\xff\\xc2\\x85");  // not UTF-8; a control character beyond ASCII
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(in_quotes("x"), "'x'");
  EXPECT_EQ(display_name("folder/a\nb.npy"), "folder/a\\x0ab.npy");
  EXPECT_REFUSED(refuse("a.npy", "this", "that"), "a.npy: expected this, found that");
}

TEST(Utf8, EdgesOfValidity) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  for (const char* bad : {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xc3", "\xe2\x82", "\xf5\x80\x80\x80", "\xc3(", "\xff"})
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  EXPECT_EQ(utf8_from_code_points(U"\xd800"), std::nullopt);
  EXPECT_EQ(utf8_from_code_points(std::u32string(1, char32_t{0x110000})), std::nullopt);
  EXPECT_EQ(code_points_from_utf8("a\x80"), std::nullopt);
}

TEST(Text, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one incomprehensible word", 7), "one\nincomprehensible\nword\n");
  EXPECT_EQ(wrapped("päpä pä", 7), "päpä pä\n");  // columns, not bytes
  EXPECT_EQ(wrapped("", 7), "\n");
  EXPECT_EQ(text_width("–∞"), 2u);
}

TEST(Utf8, EveryCodePointComesBack) {
  std::u32string points;
  for (char32_t p = 0; p < 0x110000; ++p)
    if (p < 0xd800 || p > 0xdfff) points += p;
  const auto text = utf8_from_code_points(points);
  ASSERT_TRUE(text && is_utf8(*text));
  EXPECT_TRUE(code_points_from_utf8(*text) == points);
}

Json reference() {
  std::ifstream file(LEEWAY_REFERENCE "/letter_case.json");
  return Json::parse(file);
}

std::map<char32_t, char32_t> pairs(const Json& list) {
  std::map<char32_t, char32_t> found;
  for (const Json& pair : list) found[pair[0].get<char32_t>()] = pair[1].get<char32_t>();
  return found;
}

TEST(Characters, EveryCodePointAsInPython) {
  const Json expected = reference();
  const auto lower = pairs(expected["lower"]), upper = pairs(expected["upper"]);
  std::set<char32_t> white;
  for (const Json& point : expected["white_space"]) white.insert(point.get<char32_t>());
  ASSERT_GT(lower.size(), 1400u);
  for (char32_t point = 0; point < 0x110000; ++point) {
    // Python's other case may be several code points, such as SS: here it is a letter that has this one as its other case.
    const char32_t small = lower_case(point), large = upper_case(point);
    ASSERT_TRUE(lower.contains(point) ? small == lower.at(point) : small == point || point == 0x130)
        << static_cast<std::uint32_t>(point);
    ASSERT_TRUE(upper.contains(point) ? large == upper.at(point)
                                      : lower_case(large) == point || large == point)
        << static_cast<std::uint32_t>(point);
    ASSERT_EQ(is_white_space(point), white.contains(point)) << static_cast<std::uint32_t>(point);
  }
}

TEST(Characters, LowerCaseOfTextsDependsOnContext) {
  const std::pair<std::u32string_view, std::u32string_view> cases[] = {
      {U"ΟΔΟΣ ΣΑΣΑ Σ", U"οδος σασα σ"},
      {U"ΑΣ. ΑΣ.Α Α\u0301Σ\u0301", U"ας. ασ.α α\u0301ς\u0301"},
      {U"ªΣ 🄰Σ ΑΣʰ 1Σ", U"ªς 🄰ς αςʰ 1σ"},
      {U"İ", U"i\u0307"},
  };
  for (const auto& [text, lower] : cases) EXPECT_TRUE(lower_case(text) == lower);
}

TEST(Characters, CategoriesAndComposition) {
  for (const auto& [point, expected] : std::map<char32_t, std::string>{
           {U'a', "Ll"}, {U'日', "Lo"}, {U'٣', "Nd"}, {U'Ⅷ', "Nl"}, {U'½', "No"}, {0x378, "Cn"}})
    EXPECT_EQ(category(point), expected);
  EXPECT_EQ(composed(std::string_view("e\u0301\0\u1100\u1161", 10)), std::string_view("é\0가", 6));
}

TEST(Numbers, DigitsStopWhereTheIntervalBegins) {
  EXPECT_EQ(percent({.7402, .7312, .7489}), "74.0%");  // half width .9 points: one decimal
  EXPECT_EQ(percent_interval({.7402, .7312, .7489}), "73.1–74.9");
  EXPECT_EQ(percent({.7402, .65, .83}), "74%");  // 9 points: none
  EXPECT_EQ(percent({.74021, .73995, .74045}), "74.02%");
  EXPECT_EQ(percent({.7402, {}, {}}), "74.0%");
  EXPECT_EQ(decimals_for(0, 3), 3);
  EXPECT_EQ(decimals_for(2.1, 3), 0);
  EXPECT_EQ(decimals_for(1.9, 3), 1);
  EXPECT_EQ(decimals_for(.21, 3), 1);
  EXPECT_EQ(decimals_for(.19, 3), 2);
  EXPECT_EQ(decimals_for(1e-12, 3), 4);
}

TEST(Numbers, AreWrittenForReaders) {
  EXPECT_EQ(fixed(-.71, 1), "−0.7");
  EXPECT_EQ(fixed(-.04, 1), "0.0");
  EXPECT_EQ(fixed(HUGE_VAL, 1), "∞");
  EXPECT_EQ(fixed(-HUGE_VAL, 1), "–∞");
  EXPECT_EQ(fixed(NAN, 1), "not a number");
  EXPECT_EQ(significant(.012345, 3), "0.0123");
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1234567), "1,234,567");
  EXPECT_EQ(sureness(.9996), ">99.9%");
  EXPECT_EQ(sureness(.997), "99.7%");
  EXPECT_EQ(sureness(.46), "46%");
  EXPECT_EQ(signed_points({.031, .02, .042}), "+3.1");
  EXPECT_EQ(bytes(480264), "480 kB");
}

TEST(Numbers, ChartsGetFiveDigits) {
  EXPECT_EQ(brief(.123456789), Json(.12346));
  EXPECT_EQ(brief(HUGE_VAL), Json());
  EXPECT_EQ(brief(5e-324), Json(5e-324));
  EXPECT_EQ(brief(1.7976931348623157e308), Json(1.7976931348623157e308));  // 1.7977e308 is beyond float64
}

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

const std::vector<std::string> names{"accuracy", "error_bound", "labels", "label-column",
                                     "pa",       "norm",        "norms"};

// The same but for case and dashes; a few letters away; that begins so, of two the first; none where all are far.
TEST(NearestName, OfEachKind) {
  for (const auto& [typed, meant] :
       std::vector<std::pair<std::string, std::string>>{{"Error-Bound", "error_bound"},
                                                        {"LABELS", "labels"},
                                                        {"acuracy", "accuracy"},
                                                        {"labls", "labels"},
                                                        {"nrom", "norm"},
                                                        {"erorbound", "error_bound"},
                                                        {"acc", "accuracy"},
                                                        {"label", "labels"},
                                                        {"threads", ""},
                                                        {"xy", ""},
                                                        {"", ""},
                                                        {"--", ""}})
    EXPECT_EQ(nearest_name(typed, names), meant) << typed;
  EXPECT_EQ(nearest_name("accuracy", {}), "");
}

TEST(DidYouMean, IsAQuestionOrNothing) {
  EXPECT_EQ(did_you_mean("nrm", names), "; did you mean norm?");
  EXPECT_EQ(did_you_mean("threads", names), "");
}

struct Fruit {
  std::string_view name;
  int seeds;
};

constexpr Fruit fruits[] = {{"apple", 10}, {"cherry", 1}, {"apple", 7}};

TEST(Family, FindsTheFirstMemberOfAName) {
  EXPECT_EQ(&find_member(std::span<const Fruit>(fruits), "fruit", "cherry"), &fruits[1]);
  EXPECT_EQ(&find_member(std::span<const Fruit>(fruits), "fruit", "apple"), &fruits[0]);
}

TEST(Family, UnknownNameListsThoseThereAre) {
  const auto message = [](std::string_view name) {
    return message_of([&] { (void)find_member(std::span<const Fruit>(fruits), "fruit", name); });
  };
  EXPECT_EQ(message("plum"), "fruit: expected one of apple, cherry, apple, found 'plum'");
  EXPECT_THAT(message("Apple"), Says("fruit: expected one of apple, ... found 'Apple'; did you mean apple?"));
  EXPECT_EQ(message("a\nb"), "fruit: expected one of apple, cherry, apple, found 'a\\x0ab'");
}

}  // namespace leeway::text_test
