#include "leeway/core/inflate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/files.h"
#include "tests/core/zip_maker.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using ::testing::HasSubstr;

MappedFile as_file(const std::string& bytes) { return {nullptr, std::as_bytes(std::span(bytes))}; }

std::string unpacked(const std::string& packed) {
  const MappedFile file = unpack_gzip(as_file(packed), "a.gz");
  return std::string(file.text());
}

std::string said(const std::string& packed) {
  return message_of([&] { (void)unpacked(packed); });
}

TEST(UnpackGzip, FilesCompressedOrNot) {
  const std::string text = "some text, some text, some text";
  EXPECT_EQ(unpacked(gzip(text)), text);
  EXPECT_EQ(unpacked(gzip("")), "");
  EXPECT_EQ(unpacked(gzip(text) + gzip("") + gzip(", the end")), text + ", the end");
  for (const std::string& plain : {text, std::string(), std::string("\x1f"), std::string("\x1f\x8c--")})
    EXPECT_EQ(unpacked(plain), plain);
}

TEST(UnpackGzip, LiesAndDamageAreRefused) {
  const std::string whole = gzip("some text, some text, some text");
  for (std::size_t size = 2; size < whole.size(); ++size)
    EXPECT_THAT(said(whole.substr(0, size)), HasSubstr("a.gz: expected")) << size;
  EXPECT_THAT(said(whole.substr(0, 17)), HasSubstr("a truncated stream"));
  const std::string rest = whole.substr(0, whole.size() - 4);
  EXPECT_THAT(said(rest + raw(std::uint32_t{30})), HasSubstr("a valid compressed stream"));
  EXPECT_THAT(said(rest + raw(std::uint32_t{32})), HasSubstr("a.gz: expected"));
  EXPECT_THAT(said(rest + raw(std::uint32_t{1} << 31)), HasSubstr("gunzip), found 2147483648"));
  const std::string bomb = gzip(std::string(std::size_t{390} << 20, '0'));
  EXPECT_THAT(said(bomb), HasSubstr("gunzip), found 408944640"));
  EXPECT_THAT(said(bomb + whole), HasSubstr("gunzip), found "));
  EXPECT_THAT(said(whole + "x" + whole), HasSubstr("nothing after the compressed stream"));
  EXPECT_THAT(said(whole + whole.substr(0, 20)), HasSubstr("a.gz: expected"));
}

}  // namespace
}  // namespace leeway
