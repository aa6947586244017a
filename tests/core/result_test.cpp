#include "leeway/core/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "leeway/core/error.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(JsonNumber, SpellsWhatJsonCannot) {
  EXPECT_EQ(json_number(infinity).dump(), "\"inf\"");
  EXPECT_EQ(json_number(-infinity).dump(), "\"-inf\"");
  EXPECT_EQ(json_number(std::nan("")).dump(), "\"nan\"");
  EXPECT_EQ(json_number(.1).dump(), "0.1");
  EXPECT_EQ(json_number(-0.).dump(), "-0.0");
}

class ReadRecord : public testing::Test {
 protected:
  ~ReadRecord() override { std::filesystem::remove(path_); }

  Json read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_record(path_);
  }
  std::string error(const std::string& text) {
    return message_of([&] { (void)read(text); });
  }

  const std::string path_ = testing::TempDir() + "leeway_record_" + std::to_string(getpid()) + ".json";
};

TEST_F(ReadRecord, KeepsTheOrderOfKeys) {
  const Json record = read(R"({"schema": "leeway.pa/1", "b": 1, "a": {"z": "inf", "y": [1.5]}})");
  EXPECT_EQ(record.dump(), R"({"schema":"leeway.pa/1","b":1,"a":{"z":"inf","y":[1.5]}})");
}

TEST_F(ReadRecord, RefusesWhatIsNoRecord) {
  EXPECT_EQ(error(""), path_ + ": expected a result record (JSON), found an empty file");
  EXPECT_EQ(error("<html>"),
            path_ + ": expected a result record (JSON), found text that is not JSON at line 1, byte 1");
  EXPECT_EQ(error("{\"schema\": \"leeway.pa/1\",\n\"a\": nan}"),
            path_ + ": expected a result record (JSON), found text that is not JSON at line 2, byte 33");
  EXPECT_EQ(error("{\"schema\": \"\xff\"}"),
            path_ + ": expected a result record (JSON), found text that is not JSON at line 1, byte 13");
  EXPECT_EQ(error("{} {}"),
            path_ + ": expected a result record (JSON), found text that is not JSON at line 1, byte 4");
  EXPECT_EQ(error("{\"schema\": 1e999}"),
            path_ + ": expected a result record (JSON), found a number beyond float64");
  EXPECT_EQ(error("[1]"), path_ + ": expected a result record (a JSON object), found an array");
  EXPECT_EQ(error("3"), path_ + ": expected a result record (a JSON object), found a number");
  EXPECT_EQ(error("{}"), path_ + ": expected a result record with a \"schema\" string, found none");
  EXPECT_EQ(error("{\"schema\": 3}"),
            path_ + ": expected a result record with a \"schema\" string, found number");
}

TEST_F(ReadRecord, RefusesEveryTruncation) {
  const std::string whole =
      R"({"schema": "leeway.pa/1", "results": [{"beta": "inf", "pa": -1.25e-3}, true, null]})";
  EXPECT_EQ(error(whole), "no error");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(error(whole.substr(0, length)), testing::StartsWith(path_ + ": expected a result record"));
}

TEST_F(ReadRecord, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {  // the record itself is one level
    return R"({"schema": "s", "a": )" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(error(nested(100)), "no error");
  const std::string refusal = path_ + ": expected a result record nested at most 100 levels deep, found more";
  EXPECT_EQ(error(nested(101)), refusal);
  EXPECT_EQ(error(nested(1'000'000)), refusal);
  EXPECT_EQ(error(std::string(1'000'000, '[')), refusal);
}

TEST_F(ReadRecord, NamesAMissingFile) {
  EXPECT_THAT(message_of([&] { (void)read_record(path_ + ".absent"); }),
              testing::StartsWith(path_ + ".absent: "));
}

}  // namespace
}  // namespace leeway
