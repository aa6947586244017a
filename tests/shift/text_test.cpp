#include "leeway/shift/text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "tests/case_name.h"
#include "tests/message_of.h"
#include "tests/shift/shifted_text.h"

namespace leeway::shift::text_test {

using ::testing::ElementsAre;

constexpr const char* greek =
    "\u0397 \u03c4\u03b1\u03b9\u03bd\u03af\u03b1 \u03ae\u03c4\u03b1\u03bd \u03ba\u03b1\u03bb\u03ae, "
    "\u03bd\u03b1\u03b9!";
constexpr const char* emoji =
    "so \U0001f600\U0001f600 good \U0001f469\u200d\U0001f52c e\u0301t e\u0301 a\u0300";

class EveryTextShift : public ::testing::TestWithParam<TextShift> {
 protected:
  [[nodiscard]] std::string shifted(std::string_view text, double strength, std::size_t row = 0,
                                    TextOptions options = {}) const {
    return run(GetParam().name, text, strength, row, std::move(options), Sign::negative);
  }
};

TEST_P(EveryTextShift, HasAStrengthThatIsOfEditsWhereItNeedsThem) {
  ASSERT_EQ(GetParam().parameters.size(), 1u);
  EXPECT_EQ(GetParam().strength().name, "strength");
  EXPECT_EQ(GetParam().needs.edits, GetParam().edits(3) == 8u);
}

TEST_P(EveryTextShift, RefusesStrengthsOutOfRangeAndOtherBytes) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double strength : {-.1, std::nextafter(GetParam().strength().high, infinity), std::nan("")})
    EXPECT_THAT(message_of([&] { (void)shifted("some words here", strength); }),
                ::testing::StartsWith(fmt::format("text shift {}: expected a strength", GetParam().name)));
  for (const char* bytes : {"ab \xff", "\xc0\x80", "\xed\xa0\x80", "x\xe2\x82"})
    EXPECT_REFUSED(
        shifted(bytes, 1, 41),
        fmt::format("text shift {}: expected UTF-8 text, found other bytes at row 41", GetParam().name));
}

TEST_P(EveryTextShift, ChangesNothingAtItsIdentityAndSomethingByDefault) {
  const std::string text = random_text(200, 1) + "UPPER";
  if (!GetParam().needs.edits) {
    EXPECT_EQ(shifted(text, 0), text);
  }
  EXPECT_NE(shifted(text, GetParam().strength().value), text);
}

TEST_P(EveryTextShift, DependsOnSeedRowAndTextAlone) {
  const std::string text = random_text(60, 2) + "Upper Case";
  const double strength = GetParam().needs.edits ? 4 : .5;
  EXPECT_EQ(shifted(text, strength, 5), shifted(text, strength, 5));
  if (GetParam().name == "truncate") return;  // draws nothing
  std::set<std::string> different;
  for (std::size_t row = 0; row < 8; ++row) different.insert(shifted(text, strength, row));
  EXPECT_GT(different.size(), 2u);
  TextOptions other;
  other.seed = 9;
  EXPECT_NE(shifted(text, strength, 0, other), shifted(text, strength));
}

TEST_P(EveryTextShift, GivesUtf8ForAnyText) {
  for (const char* text : {"", " ", "\n\t ", ".", "a", "ab", "\\", "\\\\ \\\\", "one", " one ", "a b", greek,
                           emoji, "\u3000x\u3000"})
    for (const double strength : {0., .3, .7, 1., 8.})
      for (std::size_t row = 0; row < 20; ++row) {
        if (strength > GetParam().strength().high) continue;
        for (const Placing placing : {Placing::replace, Placing::insert}) {
          TextOptions options;
          options.placing = placing;
          ASSERT_TRUE(is_utf8(shifted(text, strength, row, options))) << text;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Family, EveryTextShift,
                         ::testing::ValuesIn(text_shifts().begin(), text_shifts().end()), case_name);

TEST(TextShift, UnknownNameListsThoseThereAre) {
  EXPECT_REFUSED(text_shift("rot13"), "text shift: expected one of levenshtein, amplify, contradict,...");
}

// The edits one after the other on the whole text, each of which moves all that stands behind it.
std::u32string edited(std::u32string text, std::size_t edits, Random random) {
  for (; edits > 0 && text.size() > 2; --edits) {
    const std::size_t place = random.below(text.size());
    const auto operation = random.below(3);
    const std::u32string letter(1, static_cast<char32_t>(U'a' + random.below(26)));
    text.replace(place, operation == 0 ? 0 : 1, operation == 1 ? U"" : letter);
  }
  return text;
}

// Texts shorter and longer than a block of the member, many edits of few characters among them.
TEST(Levenshtein, IsItsEditsOneAfterTheOther) {
  for (const std::size_t words : {1, 3, 40, 60, 700})
    for (const double w : {0., 5., 8., 12.})
      for (std::size_t row = 0; row < 8; ++row) {
        const std::string text = random_text(words, row) + greek;
        const auto expected =
            edited(code_points_from_utf8(text).value(), static_cast<std::size_t>(std::exp2(w)),
                   Random(0, stream("levenshtein"), row));
        ASSERT_EQ(run("levenshtein", text, w, row), utf8_from_code_points(expected).value());
      }
}

TEST(Levenshtein, TextsOfTwoCharactersStayAndEditsEndThere) {
  for (const char* text : {"", "a", "ab", "\U0001f600\U0001f600", "\\"})
    EXPECT_EQ(run("levenshtein", text, 10), text);
  std::size_t shortest = 99;
  for (std::size_t row = 0; row < 300; ++row)
    shortest = std::min(shortest, run("levenshtein", "abc", 5, row).size());
  EXPECT_EQ(shortest, 2u);
}

TEST(LetterCase, AllWordsOrAShare) {
  EXPECT_EQ(run("upper-case", greek, 1),
            "\u0397 \u03a4\u0391\u0399\u039d\u038a\u0391 \u0389\u03a4\u0391\u039d \u039a\u0391\u039b\u0389, "
            "\u039d\u0391\u0399!");
  EXPECT_EQ(run("lower-case", "NO Way\tE\u0301\u00c9", 1), "no way\te\u0301\u00e9");
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "a ";
  const std::string half = run("upper-case", text, .5), more = run("upper-case", text, .7);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(half, 'A')), 10000, 300);
  for (std::size_t i = 0; i < text.size(); ++i) ASSERT_TRUE(half[i] != 'A' || more[i] == 'A');
}

TEST(Typos, HitsAShareOfTheKeys) {
  const std::string text = random_letters(40000, 1);
  const std::string after = run("typos", text, .01);
  // Insertions and omissions are as frequent as each other, exchanges cost 2 and the others 1.
  EXPECT_NEAR(static_cast<double>(distance(text, after)), .01 * 40000 * 5 / 4, 100);
  EXPECT_NEAR(static_cast<double>(after.size()), 40000, 4 * std::sqrt(.005 * 40000));
  EXPECT_EQ(run("typos", "\u03b1\u03b2\u4e2d \U0001f600 .,", 1), "\u03b1\u03b2\u4e2d \U0001f600 .,");
}

TEST(Typos, OneKeyIsReplacedFollowedByANeighbourOrLeftOut) {
  const auto all = [](const std::string& key) {
    std::set<std::string> found;
    for (std::size_t row = 0; row < 2000; ++row) found.insert(run("typos", key, 1, row));
    return found;
  };
  EXPECT_EQ(all("q"), (std::set<std::string>{"", "q", "1", "2", "w", "a", "q1", "q2", "qw", "qa"}));
  EXPECT_EQ(all("M"), (std::set<std::string>{"", "M", "N", "J", "K", "MN", "MJ", "MK"}));
  EXPECT_EQ(all("0"), (std::set<std::string>{"", "0", "9", "o", "p", "09", "0o", "0p"}));
  EXPECT_EQ(all("g").size(), 2u + 2 * 6);  // f h t y v b
}

TEST(Typos, ExchangesStayWithinARunOfKeys) {
  std::set<std::string> found;
  for (std::size_t row = 0; row < 3000; ++row) found.insert(run("typos", "ab cd", .2, row));
  EXPECT_TRUE(found.contains("ba cd") && found.contains("ab dc") && found.contains("a cd"));
  EXPECT_FALSE(found.contains("a bcd") || found.contains("abc d"));
}

TEST(Truncate, CutsAShareOfTheWords) {
  const std::string text = "  a b\nc  d e f g h i j  ";
  EXPECT_EQ(run("truncate", text, .5), "  a b\nc  d e");
  EXPECT_EQ(run("truncate", text, .29), "  a b\nc  d e f g h");
  EXPECT_EQ(run("truncate", text, 1), "  a");
  EXPECT_EQ(run("truncate", text, .09), text);
  EXPECT_EQ(run("truncate", "alone", 1), "alone");
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "w ";
  EXPECT_EQ(words_in(run("truncate", hundred, .29)).size(), 71u);
}

TEST(Whitespace, GapsAreGoneWiderBrokenOrSplitWords) {
  std::map<std::string, std::size_t> found;
  for (std::size_t row = 0; row < 4000; ++row) ++found[run("whitespace", "abc  d", 1, row)];
  EXPECT_EQ(found.size(), 5u);  // splits at two places
  for (const char* text : {"abcd", "abc   d", "abc\nd"})
    EXPECT_NEAR(static_cast<double>(found[text]), 1000, 150) << text;
  EXPECT_NEAR(static_cast<double>(found["a bc  d"]), 500, 100);
  EXPECT_EQ(run("whitespace", " alone ", 1), " alone ");
  const std::string text = random_text(300, 8), after = run("whitespace", text, .3);
  const auto letters = [](std::string s) {
    std::erase_if(s, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
    return s;
  };
  EXPECT_EQ(letters(after), letters(text));
}

TEST(Punctuation, MarksAreDroppedDoubledExchangedAndAdded) {
  const auto all = [](const char* text) {
    std::set<std::string> found;
    for (std::size_t row = 0; row < 3000; ++row) found.insert(run("punctuation", text, 1, row));
    return found;
  };
  EXPECT_EQ(all("?"), (std::set<std::string>{"", "??", ".", ",", ";", ":", "!"}));
  EXPECT_EQ(all("\u2019"), (std::set<std::string>{"", "\u2019\u2019", ".", ",", ";", ":", "!", "?"}));
  EXPECT_EQ(all("ab "), (std::set<std::string>{"ab. ", "ab, ", "ab; ", "ab: ", "ab! ", "ab? "}));
  EXPECT_EQ(run("punctuation", "<br /> ", 0), "<br /> ");
  const std::string text = random_text(300, 9), after = run("punctuation", text, .4);
  EXPECT_EQ(words_in(after).size() + 30 > words_in(text).size(), true);
}

TEST(WordLists, AreOurs) {
  EXPECT_GE(own_word_lists()->positive.size(), 200u);
  EXPECT_GE(own_word_lists()->negative.size(), 200u);
  std::set<std::u32string> words;
  for (const Sign sign : {Sign::positive, Sign::negative}) {
    for (const auto& word : own_word_lists()->of(sign)) {
      EXPECT_TRUE(words.insert(word).second) << utf8_from_code_points(word).value();
      EXPECT_TRUE(std::ranges::all_of(word, [](char32_t c) { return (c >= 'a' && c <= 'z') || c == '-'; }));
    }
  }
}

TEST(WordLists, OfTheUsers) {
  const auto lists =
      parse_word_lists("sign,word\n+,tr\u00e8s\n-2.5,mal\npositive,\"a,b\"\n3, bon \nneg,x\n", "w.csv");
  EXPECT_THAT(lists->positive, ElementsAre(U"tr\u00e8s", U"a,b", U"bon"));
  EXPECT_THAT(lists->negative, ElementsAre(U"mal", U"x"));
  const auto refused = [](std::string_view text) {
    return message_of([&] { (void)parse_word_lists(text, "w.csv"); });
  };
  for (const auto& [text, said] :
       {std::pair("word\na\n", "a column 'sign', found columns word"),
        {"word,sign\na,1\nb,0\n", "a sign, positive or negative, found '0' at row 1"},
        {"word,sign\na b,1\n", "a word, found 'a b' at row 0"},
        {"word,sign\n,1\n", "a word, found '' at row 0"},
        {"word,sign\na,1\n", "positive and negative words, found 1 positive and 0 negative ones"},
        {"word,sign\na,nan\n", "a sign, positive or negative, found 'nan' at row 0"}})
    EXPECT_EQ(refused(text), std::string("w.csv: expected ") + said);
}

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
        EXPECT_THAT(list, ::testing::Contains(code_points_from_utf8(word).value())) << name;
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

}  // namespace leeway::shift::text_test
