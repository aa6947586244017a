#include "leeway/core/family.h"

#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace leeway {
namespace {

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
  EXPECT_EQ(message("Apple"),
            "fruit: expected one of apple, cherry, apple, found 'Apple'; did you mean apple?");
  EXPECT_EQ(message("a\nb"), "fruit: expected one of apple, cherry, apple, found 'a\\x0ab'");
}

}  // namespace
}  // namespace leeway
