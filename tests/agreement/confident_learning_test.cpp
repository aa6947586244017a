#include "leeway/agreement/confident_learning.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "leeway/core/array.h"
#include "tests/message_of.h"

namespace leeway::agreement::confident_learning_test {

using Labels = std::vector<std::int64_t>;

// Rows of two classes with these probabilities of class 1.
Array of_probabilities(const std::vector<double>& second) {
  std::vector<double> logits;
  for (const double p : second) logits.insert(logits.end(), {std::log(1 - p), std::log(p)});
  return make_array({second.size(), 2}, logits);
}

// t_0 = mean(.9, .8, .2, .7) = .65, t_1 = mean(.9, .6, .3) = .6. Row 2 is confident in class 1, row 6 in
// class 0; row 7 has no label.
TEST(ConfidentLearning, ByHand) {
  const Array logits = of_probabilities({.1, .2, .8, .3, .9, .6, .3, .9});
  const ConfidentLearning found = confident_learning(logits, Labels{0, 0, 0, 0, 1, 1, 1, -1});
  EXPECT_EQ(found.n, 7u);
  EXPECT_EQ(found.suspects, 2u);
  EXPECT_THAT(found.suggested, ::testing::ElementsAre(-1, -1, 1, -1, -1, -1, 0, -1));
  EXPECT_NEAR(found.noise_rate, 2. / 7, 1e-15);  // 1/4 of 4 rows and 1/3 of 3
  EXPECT_NEAR(found.self_confidence[2], .2, 1e-15);
  EXPECT_NEAR(found.margin[2], -.6, 1e-15);
  EXPECT_TRUE(std::isnan(found.margin[7]));
}

// Rows below every threshold count in no C_ij; the rate has the shares of the labels nevertheless.
TEST(ConfidentLearning, RowsBelowEveryThreshold) {
  const Array logits = of_probabilities({.1, .5, .1, .5, .9, .9, .2, .5, .5});
  const ConfidentLearning found = confident_learning(logits, Labels{0, 0, 0, 0, 1, 1, 1, 1, 1});
  EXPECT_NEAR(found.noise_rate, 5. / 9 / 3, 1e-15);  // one of three counted rows of label 1
}

TEST(ConfidentLearning, RefusesOtherLabels) {
  const Array logits = of_probabilities({.1, .2});
  EXPECT_REFUSED((void)confident_learning(logits, Labels{0}),
                 "confident learning: expected 2 labels, found 1");
  EXPECT_REFUSED((void)confident_learning(logits, Labels{0, 2}),
                 "confident learning: expected labels below 2, found 2 at row 1");
  EXPECT_REFUSED((void)confident_learning(logits, Labels{-1, -1}),
                 "confident learning: expected rows with a label, found none");
}

}  // namespace leeway::agreement::confident_learning_test
