#include "leeway/core/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leeway {
namespace {

const std::vector<std::string> names{"accuracy", "error_bound", "labels", "label-column",
                                     "pa",       "norm",        "norms"};

TEST(NearestName, IsTheSameButForCaseAndDashes) {
  EXPECT_EQ(nearest_name("Error-Bound", names), "error_bound");
  EXPECT_EQ(nearest_name("LABELS", names), "labels");
}

TEST(NearestName, IsAFewLettersAway) {
  EXPECT_EQ(nearest_name("acuracy", names), "accuracy");
  EXPECT_EQ(nearest_name("labls", names), "labels");
  EXPECT_EQ(nearest_name("nrom", names), "norm");
  EXPECT_EQ(nearest_name("erorbound", names), "error_bound");
}

TEST(NearestName, IsTheOneThatBeginsSo) {
  EXPECT_EQ(nearest_name("acc", names), "accuracy");
  EXPECT_EQ(nearest_name("label", names), "labels");  // two begin so: the first
}

TEST(NearestName, IsNoneWhereAllAreFar) {
  EXPECT_EQ(nearest_name("threads", names), "");
  EXPECT_EQ(nearest_name("xy", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("--", names), "");
  EXPECT_EQ(nearest_name("accuracy", {}), "");
}

TEST(DidYouMean, IsAQuestionOrNothing) {
  EXPECT_EQ(did_you_mean("nrm", names), "; did you mean norm?");
  EXPECT_EQ(did_you_mean("threads", names), "");
}

}  // namespace
}  // namespace leeway
