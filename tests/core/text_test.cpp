#include "leeway/core/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

TEST(Message, StaysOnOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("dög"), "dög");
  EXPECT_EQ(printable("\xff\xc2\x85"), "\\xff\\xc2\\x85");  // not UTF-8; a control character beyond ASCII
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(in_quotes("x"), "'x'");
  EXPECT_EQ(display_name("folder/a\nb.npy"), "folder/a\\x0ab.npy");
  EXPECT_EQ(message_of([] { refuse("a.npy", "this", "that"); }), "a.npy: expected this, found that");
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

RC_GTEST_PROP(Utf8, RoundTrip, ()) {
  std::u32string points;
  for (const auto p : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 0x110000u)))
    if (p < 0xd800 || p > 0xdfff) points += static_cast<char32_t>(p);
  const auto text = utf8_from_code_points(points);
  RC_ASSERT(text.has_value());
  RC_ASSERT(is_utf8(*text));
  RC_ASSERT(code_points_from_utf8(*text) == points);
}

}  // namespace
}  // namespace leeway
