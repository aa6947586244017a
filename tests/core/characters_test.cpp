// Case and white space of every code point, against Python's Unicode tables.
#include "leeway/core/characters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <set>

#include "leeway/core/result.h"

namespace leeway {
namespace {

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
    ASSERT_EQ(lower_case(point), lower.contains(point) ? lower.at(point) : point)
        << static_cast<std::uint32_t>(point);
    ASSERT_EQ(upper_case(point), upper.contains(point) ? upper.at(point) : point)
        << static_cast<std::uint32_t>(point);
    ASSERT_EQ(is_white_space(point), white.contains(point)) << static_cast<std::uint32_t>(point);
  }
}

}  // namespace
}  // namespace leeway
