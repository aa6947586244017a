// Learning to diversify.
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/l2d_augmenter.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::l2d_test {

torch::Tensor random_rows(std::int64_t n, std::int64_t d, std::uint64_t number) {
  return normal_rows({n, d}, 3, stream("l2d test"), number);
}

double mmd_of_one_label(const torch::Tensor& a, const torch::Tensor& b) {
  return mmd_by_label(a, b, torch::zeros({a.size(0)}, torch::kInt64)).item<double>();
}

TEST(L2d, MmdByHand) {
  const torch::Tensor a = random_rows(4, 3, 2);
  for (const std::int64_t n : {1, 2, 3, 7})
    EXPECT_EQ(mmd_of_one_label(torch::full({n, 3}, .1f), torch::full({n, 3}, .1f)), 0) << "no width";
  EXPECT_NEAR(mmd_of_one_label(1e4 + a, 1e4 + random_rows(4, 3, 5)),
              mmd_of_one_label(a, random_rows(4, 3, 5)), 1e-2)
      << "far from 0, as far as float32 tells rows apart";
}

// The definition, pair by pair; a label that does not occur has no part in the mean.
TEST(L2d, MmdByLabelOfADefinition) {
  const torch::Tensor a = random_rows(7, 3, 3).to(torch::kFloat64),
                      b = random_rows(7, 3, 4).to(torch::kFloat64);
  const torch::Tensor labels = torch::tensor({7, 7, 2, 2, 2, 7, 4});
  const std::vector<std::vector<std::int64_t>> rows{{0, 1, 5}, {2, 3, 4}, {6}};
  const auto widths = [&](const std::vector<std::int64_t>& of) {
    const torch::Tensor number = torch::tensor(of),
                        all = torch::cat({a.index_select(0, number), b.index_select(0, number)});
    const torch::Tensor squares = (all.unsqueeze(0) - all.unsqueeze(1)).square().sum(2);
    return squares.sum().item<double>() / static_cast<double>(all.size(0) * (all.size(0) - 1));
  };
  const auto defined = [&](const torch::Tensor& x, const torch::Tensor& y) {
    double sum = 0;
    for (const auto& of : rows) {
      const double width = widths(of);  // without gradient
      const auto mean = [&](const torch::Tensor& one, const torch::Tensor& other) {
        double k = 0;
        for (const std::int64_t i : of)
          for (const std::int64_t j : of)
            for (int step = -2; step <= 2; ++step)
              k += std::exp(-(one[i] - other[j]).square().sum().item<double>() / (width * std::exp2(step)));
        return k / static_cast<double>(of.size() * of.size());
      };
      sum += mean(x, x) + mean(y, y) - 2 * mean(x, y);
    }
    return sum / 3;
  };
  const torch::Tensor x = a.clone().requires_grad_(), y = b.clone().requires_grad_();
  const torch::Tensor found = mmd_by_label(x, y, labels);
  EXPECT_NEAR(found.item<double>(), defined(a, b), 1e-12);
  const auto slopes = torch::autograd::grad({found}, {x, y});
  for (const auto& [row, column] : {std::pair{0, 0}, {3, 1}, {6, 2}}) {
    torch::Tensor more = a.clone(), less = a.clone();
    more[row][column] += 1e-5, less[row][column] -= 1e-5;
    EXPECT_NEAR(slopes[0][row][column].item<double>(), (defined(more, b) - defined(less, b)) / 2e-5, 1e-8);
    more = b.clone(), less = b.clone();
    more[row][column] += 1e-5, less[row][column] -= 1e-5;
    EXPECT_NEAR(slopes[1][row][column].item<double>(), (defined(a, more) - defined(a, less)) / 2e-5, 1e-8);
  }
}

TEST(L2d, TheAugmenterVariesPictures) {
  L2dAugmenter augmenter({3, 28, 28}, 4);
  EXPECT_EQ(augmenter.parameters().size(), 9U) << "noise, and scale and shift of four kernels";
  EXPECT_EQ(L2dAugmenter({1, 8, 8}, 4).parameters().size(), 3U) << "larger kernels do not fit";
  const torch::Tensor x = toy::reference_images({5, 3, 28, 28});
  const torch::Tensor first = augmenter.forward(x, 1, true);
  EXPECT_EQ(first.sizes(), x.sizes());
  EXPECT_TRUE(first.gt(0).logical_and(first.lt(1)).all().item<bool>());
  EXPECT_TRUE(first.equal(augmenter.forward(x, 1, true)));
  EXPECT_GT((first - augmenter.forward(x, 2, true)).abs().mean().item<double>(), .01);
  const torch::Tensor still = augmenter.forward(x, 1, false);
  EXPECT_LT((still - augmenter.forward(x, 2, false)).abs().mean().item<double>(), .01);
  EXPECT_TRUE(still.slice(0, 0, 2).allclose(augmenter.forward(x.slice(0, 0, 2), 1, false), 1e-5, 1e-6))
      << "each by itself";
}

TEST(L2d, OneStepOfAnotherProgram) {
  toy::ReferenceStep step("l2d");
  const auto member = algorithm("l2d").make(step.setting());
  step.fill(*member);
  member->set_training(true);
  Tensors before;
  for (const auto& [key, tensor] : member->state()) before[key] = tensor.clone();
  const Step done = member->update(step.batches());
  const Tensors after = member->state();
  step.compare(done, after);
  const double rate = step.json["parameters"]["augmenter-lr"];
  for (const auto& item : step.json["augmenter"].items()) {
    const std::string key = "augmenter." + item.key();
    const torch::Tensor found = ((before.at(key) - after.at(key)) / rate).flatten();
    const torch::Tensor wanted = torch::tensor(item.value().get<std::vector<float>>());
    EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-4 * wanted.abs().max().item<double>() + 1e-7)
        << key;
  }
}

}  // namespace leeway::nn::l2d_test
