#include "leeway/tasks/report/join.h"

#include <gmock/gmock.h>

#include "leeway/tasks/report/page.h"
#include "tests/describe/pa_records.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::join_test {

using test::full_record;
using ::testing::HasSubstr;

using Records = std::vector<Assess>;

std::string complaint(const std::vector<std::string>& names, const Records& records) {
  return message_of([&] { (void)join_records(names, records); });
}

TEST(Join, OneRecordStaysAsItIs) {
  const Assess record = full_record(1, 2, 3);
  EXPECT_EQ(to_json(join_records({"a.json"}, Records{record})), to_json(record));
  const Pa agreement = tasks::test::full_pa();
  EXPECT_EQ(to_json(join_records({"a.json"}, {agreement})), to_json(agreement));
}

TEST(Join, SetsModelsSideBySide) {
  Assess a = full_record(1, 2, 3), b = a;
  a.envelope.headline = "a is fair";
  b.envelope.headline = "b is bad";
  for (AssessResult& result : b.results) {
    result.model = "other";
    result.accuracy.value = .1;
  }
  const Assess joined = join_records({"a.json", "b.json"}, Records{a, b});
  EXPECT_EQ(joined.results.size(), 4u);
  EXPECT_EQ(joined.models, (std::vector<std::string>{"model 0", "other"}));
  EXPECT_EQ(joined.targets, (std::vector<std::string>{"shift 0", "shift 1"}));
  EXPECT_EQ(joined.envelope.headline, "b is bad");  // its worst result is the worst of all
  EXPECT_EQ(joined.envelope.findings, std::vector<std::string>{"a is fair"});
  EXPECT_EQ(joined.envelope.joined_commands.size(), 1u);
  const std::string page = html_report(joined);
  EXPECT_EQ(test::malformed(page), std::nullopt);
  EXPECT_EQ(test::occurrences(page, "class=\"copy-text\""), 2u);  // both commands
}

TEST(Join, TellsEqualNamesApart) {
  const Assess record = full_record(1, 1, 3);
  EXPECT_EQ(join_records({"a.json", "b.json"}, Records{record, record}).models,
            (std::vector<std::string>{"model 0", "model 0 (b.json)"}));
}

TEST(Join, RefusesWhatDoesNotBelongTogether) {
  const Assess record = full_record(1, 1, 3);
  EXPECT_EQ(complaint({}, {}), "join: expected at least one record, found none");
  EXPECT_THAT(complaint({"a.json", "b.json"}, {record, full_record(1, 1, 4)}),
              HasSubstr("classes as in a.json, found 4"));
  Assess renamed = record;
  renamed.class_names[1] = "cat";
  EXPECT_THAT(complaint({"a.json", "b.json"}, {record, renamed}),
              HasSubstr("'class 1' as in a.json (assess both with the same --class-names), found 'cat'"));
}

// A record of leeway pa without a model's name.
Pa agreement(const std::string& clean, const std::vector<std::string>& shifted, std::size_t k = 10) {
  Pa record = tasks::test::bare_pa();
  record.envelope.inputs = {{clean, 0, {}, ""}};
  record.results.clear();
  for (const std::string& path : shifted) record.results.push_back(tasks::test::set_of(path, 1));
  for (PaSet& set : record.results) set.agreement.k = k;
  return record;
}

std::vector<std::string> names(const Pa& record, std::string PaSet::*name) {
  std::vector<std::string> values;
  for (const PaSet& set : record.results) values.push_back(set.*name);
  return values;
}

TEST(JoinAgreements, ModelsAreCalledByTheirRecordsAndSetsByTheirFiles) {
  const Pa joined = join_records({"out/cnn.json", "out/robust.json"},
                                 {agreement("cnn/clean.npz", {"cnn/pgd.npz", "cnn/noise.npz"}),
                                  agreement("robust/clean.npz", {"robust/pgd.npz"})});
  EXPECT_EQ(names(joined, &PaSet::model), (std::vector<std::string>{"cnn", "cnn", "robust"}));
  EXPECT_EQ(names(joined, &PaSet::shifted), (std::vector<std::string>{"pgd", "noise", "pgd"}));
  EXPECT_EQ(joined.envelope.inputs.size(), 2u);
  EXPECT_EQ(joined.envelope.headline, headline_of(joined));
  EXPECT_EQ(joined.envelope.joined_commands.size(), 1u);
}

TEST(JoinAgreements, GapsFollowTheirModels) {
  Pa record = agreement("clean.npz", {"pgd.npz", "pgd.npz"});
  record.results[0].model = "a";
  record.results[1].model = "b";
  record.ar_gap = {{"pgd.npz", "", "a", "b", {}}};
  const Pa joined = join_records({"1.json", "2.json"}, {record, record});
  EXPECT_EQ(names(joined, &PaSet::model), (std::vector<std::string>{"a", "b", "a (2.json)", "b (2.json)"}));
  EXPECT_EQ(joined.ar_gap[1].model_plus, "a (2.json)");
  EXPECT_EQ(joined.ar_gap[1].shifted, joined.results[2].shifted);
}

TEST(JoinAgreements, RefusesOtherClasses) {
  EXPECT_REFUSED(join_records({"a.json", "b.json"}, {agreement("c", {"x"}), agreement("d", {"x"}, 4)}),
                 "b.json: expected 10 classes as in a.json, found 4");
}

}  // namespace leeway::tasks::join_test
