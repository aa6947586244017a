// Targets over time from the command line: patterns in natural order, columns of times, gates, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::write_bytes;

class TimeCommand : public CommandTest {
 protected:
  TimeCommand() {
    save("val.npz", 60, 0);
    for (const int week : {1, 2, 10}) save("week" + std::to_string(week) + ".npz", 30, week == 10 ? 25 : 3);
    std::string table = "time,label,logit_0,logit_1\n";
    for (int i = 0; i < 40; ++i)
      table += "2026-03-0" + std::to_string(i < 20 ? 1 : 3) + "," + std::to_string(i % 2) + "," +
               std::to_string(1 + .001 * i) + "," + std::to_string((i % 2 == 1) == (i < 30) ? 2 : 0) + "\n";
    write_bytes(folder_ / "days.csv", table);
  }

  // Of `n` rows of two classes the first `wrong` are wrong.
  void save(const std::string& name, std::size_t n, std::size_t wrong) const {
    std::vector<double> logits;
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < n; ++i) {
      const bool second = (i % 2 == 1) != (i < wrong);
      logits.push_back(1 + .001 * static_cast<double>(i));
      logits.push_back(second ? 2.5 : -.5);
      labels.push_back(static_cast<std::int64_t>(i % 2));
    }
    write_npz(folder_ / name, {{"logits", make_array<double>({n, 2}, std::move(logits))},
                               {"labels", make_array<std::int64_t>({n}, std::move(labels))}});
  }

  [[nodiscard]] Json record(const std::string& arguments) const {
    const Outcome outcome = run("assess --source val.npz --json " + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }

  static std::vector<std::string> chunks_of(const Json& record) {
    std::vector<std::string> names;
    for (const Json& chunk : record["over_time"]["timelines"][0]["chunks"]) names.push_back(chunk["chunk"]);
    return names;
  }
};

TEST_F(TimeCommand, AQuotedPatternIsTakenInNaturalOrder) {
  const Json found = record("--target 'week*.npz'");
  EXPECT_EQ(found["targets"], Json({"week"}));
  EXPECT_EQ(found["results"][0]["n"], 90);
  EXPECT_THAT(chunks_of(found), ElementsAre("week1", "week2", "week10"));
  EXPECT_TRUE(found["over_time"]["timelines"][0]["chunks"][2]["bands"]["accuracy"]["below"]);
}

TEST_F(TimeCommand, ListsAndNamedPatternsAreAsTheyWere) {
  EXPECT_TRUE(record("--target s='week*.npz'")["over_time"].is_null());
  EXPECT_TRUE(record("--target 'week10*.npz'")["over_time"].is_null());  // a single file
  const Json listed = record("--target week1.npz week10.npz week2.npz");
  EXPECT_EQ(listed["targets"], Json({"week1", "week10", "week2"}));
  EXPECT_TRUE(listed["over_time"].is_null());
}

TEST_F(TimeCommand, APatternWithoutFilesIsAUsageError) {
  const Outcome outcome = run("assess --source val.npz --target 'month*.npz'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "leeway: --target month*.npz: no file matches\n");
}

TEST_F(TimeCommand, AColumnOfTimesIsCut) {
  const Json found = record("--target prod=days.csv --chunk 1d");
  EXPECT_THAT(chunks_of(found), ElementsAre("2026-03-01", "2026-03-03"));
  EXPECT_EQ(found["over_time"]["timelines"][0]["gaps"], 1);
  EXPECT_EQ(found["options"]["chunk"], "1d");
  EXPECT_THAT(chunks_of(record("--target prod=days.csv --chunk 10")),
              ElementsAre("2026-03-01", "2026-03-01 (2)", "2026-03-03", "2026-03-03 (2)"));
}

TEST_F(TimeCommand, AGateNamesTheFirstChunk) {
  const Outcome outcome = run(
      "assess --source val.npz --target prod=days.csv --chunk 1d --fail-if \"accuracy<0.6\" --report p.html");
  EXPECT_EQ(outcome.code, 4);
  const std::string words =
      "gate accuracy<0.6: violated over time, first in chunk 2026-03-03 of model under prod (0.5), in 1 of 2 "
      "chunks";
  EXPECT_THAT(outcome.err, HasSubstr("leeway: " + words + "\n"));
  EXPECT_THAT(outcome.out, HasSubstr(words));
  EXPECT_THAT(read_text(folder_ / "p.html"),
              HasSubstr("model under prod, first in 2026-03-03 (0.5), in 1 of 2 chunks"));
  EXPECT_EQ(run("assess --source val.npz --target prod=days.csv --chunk 1d --fail-if \"accuracy<0.4\"").code,
            0);
}

TEST_F(TimeCommand, WhatIsRefusedIsOneLine) {
  const auto refused = [&](const std::string& arguments, int code, const std::string& words) {
    const Outcome outcome = run("assess --source val.npz " + arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  };
  refused("--target prod=days.csv --chunk soon", 2, "found 'soon'");
  refused("--target prod=days.csv --time-column time", 2, "expected --chunk beside it");
  refused("--target week1.npz --chunk 1d", 3, "expected an array time, timestamp, datetime or date");
  refused("--target prod=days.csv --chunk 1d --time-column when", 3,
          "expected a column 'when', as --time-column");
  write_bytes(folder_ / "bad.csv", "time,logit_0,logit_1\n2026-03-01,1,0\n2026-03-32,1,0\n");
  refused("--target bad.csv --chunk 1d", 3, "found '2026-03-32' at row 1");
}

// The table has no more lines than a screen, however many chunks.
TEST_F(TimeCommand, TheTableStaysShort) {
  std::string table = "timestamp,label,logit_0,logit_1\n";
  for (int i = 0; i < 2000; ++i)
    table += std::to_string(3600 * i) + "," + std::to_string(i % 2) + "," + std::to_string(1 + .0001 * i) +
             "," + std::to_string(i % 2 == 1 ? 2 : 0) + "\n";
  write_bytes(folder_ / "hours.csv", table);
  const Outcome outcome = run("assess --source val.npz --target prod=hours.csv --chunk 2h");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("prod: 1000 chunks from 1970-01-01T00:00 to 1970-03-25T06:00"));
  EXPECT_LT(std::ranges::count(outcome.out, '\n'), 60);
}

}  // namespace
}  // namespace leeway
