#include "leeway/core/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/files.h"
#include "tests/core/zip_maker.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using std::string_literals::operator""s;

std::string idx_error(const std::string& bytes) {
  const MappedFile file{nullptr, std::as_bytes(std::span(bytes.data(), bytes.size()))};
  return message_of([&] { static_cast<void>(parse_idx(file, "a")); });
}

const std::string good = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "abcdef";

TEST(Idx, PlainAndGzipped) {
  for (const std::string& bytes : {good, gzip(good)}) {
    const Array array = parse_idx({nullptr, std::as_bytes(std::span(bytes.data(), bytes.size()))}, "a");
    EXPECT_EQ(array.shape_text(), "(2, 3)");
    EXPECT_THAT(array.view<std::uint8_t>(), ::testing::ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  }
}

TEST(Idx, Refused) {
  EXPECT_EQ(idx_error("<htm"), "a: expected an IDX file, found first bytes 3c 68 74 6d");
  EXPECT_EQ(idx_error("\0\0\x0a\x01"s), "a: expected an IDX file, found first bytes 00 00 0a 01");
  EXPECT_EQ(idx_error("\0\0\x08\0"s), "a: expected an IDX file of 1 to 32 dimensions, found 0");
  EXPECT_EQ(idx_error("\0\0\x08\xff"s), "a: expected an IDX file of 1 to 32 dimensions, found 255");
  EXPECT_EQ(idx_error("\0\0\x08"s), "a: expected 4 more bytes, found 3");
  EXPECT_EQ(idx_error(good.substr(0, 10)), "a: expected 4 more bytes, found 2");
  EXPECT_THAT(idx_error(good.substr(0, 17)), ::testing::HasSubstr("found at most 5 bytes"));
  EXPECT_EQ(idx_error(good + "x"), "a: expected nothing after the data, found 1 more bytes");
  EXPECT_THAT(idx_error("\0\0\x08\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff"s),
              ::testing::HasSubstr("found at most 0 bytes"));
}

TEST(Idx, GzipThatLies) {
  const std::string packed = gzip(good);
  EXPECT_THAT(idx_error(packed.substr(0, packed.size() - 9)), ::testing::HasSubstr("found a stream cut off"));
  EXPECT_THAT(idx_error(packed.substr(0, packed.size() - 1)), ::testing::HasSubstr("found a stream cut off"));
  EXPECT_EQ(idx_error(packed + "x"), "a: expected nothing after the compressed stream, found more bytes");
  EXPECT_EQ(idx_error(gzip(good + "x")), "a: expected the end of the compressed stream, found more data");
  EXPECT_THAT(idx_error(gzip(good.substr(0, 15))), ::testing::HasSubstr("found its end after 3"));
  std::string damaged = packed;
  damaged[packed.size() - 8] ^= 1;
  EXPECT_EQ(idx_error(damaged), "a: expected a sound compressed stream, found damage (incorrect data check)");
  // A gigabyte claimed by forty bytes.
  EXPECT_THAT(idx_error(gzip("\0\0\x08\x01\x40\0\0\0abc"s)), ::testing::HasSubstr("found at most "));
}

}  // namespace
}  // namespace leeway
