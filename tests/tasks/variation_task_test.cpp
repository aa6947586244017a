// Classifiers that answer differently when they are asked twice.
#include <gmock/gmock.h>

#include "leeway/core/classifier.h"
#include "leeway/tasks/variation.h"
#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::tasks::variation_task_test {

using ::testing::HasSubstr;

constexpr std::size_t d = 3, k = 2;

class Variation : public ::testing::Test {
 protected:
  // Logits of the classifier, changed by `change` in every pass; `pass` counts from 0.
  [[nodiscard]] ClassifierInputs changed(
      std::size_t n, const std::function<void(std::size_t pass, std::vector<float>& logits)>& change) const {
    Classifier classifier = model_.classifier();
    classifier.logits = [change, logits = classifier.logits,
                         pass = std::size_t{0}](std::span<const float> x) mutable {
      std::vector<float> found = logits(x);
      change(pass++, found);
      return found;
    };
    return {classifier, average_case::rows_of(x_), n};
  }

  const average_case::Quadratic model_ = average_case::random_linear(d, k, 1);
  const std::vector<float> x_ = average_case::random_inputs(40, d, 2);
};

TEST_F(Variation, IsNoneWhereAnswersRepeat) {
  for (const std::size_t n : {1, 2, 16, 40})
    EXPECT_FALSE(variation_of(changed(n, [](std::size_t, std::vector<float>&) {}))) << n;
}

TEST_F(Variation, RoundingIsNone) {
  EXPECT_FALSE(variation_of(changed(40, [](std::size_t pass, std::vector<float>& logits) {
    if (pass == 1) logits[0] += 1e-6F;
    if (pass == 2) logits[0] += .001F;  // a batch of another size
  })));
}

TEST_F(Variation, BetweenTwoPasses) {
  const auto found = variation_of(changed(40, [](std::size_t pass, std::vector<float>& logits) {
    if (pass == 1) logits[3] += .25F;
  }));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 16U);
  EXPECT_NEAR(found->largest, .25, 1e-6);
  EXPECT_FALSE(found->neighbours);
  EXPECT_THAT(variation_text(*found, "row"), HasSubstr("between two passes of the same 16 rows ("));
}

// Logits less their mean over the batch, as batch statistics make them.
TEST_F(Variation, OfRowsBesideOthers) {
  const auto found = variation_of(changed(16, [](std::size_t, std::vector<float>& logits) {
    float mean = 0;
    for (const float logit : logits) mean += logit / static_cast<float>(logits.size());
    for (float& logit : logits) logit -= 5 * mean;
  }));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 8U);
  EXPECT_TRUE(found->neighbours);
  EXPECT_THAT(variation_text(*found, "row"), HasSubstr("8 rows, alone and with other rows"));
}

TEST_F(Variation, LogitsThatAreNotFinite) {
  EXPECT_EQ(message_of([&] {
              (void)variation_of(changed(4, [](std::size_t, std::vector<float>& logits) {
                logits[5] = std::numeric_limits<float>::quiet_NaN();
              }));
            }),
            "classifier: expected finite logits, found nan at row 2, class 1");
}

}  // namespace leeway::tasks::variation_task_test
