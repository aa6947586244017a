// FLOPs and memory of the estimators on a network of two layers that tells its cost.
#include <gmock/gmock.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "tests/at_threads.h"

namespace leeway::average_case::cost_test {

constexpr std::size_t d = 784, h = 128, k = 10, n = 40;
constexpr double forward = 2. * (d * h + h * k);  // FLOPs of one input

std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// tanh(x W) V; the most that is allocated when its arrays are there is in `most`.
struct TwoLayers {
  std::vector<float> w, v;
  std::size_t* most;

  [[nodiscard]] std::vector<float> hidden(std::span<const float> x) const {
    std::vector<float> values(x.size() / d * h);
    for (std::size_t row = 0; row < x.size() / d; ++row)
      for (std::size_t j = 0; j < h; ++j) values[row * h + j] = std::tanh(x[row * d + j] * w[j]);
    return values;
  }
  [[nodiscard]] std::vector<float> logits(std::span<const float> hidden) const {
    std::vector<float> values(hidden.size() / h * k);
    for (std::size_t row = 0; row < hidden.size() / h; ++row)
      for (std::size_t c = 0; c < k; ++c) values[row * k + c] = hidden[row * h + c] * v[c];
    *most = std::max(*most, allocated());
    return values;
  }
  [[nodiscard]] Classifier classifier() const {
    Classifier result{d, k};
    result.logits = [*this](std::span<const float> x) { return logits(hidden(x)); };
    result.linearize = [*this](std::span<const float> x) {
      const auto kept = std::make_shared<std::vector<float>>(hidden(x));
      Linearized found{logits(*kept)};
      found.vjp = [*this, kept, rows = x.size() / d](std::span<const float> cotangents) {
        std::vector<float> inner(rows * h), gradients(rows * d);
        for (std::size_t i = 0; i < rows * k; ++i) gradients[i / k * d + i % k] = cotangents[i] * v[i % k];
        *most = std::max(*most, allocated());
        return gradients;
      };
      return found;
    };
    result.cost = [](std::size_t rows, bool gradients) {
      return CallCost{static_cast<double>(rows) * forward, rows * h * sizeof(float) * (gradients ? 2 : 1)};
    };
    return result;
  }
};

AverageCase run(std::string_view method, std::size_t& most, bool tells = true) {
  TwoLayers network{{}, {}, &most};
  Random random(3, stream("cost"));
  for (std::size_t j = 0; j < h; ++j) network.w.push_back(static_cast<float>(random.normal()));
  for (std::size_t c = 0; c < k; ++c) network.v.push_back(static_cast<float>(random.normal()));
  Classifier classifier = network.classifier();
  if (!tells) classifier.cost = {};
  const InputRow input = [](std::size_t row, std::span<float> out) {
    Random values(4, stream("cost rows"), row);
    for (float& value : out) value = static_cast<float>(values.uniform());
  };
  AverageCaseOptions options;
  options.methods = {method}, options.sigmas = {.1, .2}, options.draws = 200, options.copies = 3;
  return average_case(classifier, Noise(d), input, 0, n, options);
}

struct CostCase {
  std::string_view method;
  double passes;  // of one input at one sigma, by hand
};

TEST(Cost, IsThatCountedByHand) {
  for (const auto& [method, passes] : {CostCase{"mc", 200},
                                       {"taylor", 1 + k},
                                       {"taylor-mvs", 1 + k},
                                       {"mmse", 3 * (1 + k)},
                                       {"softmax", 0}}) {
    std::size_t most = 0;
    const AverageCase found = run(method, most);
    for (const Column& column : found.columns) EXPECT_EQ(column.flops, n * passes * forward) << method;
  }
}

// The peak is inside the classifier; what was allocated before belongs to other things.
TEST(Cost, MemoryIsTheMeasuredPeak) {
  for (const std::string_view method : {"mc", "taylor", "mmse"}) {
    std::size_t most = 0;
    (void)at_threads(1, [&] { return run(method, most); });  // pools and caches exist
    most = 0;
    const std::size_t before = allocated();
    const AverageCase found = at_threads(1, [&] { return run(method, most); });
    if (most <= before) GTEST_SKIP() << "this allocator does not count";
    const double measured = static_cast<double>(most - before);
    EXPECT_NEAR(static_cast<double>(*found.columns[0].peak_bytes), measured, .1 * measured) << method;
  }
}

TEST(Cost, IsUnknownForClassifiersThatDoNotTell) {
  std::size_t most = 0;
  const AverageCase found = run("taylor", most, false);
  EXPECT_FALSE(found.columns[0].flops || found.columns[0].peak_bytes);
}

}  // namespace leeway::average_case::cost_test
