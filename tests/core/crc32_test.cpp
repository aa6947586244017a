#include "leeway/core/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string_view>
#include <vector>

#include "tests/at_threads.h"

namespace leeway {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Crc32, KnownValues) {
  EXPECT_EQ(crc32_of({}), 0u);
  EXPECT_EQ(crc32_of(bytes_of("123456789")), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32_of(bytes_of("6789"), crc32_of(bytes_of("12345"))), 0xcbf43926u);
}

TEST(Crc32, OfManyBlocksIsThatOfTheWhole) {
  std::vector<std::byte> data((std::size_t{17} << 20) + 13);
  std::minstd_rand random(2);
  for (std::byte& byte : data) byte = static_cast<std::byte>(random() >> 8);
  const auto expected = ::crc32_z(7, reinterpret_cast<const Bytef*>(data.data()), data.size());
  for (const int count : {1, 2, 5}) EXPECT_EQ(at_threads(count, [&] { return crc32_of(data, 7); }), expected);
}

}  // namespace
}  // namespace leeway
