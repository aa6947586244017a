#include <gmock/gmock.h>

#include "leeway/report/report.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::full_record;

std::string complaint(const std::vector<std::pair<std::string, Json>>& records) {
  return message_of([&] { (void)join_records(records); });
}

TEST(Join, OneRecordStaysAsItIs) {
  const Json record = full_record(1, 2, 3);
  EXPECT_EQ(join_records({{"a.json", record}}), record);
}

TEST(Join, SetsModelsSideBySide) {
  Json a = full_record(1, 2, 3), b = full_record(1, 2, 3);
  a["headline"] = "a is fair";
  b["headline"] = "b is bad";
  for (Json& result : b["results"]) {
    result["model"] = "other";
    result["accuracy"] = .1;
  }
  const Json joined = join_records({{"a.json", a}, {"b.json", b}});
  EXPECT_EQ(joined["results"].size(), 4u);
  EXPECT_EQ(joined["models"], (Json{"model 0", "other"}));
  EXPECT_EQ(joined["targets"], (Json{"shift 0", "shift 1"}));
  EXPECT_EQ(joined["headline"], "b is bad");  // its worst result is the worst of all
  EXPECT_EQ(joined["findings"], Json{"a is fair"});
  EXPECT_EQ(joined["commands"].size(), 2u);
  EXPECT_EQ(test::malformed(html_report(joined)), std::nullopt);
}

TEST(Join, NamesTheInstructionSetThatAllRecordsName) {
  const Json record = full_record(1, 1, 3);
  Json a = record, b = record;
  a["instruction_set"] = b["instruction_set"] = "avx2";
  EXPECT_EQ(join_records({{"a.json", a}, {"b.json", b}})["instruction_set"], "avx2");
  EXPECT_THAT(html_report(join_records({{"a.json", a}, {"b.json", b}})),
              testing::HasSubstr(", instruction set avx2. The page"));
  b["instruction_set"] = "avx512";
  EXPECT_FALSE(join_records({{"a.json", a}, {"b.json", b}}).contains("instruction_set"));
  EXPECT_FALSE(join_records({{"a.json", a}, {"b.json", record}}).contains("instruction_set"));
}

TEST(Join, TellsEqualNamesApart) {
  const Json record = full_record(1, 1, 3);
  const Json joined = join_records({{"a.json", record}, {"b.json", record}});
  EXPECT_EQ(joined["models"], (Json{"model 0", "model 0 (b.json)"}));
}

TEST(Join, RefusesWhatDoesNotBelongTogether) {
  const Json record = full_record(1, 1, 3);
  EXPECT_EQ(complaint({}), "join: expected at least one record, found none");
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", full_record(1, 1, 4)}}),
            "b.json: expected 3 classes as in a.json, found 4");
  Json renamed = record;
  renamed["class_names"][1] = "cat";
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", renamed}}),
            "b.json: expected class 1 named 'class 1' as in a.json, found 'cat'");
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", {{"schema", "leeway.pa/1"}}}}),
            "b.json: expected schema leeway.assess/1 as in a.json, found 'leeway.pa/1'");
  const Json selection = {{"schema", "leeway.select/1"}};
  EXPECT_EQ(complaint({{"a.json", selection}, {"b.json", selection}}),
            "a.json: expected schema leeway.assess/1 or leeway.pa/1, of which several make one page, found "
            "'leeway.select/1'");
}

// A record of leeway pa without a model's name.
Json agreement(const std::string& clean, const std::vector<std::string>& shifted, std::size_t k = 10) {
  Json record = {{"schema", "leeway.pa/1"}, {"command", {"leeway", "pa"}}, {"inputs", {{{"path", clean}}}}};
  for (const std::string& path : shifted)
    record["results"].push_back({{"shifted", path}, {"n", 100}, {"k", k}, {"pa", 1}});
  return record;
}

std::vector<std::string> all(const Json& record, const char* key) {
  std::vector<std::string> values;
  for (const Json& result : record["results"]) values.push_back(result.value(key, "-"));
  return values;
}

TEST(JoinAgreements, ModelsAreCalledByTheirRecordsAndSetsByTheirFiles) {
  const Json joined =
      join_records({{"out/cnn.json", agreement("cnn/clean.npz", {"cnn/pgd.npz", "cnn/noise.npz"})},
                    {"out/robust.json", agreement("robust/clean.npz", {"robust/pgd.npz"})}});
  EXPECT_EQ(all(joined, "model"), (std::vector<std::string>{"cnn", "cnn", "robust"}));
  EXPECT_EQ(all(joined, "shifted"), (std::vector<std::string>{"pgd", "noise", "pgd"}));
  EXPECT_EQ(joined["inputs"].size(), 2u);
  EXPECT_EQ(test::malformed(html_report(joined)), std::nullopt);
}

TEST(JoinAgreements, OneCleanSetIsOneModel) {
  const Json joined = join_records({{"a.json", agreement("clean.npz", {"x/pgd.npz"})},
                                    {"b.json", agreement("clean.npz", {"y/noise.npz"})}});
  EXPECT_EQ(all(joined, "model"), (std::vector<std::string>{"-", "-"}));
  EXPECT_EQ(all(joined, "shifted"), (std::vector<std::string>{"x/pgd.npz", "y/noise.npz"}));
}

TEST(JoinAgreements, SetsKeepTheirPathsWhereFilesAreCalledAlike) {
  const Json joined = join_records({{"cnn.json", agreement("cnn/clean.npz", {"4/pgd.npz", "8/pgd.npz"})},
                                    {"robust.json", agreement("robust/clean.npz", {"r/pgd.npz"})}});
  EXPECT_EQ(all(joined, "shifted"), (std::vector<std::string>{"4/pgd.npz", "8/pgd.npz", "r/pgd.npz"}));
}

TEST(JoinAgreements, GapsFollowTheirModels) {
  Json record = agreement("clean.npz", {"pgd.npz", "pgd.npz"});
  record["results"][0]["model"] = "a";
  record["results"][1]["model"] = "b";
  record["ar_gap"] = {
      {{"shifted", "pgd.npz"}, {"model_plus", "a"}, {"model_minus", "b"}, {"points", Json::array()}}};
  const Json joined = join_records({{"1.json", record}, {"2.json", record}});
  EXPECT_EQ(all(joined, "model"), (std::vector<std::string>{"a", "b", "a (2.json)", "b (2.json)"}));
  EXPECT_EQ(joined["ar_gap"][1]["model_plus"], "a (2.json)");
  EXPECT_EQ(joined["ar_gap"][1]["shifted"], joined["results"][2]["shifted"]);
}

// What a record leaves null has no name; it is joined like one that is called nothing.
TEST(Join, NullNames) {
  Json record = agreement("clean.npz", {"pgd.npz"});
  for (const char* key : {"shifted", "model", "shift"}) record["results"][0][key] = nullptr;
  const Json joined = join_records({{"a.json", record}, {"b.json", agreement("b/clean.npz", {"b/pgd.npz"})}});
  EXPECT_EQ(joined["results"][0]["shifted"], "");
  Json assessed = full_record(1, 1, 3);
  assessed["results"][0]["target"] = nullptr;
  EXPECT_EQ(join_records({{"a.json", assessed}, {"b.json", assessed}})["results"].size(), 2u);
}

TEST(JoinAgreements, RefusesOtherClasses) {
  EXPECT_EQ(complaint({{"a.json", agreement("c", {"x"})}, {"b.json", agreement("d", {"x"}, 4)}}),
            "b.json: expected 10 classes as in a.json, found 4");
}

}  // namespace
}  // namespace leeway::report
