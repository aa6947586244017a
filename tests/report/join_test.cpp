#include <gmock/gmock.h>

#include "leeway/report/report.h"
#include "tests/message_of.h"
#include "tests/record/pa_records.h"
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
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", {{"schema", "leeway.pa/2"}}}}),
            "b.json: expected schema leeway.assess/1 as in a.json, found 'leeway.pa/2'");
  const Json selection = {{"schema", "leeway.select/2"}};
  EXPECT_EQ(complaint({{"a.json", selection}, {"b.json", selection}}),
            "a.json: expected schema leeway.assess/1 or leeway.pa/2, of which several make one page, found "
            "'leeway.select/2'");
}

// What a record leaves null has no name; it is joined like one that is called nothing.
TEST(Join, NullNames) {
  Json assessed = full_record(1, 1, 3);
  assessed["results"][0]["target"] = nullptr;
  EXPECT_EQ(join_records({{"a.json", assessed}, {"b.json", assessed}})["results"].size(), 2u);
}

// A record of leeway pa without a model's name.
record::Pa agreement(const std::string& clean, const std::vector<std::string>& shifted, std::size_t k = 10) {
  record::Pa record = record::test::bare_pa();
  record.envelope.inputs = {{clean, 0, {}, ""}};
  record.results.clear();
  for (const std::string& path : shifted) record.results.push_back(record::test::set_of(path, 1));
  for (record::PaSet& set : record.results) set.agreement.k = k;
  return record;
}

std::vector<std::string> models(const record::Pa& record) {
  std::vector<std::string> values;
  for (const record::PaSet& set : record.results) values.push_back(set.model);
  return values;
}

std::vector<std::string> shifted(const record::Pa& record) {
  std::vector<std::string> values;
  for (const record::PaSet& set : record.results) values.push_back(set.shifted);
  return values;
}

TEST(JoinAgreements, OneRecordStaysAsItIs) {
  const record::Pa record = record::test::full_pa();
  EXPECT_EQ(to_json(join_records({"a.json"}, {record})), to_json(record));
}

TEST(JoinAgreements, ModelsAreCalledByTheirRecordsAndSetsByTheirFiles) {
  const record::Pa joined = join_records({"out/cnn.json", "out/robust.json"},
                                         {agreement("cnn/clean.npz", {"cnn/pgd.npz", "cnn/noise.npz"}),
                                          agreement("robust/clean.npz", {"robust/pgd.npz"})});
  EXPECT_EQ(models(joined), (std::vector<std::string>{"cnn", "cnn", "robust"}));
  EXPECT_EQ(shifted(joined), (std::vector<std::string>{"pgd", "noise", "pgd"}));
  EXPECT_EQ(joined.envelope.inputs.size(), 2u);
  EXPECT_EQ(joined.envelope.headline, headline_of(joined));
  const std::string page = html_report(joined);
  EXPECT_EQ(test::malformed(page), std::nullopt);
  EXPECT_EQ(test::occurrences(page, "class=\"copy-text\""), 2u);  // both commands
}

TEST(JoinAgreements, NamesTheInstructionSetThatAllRecordsName) {
  record::Pa a = agreement("a", {"x"}), b = agreement("b", {"x"});
  EXPECT_EQ(join_records({"a.json", "b.json"}, {a, b}).envelope.instruction_set, "baseline");
  b.envelope.instruction_set = "avx2";
  EXPECT_EQ(join_records({"a.json", "b.json"}, {a, b}).envelope.instruction_set, "");
}

TEST(JoinAgreements, OneCleanSetIsOneModel) {
  const record::Pa joined = join_records(
      {"a.json", "b.json"}, {agreement("clean.npz", {"x/pgd.npz"}), agreement("clean.npz", {"y/noise.npz"})});
  EXPECT_EQ(models(joined), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(shifted(joined), (std::vector<std::string>{"x/pgd.npz", "y/noise.npz"}));
}

TEST(JoinAgreements, SetsKeepTheirPathsWhereFilesAreCalledAlike) {
  const record::Pa joined = join_records(
      {"cnn.json", "robust.json"},
      {agreement("cnn/clean.npz", {"4/pgd.npz", "8/pgd.npz"}), agreement("robust/clean.npz", {"r/pgd.npz"})});
  EXPECT_EQ(shifted(joined), (std::vector<std::string>{"4/pgd.npz", "8/pgd.npz", "r/pgd.npz"}));
}

TEST(JoinAgreements, GapsFollowTheirModels) {
  record::Pa record = agreement("clean.npz", {"pgd.npz", "pgd.npz"});
  record.results[0].model = "a";
  record.results[1].model = "b";
  record.ar_gap = {{"pgd.npz", "", "a", "b", {}}};
  const record::Pa joined = join_records({"1.json", "2.json"}, {record, record});
  EXPECT_EQ(models(joined), (std::vector<std::string>{"a", "b", "a (2.json)", "b (2.json)"}));
  EXPECT_EQ(joined.ar_gap[1].model_plus, "a (2.json)");
  EXPECT_EQ(joined.ar_gap[1].shifted, joined.results[2].shifted);
}

TEST(JoinAgreements, RefusesOtherClasses) {
  EXPECT_EQ(message_of([&] {
              (void)join_records({"a.json", "b.json"}, {agreement("c", {"x"}), agreement("d", {"x"}, 4)});
            }),
            "b.json: expected 10 classes as in a.json, found 4");
}

}  // namespace
}  // namespace leeway::report
