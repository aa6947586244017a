#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"

namespace leeway::nn {
namespace {

double irm_penalty(const torch::Tensor& weight, const torch::Tensor& rows, std::vector<std::int64_t> labels,
                   double square) {
  const auto member = made(
      "irm", weight, {{"square", square}, {"anneal-steps", 0}, {"lambda", 3}, {"single-environment", 1}});
  const Batch batch = batch_of(rows, std::move(labels));
  const Step step = member->update({batch, {batch}});
  EXPECT_NEAR(step.loss, step.parts.at("risk") + 3 * step.parts.at("penalty"), 1e-5);
  return step.parts.at("penalty");
}

TEST(Irm, PenaltyInClosedForm) {
  EXPECT_NEAR(irm_penalty(second_logit, torch::tensor({{2.f}, {-1.f}, {.5f}}), {1, 0, 0}, 1), .00427357,
              1e-7);
  const torch::Tensor rows =
      torch::tensor({{1.f, 0.f, -1.f}, {.5f, 2.f, 0.f}, {0.f, 0.f, 1.f}, {3.f, 1.f, 0.f}});
  EXPECT_NEAR(irm_penalty(torch::eye(3), rows, {0, 2, 2, 1}, 1), .345533, 1e-5);
  EXPECT_NEAR(irm_penalty(torch::eye(3), rows, {0, 2, 2, 1}, 0), -.678929, 1e-5);
  // the derivative by a scale of the logits, by differences
  const auto risk = [&](double scale) {
    return torch::nn::functional::cross_entropy((scale * rows).to(torch::kFloat64),
                                                torch::tensor({0, 2, 2, 1}))
        .item<double>();
  };
  EXPECT_NEAR((risk(1.001) - risk(.999)) / .002, .587820, 1e-4);
}

// Of logits that are scaled so that no other scale has a smaller risk.
TEST(Irm, NoPenaltyAtTheBestTemperature) {
  const torch::Tensor rows =
      torch::tensor({{1.f, 0.f, -1.f}, {.5f, 2.f, 0.f}, {0.f, 0.f, 1.f}, {3.f, 1.f, 0.f}, {.2f, .9f, .4f}});
  const std::vector<std::int64_t> labels = {0, 1, 2, 1, 0};
  const auto slope = [&](double scale) {  // of the risk
    const torch::Tensor w = torch::tensor(scale, torch::kFloat64).requires_grad_();
    const torch::Tensor risk =
        torch::nn::functional::cross_entropy(w * rows.to(torch::kFloat64), to_tensor(labels, 0, 5));
    return torch::autograd::grad({risk}, {w})[0].item<double>();
  };
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) (slope((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  EXPECT_GT(low, .1);
  EXPECT_LT(high, 9);
  EXPECT_NEAR(irm_penalty(torch::eye(3), (low * rows).to(torch::kFloat32), labels, 1), 0, 1e-12);
  EXPECT_GT(irm_penalty(torch::eye(3), (2 * low * rows).to(torch::kFloat32), labels, 1), 1e-4);
}

TEST(Irm, AveragesOverEnvironmentsWhateverTheirOrderAndSizes) {
  const torch::Tensor rows = torch::tensor({{2.f}, {-1.f}, {.5f}, {1.f}, {-.2f}});
  const Batch all = batch_of(rows, {1, 0, 0, 1, 1});
  const auto step = [&](const Batch& labelled, std::vector<Batch> environments) {
    const auto member = made("irm", second_logit, {{"square", 1}, {"anneal-steps", 0}, {"lambda", 5}});
    return member->update({labelled, std::move(environments)});
  };
  const Step first = step(all, {all.slice(0, 3), all.slice(3, 5)});
  const Batch turned = batch_of(rows.index_select(0, torch::tensor({3, 4, 0, 1, 2})), {1, 1, 1, 0, 0});
  const Step second = step(turned, {turned.slice(0, 2), turned.slice(2, 5)});
  EXPECT_NEAR(first.loss, second.loss, 1e-6);
  EXPECT_NEAR(first.parts.at("penalty"),
              (irm_penalty(second_logit, rows.slice(0, 0, 3), {1, 0, 0}, 1) +
               irm_penalty(second_logit, rows.slice(0, 3), {1, 1}, 1)) /
                  2,
              1e-7);
}

TEST(Irm, AdamBeginsAnewWhereThePenaltyGetsItsWeight) {
  const auto member =
      made("irm", second_logit, {{"anneal-steps", 2}, {"lambda", 7}, {"single-environment", 1}});
  const Batch batch = batch_of(torch::tensor({{2.f}, {-1.f}, {.5f}}), {1, 0, 0});
  for (std::size_t step = 1; step <= 3; ++step) {
    const Step done = member->update({batch, {batch}, {}, 1, step, 10});
    EXPECT_NEAR(done.loss, done.parts.at("risk") + (step <= 2 ? 1 : 7) * done.parts.at("penalty"), 1e-5);
    EXPECT_EQ(member->state().at("steps").item<std::int64_t>(),
              step <= 2 ? static_cast<std::int64_t>(step) : 1);
  }
}

TEST(Irm, NeedsTwoRowsOfEachEnvironment) {
  const toy::Folder folder;
  TrainOptions options = quick("irm");
  options.batch = 3;
  EXPECT_EQ(message_of([&] { (void)session().train(squares_of_two_cameras(100), options, folder / "m"); }),
            "train: batch: expected at least 4 rows, 2 of each environment, as algorithm irm needs, found 3");
}

}  // namespace
}  // namespace leeway::nn
