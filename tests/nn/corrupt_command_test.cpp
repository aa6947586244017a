// leeway shift corrupt with a model: one record, a page, and what stays when it is killed or interrupted.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway::corrupt_command_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Without what a second run changes.
Json compared(const std::string& path) {
  Json record = Json::parse(text_of(path));
  record.erase("seconds"), record.erase("command");
  return record;
}

TEST_F(Command, CorruptAssessesAModel) {
  const std::string model = trained(), data = images(90);
  const std::vector<std::string> few{
      "shift",        "corrupt", "--model",       model,
      "--data",       data,      "--corruptions", "fog,contrast,gaussian-noise",
      "--severities", "1,5",     "--out",         path("r.json")};
  std::vector<std::string> first = few;
  first.insert(first.end(), {"--report", path("page.html"), "--sheet", path("sheet.png")});
  ASSERT_EQ(run(first), 0) << err();
  EXPECT_THAT(out(), AllOf(HasSubstr("Accuracy by severity"),
                           HasSubstr("Mean corruption error (unnormalized)"), HasSubstr("gaussian-noise")));
  EXPECT_FALSE(std::filesystem::exists(path("r.json.state")));
  EXPECT_THAT(text_of(path("page.html")), HasSubstr("leeway: common corruptions"));
  const Json record = Json::parse(text_of(path("r.json")));
  EXPECT_EQ(record["schema"], "leeway.corruptions/3");
  EXPECT_EQ(record["results"].size(), 6u);
  EXPECT_EQ(record["clean"]["n"], 90);
  EXPECT_EQ(record["reading"]["arch"], nullptr);
  EXPECT_EQ(record["inputs"].size(), 2u);
  // the page again, from the record
  good("report r.json --out again.html");
  EXPECT_EQ(text_of(path("again.html")), text_of(path("page.html")));
}

class CorruptKillsTier2 : public Command {};

TEST_F(CorruptKillsTier2, SurvivesKillsAndHearsCtrlC) {
  const std::string model = trained(), data = images(600);
  const auto arguments = [&](const std::string& name) {
    return std::vector<std::string>{"shift", "corrupt",   "--model", model,   "--data",
                                    data,    "--threads", "1",       "--out", path(name)};
  };
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(run(arguments("whole.json")), 0) << err();
  const std::chrono::duration<double> length = std::chrono::steady_clock::now() - before;
  int ended = -SIGKILL;
  for (const double share : {.3, .5, .7}) {
    const pid_t child = start(arguments("broken.json"));
    std::this_thread::sleep_for(length * share);
    kill(child, share == .5 ? SIGINT : SIGKILL);
    ended = wait_for(child);
    if (std::filesystem::exists(path("broken.json"))) break;  // it came too late
    if (share == .5 && ended == 130) {
      EXPECT_THAT(err(), HasSubstr("which were saved; the same command resumes from there"));
    }
  }
  if (ended != 0) {
    const bool saved = std::filesystem::exists(path("broken.json.state"));
    EXPECT_TRUE(saved || std::filesystem::exists(path("broken.json")));
    ASSERT_EQ(run(arguments("broken.json")), 0) << err();
    if (saved) {
      EXPECT_THAT(err(), HasSubstr("finished sets"));
    }
  }
  EXPECT_EQ(compared(path("broken.json")).dump(), compared(path("whole.json")).dump());
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::Not(::testing::AnyOf(HasSubstr("partial"), HasSubstr("state"))));
}

}  // namespace leeway::corrupt_command_test
