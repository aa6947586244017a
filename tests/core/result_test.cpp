#include "leeway/core/result.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "leeway/io/safetensors.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::result_test {

using namespace leeway::testing;
using ::testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(JsonNumber, SpellsWhatJsonCannot) {
  EXPECT_EQ(json_number(infinity).dump(), "\"inf\"");
  EXPECT_EQ(json_number(-infinity).dump(), "\"-inf\"");
  EXPECT_EQ(json_number(std::nan("")).dump(), "\"nan\"");
  EXPECT_EQ(json_number(.1).dump(), "0.1");
  EXPECT_EQ(json_number(-0.).dump(), "-0.0");
}

std::string error(const std::string& text) {
  return message_of([&] { (void)parse_record(text, "a.json"); });
}

TEST(ReadRecord, KeepsTheOrderOfKeys) {
  const Json record =
      parse_record(R"({"schema": "leeway.pa/1", "b": 1, "a": {"z": "inf", "y": [1.5]}})", "a");
  EXPECT_EQ(record.dump(), R"({"schema":"leeway.pa/1","b":1,"a":{"z":"inf","y":[1.5]}})");
}

TEST(ReadRecord, RefusesWhatIsNoRecord) {
  const std::string no_json = "(JSON), found text that is not JSON at ",
                    schema = "with a \"schema\" string, ";
  const std::pair<std::string, std::string> bad[] = {
      {"", "(JSON), found an empty file"},
      {"<html>", no_json + "line 1, byte 1"},
      {"{\"schema\": \"leeway.pa/1\",\n\"a\": nan}", no_json + "line 2, byte 33"},
      {"{\"schema\": \"\xff\"}", no_json + "line 1, byte 13"},
      {"{} {}", no_json + "line 1, byte 4"},
      {"{\"schema\": 1e999}", "(JSON), found a number beyond float64"},
      {"[1]", "(a JSON object), found an array"},
      {"3", "(a JSON object), found a number"},
      {"{}", schema + "found none"},
      {"{\"schema\": 3}", schema + "found number"}};
  for (const auto& [text, part] : bad) EXPECT_EQ(error(text), "a.json: expected a result record " + part);
}

TEST(ReadRecord, RefusesEveryTruncation) {
  const std::string whole =
      R"({"schema": "leeway.pa/1", "results": [{"beta": "inf", "pa": -1.25e-3}, true, null]})";
  EXPECT_EQ(error(whole), "no error");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(error(whole.substr(0, length)), ::testing::StartsWith("a.json: expected a result record"));
}

TEST(ReadRecord, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {  // the record itself is one level
    return R"({"schema": "s", "a": )" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(error(nested(100)), "no error");
  const std::string refusal =
      "a.json: expected JSON nested at most 100 levels deep, at most 10000 keys per object, found more";
  EXPECT_EQ(error(nested(101)), refusal);
  EXPECT_EQ(error(nested(1'000'000)), refusal);
  std::string keys = "{\"schema\": \"},{\\\"\"", objects = "{\"schema\": [{}";
  for (std::size_t i = 1; i < 10'000; ++i) keys += fmt::format(",\"{}\":[1,2]", i);
  for (std::size_t i = 0; i < 500'000; ++i) objects += ",{}";
  EXPECT_EQ(error(keys + "}"), "no error");
  EXPECT_EQ(error(keys + ",\"a\":1}"), refusal);
  EXPECT_THAT(error(objects + "]}"), ::testing::HasSubstr("found array"));  // not quadratic: hours
  EXPECT_EQ(error(std::string(1'000'000, '[')), refusal);
}

TEST(ReadRecord, NamesAMissingFile) { EXPECT_REFUSED(read_record("no/such.json"), "no/such.json: ..."); }

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
  EXPECT_EQ(damaged_state(path), path.string() + ": the saved state is damaged; starting over");
}

}  // namespace leeway::result_test
