#include "leeway/core/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/files.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using ::testing::ElementsAre;

TEST(StateFile, OfWhichOneBitChangedIsDamagedOrTheSame) {
  const TemporaryFolder folder;
  const auto path = folder / "r.state";
  write_state(path, {{{"a", make_array<std::int32_t>({2}, {1, 2})}, {"b", make_array<double>({1}, {.5})}},
                     {{"plan", "x"}}});
  const std::string whole = read_bytes(path);
  std::size_t same = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 11) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_bytes(path, bytes);
    const auto content = read_state(path);
    if (!content) continue;
    ++same;  // a capital letter of an escape, white space
    EXPECT_EQ(content->metadata, (std::map<std::string, std::string>{{"plan", "x"}})) << "bit " << bit;
    EXPECT_THAT(values_of<std::int32_t>(content->tensors.at("a")), ElementsAre(1, 2)) << "bit " << bit;
    EXPECT_THAT(values_of<double>(content->tensors.at("b")), ElementsAre(.5)) << "bit " << bit;
  }
  EXPECT_LT(same, 20u);
  write_bytes(path, whole);
  EXPECT_TRUE(read_state(path));
}

TEST(StateFile, OfAnotherKindIsDamaged) {
  const TemporaryFolder folder;
  const auto path = folder / "r.state";
  write_safetensors(path, {{{"a", make_array<double>({1}, {1})}}, {{"plan", "x"}}});
  EXPECT_FALSE(read_state(path));
  write_bytes(path, "");
  EXPECT_FALSE(read_state(path));
  EXPECT_EQ(damaged_state(path), path.string() + ": state damaged, starting anew");
}

}  // namespace
}  // namespace leeway
