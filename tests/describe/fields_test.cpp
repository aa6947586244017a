// What is derived from a description: JSON, its reader, the schema, the table of keys.
#include "leeway/describe/fields.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "leeway/describe/json.h"
#include "leeway/describe/keys.h"
#include "tests/message_of.h"

namespace leeway::tasks {

struct Part {
  std::size_t n = 0;
  double sum = 0;
};

// One field of every type.
struct Everything {
  double number = 0, bounded = .5, absent = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> maybe;
  std::size_t count = 0;
  std::optional<std::size_t> maybe_count;
  std::int64_t whole = 0;
  bool flag = false;
  std::optional<bool> maybe_flag;
  std::string text, nothing, word = "all";
  std::optional<std::string> maybe_word;
  std::vector<double> numbers;
  std::vector<std::size_t> counts;
  std::vector<std::string> texts;
  std::vector<std::vector<std::size_t>> table;
  std::map<std::string, std::optional<double>> by_name;
  std::map<std::string, std::string> reasons;
  double pa = 0;
  Interval pa_interval;
  std::optional<double> accuracy;
  std::optional<Interval> accuracy_interval;
  double error = 0;
  std::optional<Interval> error_interval;
  Part part;
  std::optional<Part> maybe_part;
  std::vector<Part> parts;
};

static void fields(Part& part, Fields& f) {
  f("n", part.n, at_least(1), "samples");
  f("sum", part.sum, "of agreement");
}

static void fields(Everything& e, Fields& f) {
  const std::vector<Choice> words{{"right", "those right before"}, {"all", "every sample"}};
  f("number", e.number, "any number");
  f("bounded", e.bounded, a_share, "a share | a fraction");
  f.unless_nan("absent", e.absent, at_least(0), "not always there");
  f("maybe", e.maybe, from_to(-1, 1), "a change");
  f("count", e.count, "of things");
  f("maybe_count", e.maybe_count, from_to(2, 9), "of things");
  f("whole", e.whole, "any integer");
  f("flag", e.flag, "yes or no");
  f("maybe_flag", e.maybe_flag, "yes, no or neither");
  f("text", e.text, "any text");
  f.unless_empty("nothing", e.nothing, "a text, if any");
  f.choice("word", e.word, words, "which samples");
  f.choice("maybe_word", e.maybe_word, words, "which samples, if said");
  f("numbers", e.numbers, a_share, "shares");
  f("counts", e.counts, "counts");
  f("texts", e.texts, "names");
  f("table", e.table, "counts by row");
  f("by_name", e.by_name, a_share, "errors by method");
  f("reasons", e.reasons, "why not, by key");
  f.measured("pa", e.pa, e.pa_interval, {}, "agreement");
  f.measured("accuracy", e.accuracy, e.accuracy_interval, a_share, "share right");
  f.measured("error", e.error, e.error_interval, a_share, "share wrong");
  f("part", e.part, "a part");
  f("maybe_part", e.maybe_part, "a part, if any");
  f("parts", e.parts, "all parts");
}

namespace {

using ::testing::HasSubstr;

Json json_of(Everything e) {
  return written([&](Fields& f) { fields(e, f); });
}

Everything read_everything(const Json& json) {
  Everything e;
  read([&](Fields& f) { fields(e, f); }, json, "r.json");
  return e;
}

void describe_everything(Fields& f) {
  Everything e;
  fields(e, f);
}

Everything filled() {
  Everything e;
  e.number = -HUGE_VAL, e.bounded = 1, e.absent = 2, e.maybe = -1;
  e.count = std::numeric_limits<std::size_t>::max();
  e.maybe_count = 9, e.whole = std::numeric_limits<std::int64_t>::min();
  e.flag = true, e.maybe_flag = false, e.text = "a\nb", e.nothing = "x", e.word = "right",
  e.maybe_word = "all";
  e.numbers = {0, .1}, e.counts = {3}, e.texts = {"", "y"}, e.table = {{1, 2}, {}};
  e.by_name = {{"ac", .25}, {"cot", std::nullopt}};
  e.reasons = {{"pa", "no pairs"}};
  e.pa = .1 + .2, e.pa_interval = {5e-324, HUGE_VAL};
  e.accuracy = .5, e.accuracy_interval = Interval{.25, .75};
  e.error = .5, e.error_interval = e.accuracy_interval;
  e.part = {1, -2.5}, e.maybe_part = Part{7, 0}, e.parts = {{1, 1}, {2, 4}};
  return e;
}

TEST(Fields, AreWrittenInOrderAndNullWhereThereIsNothing) {
  Everything none;
  none.part.n = 4;
  EXPECT_EQ(
      json_of(none).dump(),
      R"({"number":0.0,"bounded":0.5,"absent":null,"maybe":null,"count":0,"maybe_count":null,"whole":0,)"
      R"("flag":false,"maybe_flag":null,"text":"","nothing":null,"word":"all","maybe_word":null,"numbers":[],)"
      R"("counts":[],"texts":[],"table":[],"by_name":{},"reasons":{},"pa":0.0,"pa_low":0.0,"pa_high":0.0,)"
      R"("accuracy":null,"accuracy_low":null,"accuracy_high":null,"error":0.0,"error_low":null,"error_high":null,"part":{"n":4,"sum":0.0},)"
      R"("maybe_part":null,"parts":[]})");
}

TEST(Fields, AreReadAsTheyWereWritten) {
  const Json json = json_of(filled());
  EXPECT_EQ(json["number"], "-inf");
  EXPECT_EQ(json["pa_high"], "inf");
  EXPECT_EQ(json["by_name"].dump(), R"({"ac":0.25,"cot":null})");
  EXPECT_EQ(json_of(read_everything(json)), json);
  EXPECT_EQ(json_of(read_everything(Json::parse(json.dump()))), json);  // to the bit through text
  Json larger = json;
  larger["a key of tomorrow"] = 1;
  EXPECT_EQ(json_of(read_everything(larger)), json);
}

TEST(Fields, WhatMayBeNullMayBeMissing) {
  Json json = json_of(filled());
  for (const char* key : {"absent", "maybe", "maybe_count", "maybe_flag", "nothing", "maybe_word", "accuracy",
                          "accuracy_low", "accuracy_high", "error_low", "maybe_part"})
    json.erase(key);
  const Everything e = read_everything(json);
  EXPECT_TRUE(std::isnan(e.absent));
  EXPECT_EQ(e.nothing, "");
  EXPECT_FALSE(e.maybe || e.maybe_count || e.maybe_flag || e.maybe_word || e.accuracy || e.maybe_part);
  EXPECT_FALSE(e.accuracy_interval || e.error_interval);
}

struct Wrong {
  const char* pointer;
  Json value;
  const char* message;
};

TEST(Fields, WhatDoesNotFitIsNamedByItsPath) {
  const std::vector<Wrong> cases = {
      {"/number", "x", "a number at number, found 'x'"},
      {"/number", nullptr, "a number at number, found null"},
      {"/bounded", 1.5, "a number from 0 to 1 at bounded, found 1.5"},
      {"/bounded", "nan", "a number from 0 to 1 at bounded, found 'nan'"},
      {"/absent", -1, "a number from 0 at absent, found -1"},
      {"/count", -1, "an integer from 0 at count, found -1"},
      {"/count", 1.5, "an integer from 0 at count, found 1.5"},
      {"/maybe_count", 10, "an integer from 2 to 9 at maybe_count, found 10"},
      {"/whole", 18446744073709551615u, "an integer at whole, found 18446744073709551615"},
      {"/flag", 1, "true or false at flag, found 1"},
      {"/text", 3, "a string at text, found 3"},
      {"/word", "some", "one of right, all at word, found 'some'"},
      {"/numbers/1", 2, "a number from 0 to 1 at numbers[1], found 2"},
      {"/counts", 2, "a list at counts, found 2"},
      {"/table/0/1", true, "an integer from 0 at table[0][1], found true"},
      {"/by_name/ac", 2, "a number from 0 to 1 at by_name.ac, found 2"},
      {"/reasons", Json::array(), "an object at reasons, found array"},
      {"/error", nullptr, "a number from 0 to 1 at error, found null"},
      {"/accuracy_high", -1, "a number from 0 to 1 at accuracy_high, found -1"},
      {"/part", nullptr, "an object at part, found null"},
      {"/part", 7, "an object at part, found 7"},
      {"/parts/1/n", 0, "an integer from 1 at parts[1].n, found 0"},
      {"/parts", Json::object(), "a list at parts, found object"},
  };
  for (const Wrong& wrong : cases) {
    Json json = json_of(filled());
    json[Json::json_pointer(wrong.pointer)] = wrong.value;
    EXPECT_REFUSED(read_everything(json), std::string("r.json: expected ") + wrong.message);
  }
  Json json = json_of(filled());
  json["parts"][1].erase("sum");
  EXPECT_REFUSED(read_everything(json), "r.json: expected a number at parts[1].sum, found none");
  EXPECT_REFUSED(read_everything(Json::array()), "r.json: expected an object at the top, found array");
}

TEST(Fields, TheSchemaSaysTypesRangesAndWords) {
  const Json schema = schema_of(describe_everything, "everything");
  EXPECT_EQ(schema["title"], "everything");
  EXPECT_EQ(schema["required"].size(), schema["properties"].size());
  const auto of = [&](const char* key) {
    Json type = schema["properties"][key];
    type.erase("description");
    return type.dump();
  };
  EXPECT_EQ(of("number"), R"({"anyOf":[{"type":"number"},{"enum":["inf","-inf","nan"]}]})");
  EXPECT_EQ(of("bounded"), R"({"type":"number","minimum":0.0,"maximum":1.0})");
  EXPECT_EQ(of("absent"), R"({"anyOf":[{"type":"number","minimum":0.0},{"enum":["inf"]},{"type":"null"}]})");
  EXPECT_EQ(of("maybe_count"), R"({"anyOf":[{"type":"integer","minimum":2,"maximum":9},{"type":"null"}]})");
  EXPECT_EQ(of("whole"), R"({"type":"integer"})");
  EXPECT_EQ(of("word"), R"({"enum":["right","all"]})");
  EXPECT_EQ(of("table"),
            R"({"type":"array","items":{"type":"array","items":{"type":"integer","minimum":0}}})");
  EXPECT_EQ(schema["properties"]["bounded"]["description"], "a share | a fraction");
  EXPECT_EQ(schema["properties"]["parts"]["items"]["required"].dump(), R"(["n","sum"])");
  EXPECT_EQ(schema["properties"]["maybe_part"]["anyOf"][0]["properties"]["n"]["minimum"], 1);
}

TEST(Fields, KeysAreListedWithTheirMeanings) {
  const std::vector<Key> keys = keys_of(describe_everything);
  std::vector<std::string> numbers;
  for (const Key& key : keys)
    if (key.number) numbers.push_back(key.path);
  EXPECT_THAT(numbers,
              ::testing::ElementsAre("number", "bounded", "absent", "maybe", "count", "maybe_count", "whole",
                                     "pa", "pa_low", "pa_high", "accuracy", "accuracy_low", "accuracy_high",
                                     "error", "error_low", "error_high", "part.n", "part.sum", "maybe_part.n",
                                     "maybe_part.sum", "parts[].n", "parts[].sum"));
  const std::string table = key_table(describe_everything);
  EXPECT_THAT(table, HasSubstr("| `bounded` | a number from 0 to 1 | a share \\| a fraction |\n"));
  EXPECT_THAT(table, HasSubstr("| `absent` | a number from 0, or null | not always there |\n"));
  EXPECT_THAT(table, HasSubstr("| `numbers` | a list of numbers from 0 to 1 | shares |\n"));
  EXPECT_THAT(table, HasSubstr("| `table` | a list of lists of integers from 0 | counts by row |\n"));
  EXPECT_THAT(table,
              HasSubstr("| `word` | one of right, all | which samples: right: those right before; all: "
                        "every sample |\n"));
  EXPECT_THAT(table, HasSubstr("| `pa_low` | a number | lower end of the interval of pa |\n"));
}

TEST(RequireSchema, AnEarlierNumberIsToBeComputedAgain) {
  const auto complaint = [](const Json& json) {
    return message_of([&] { require_schema(json, "leeway.pa/2", "r.json"); });
  };
  EXPECT_EQ(complaint({{"schema", "leeway.pa/2"}}), "no error");
  const std::string expected = "r.json: expected a record of schema leeway.pa/2, found ";
  EXPECT_EQ(complaint({{"schema", "leeway.pa/1"}}),
            expected + "'leeway.pa/1', written by an earlier version: run the command again");
  for (const std::string other : {"leeway.pa/3", "leeway.pa/x", "leeway.bound/1"})
    EXPECT_EQ(complaint({{"schema", other}}), expected + "'" + other + "'");
  for (const Json& none : {Json{{"schema", 2}}, Json::array()}) EXPECT_EQ(complaint(none), expected + "none");
}

}  // namespace
}  // namespace leeway::tasks
