// The normal distribution function of arrays in memory, without a command.
#include <gtest/gtest.h>

#include "leeway/tasks/mvn_cdf.h"
#include "tests/message_of.h"

namespace leeway::tasks {
namespace {

NamedArray array(const std::string& name, std::vector<std::size_t> shape, std::vector<double> values) {
  return {name, [=] { return make_array<double>(shape, values); }};
}

TEST(MvnCdfTask, IsThatOfEveryPoint) {
  MvnCdfTask task{array("z", {2, 1}, {0, -1}), array("r", {2, 1, 1}, {1, 0})};
  task.options.seed = 7;
  const record::MvnCdf record = mvn_cdf(task);
  ASSERT_EQ(record.results.size(), 2u);
  EXPECT_NEAR(record.results[0].probability, .5, 1e-12);
  EXPECT_EQ(record.results[1].probability, 0);  // variance 0, a bound below 0
  EXPECT_EQ(record.missed(), 0u);
  EXPECT_EQ(record.envelope.seed, 7u);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
}

TEST(MvnCdfTask, RefusesShapesThatDoNotFit) {
  const auto complaint = [](const MvnCdfTask& task) { return message_of([&] { (void)mvn_cdf(task); }); };
  EXPECT_EQ(complaint({array("z", {1, 1, 1}, {0}), array("r", {1, 1}, {1})}),
            "z: expected bounds of shape (d) or (m, d), found (1, 1, 1)");
  EXPECT_EQ(complaint({array("z", {2}, {0, 0}), array("r", {3}, {1, 1, 1})}),
            "r: expected shape (2, 2) or (1, 2, 2), found (3)");
}

}  // namespace
}  // namespace leeway::tasks
