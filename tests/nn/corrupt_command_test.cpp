// leeway shift corrupt with a model: one record and a page.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Command, CorruptAssessesAModel) {
  const std::string model = trained(), data = images(90);
  const std::vector<std::string> few{
      "shift",        "corrupt", "--model",       model,
      "--data",       data,      "--corruptions", "fog,contrast,gaussian-noise",
      "--severities", "1,5",     "--out",         path("r.json")};
  std::vector<std::string> first = few;
  first.insert(first.end(), {"--report", path("page.html"), "--sheet", path("sheet.png")});
  ASSERT_EQ(run(first), 0) << err();
  EXPECT_THAT(out(), AllOf(HasSubstr("accuracy"), HasSubstr("mean corruption error (unnormalised)"),
                           HasSubstr("gaussian-noise")));
  EXPECT_FALSE(std::filesystem::exists(path("r.json.state")));
  EXPECT_THAT(text_of(path("page.html")), HasSubstr("leeway: common corruptions"));
  const Json record = Json::parse(text_of(path("r.json")));
  EXPECT_EQ(record["schema"], "leeway.corruptions/3");
  EXPECT_EQ(record["results"].size(), 6u);
  EXPECT_EQ(record["clean"]["n"], 90);
  EXPECT_EQ(record["reading"]["arch"], nullptr);
  EXPECT_EQ(record["inputs"].size(), 2u);
  // relative to itself: 100
  std::vector<std::string> second = few;
  second.back() = path("s.json");
  second.insert(second.end(), {"--reference", path("r.json")});
  ASSERT_EQ(run(second), 0) << err();
  const Json relative = Json::parse(text_of(path("s.json")));
  if (relative["mean"]["mean_error"] > 0) {
    EXPECT_NEAR(relative["mean"]["mce"].get<double>(), 100, 1e-9);
  }
  // the page again, from the record
  ASSERT_EQ(run({"report", path("r.json"), "--out", path("again.html")}), 0) << err();
  EXPECT_EQ(text_of(path("again.html")), text_of(path("page.html")));
}

}  // namespace
}  // namespace leeway
