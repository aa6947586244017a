// What average_case() refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "leeway/average_case/average_case.h"
#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::average_case {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const Quadratic model = {2, 3, {1, 0, 0, 1, 1, 1}, {0, 1, 2}, {}};
const std::vector<float> x = {1, 2, 3, 4, 5, 6};

std::string message(const std::function<void(AverageCaseOptions&)>& change) {
  AverageCaseOptions options;
  options.sigmas = {1}, options.draws = 10;
  change(options);
  return message_of([&] { (void)run(model, x, options); });
}

TEST(AverageCaseErrors, Options) {
  using Options = AverageCaseOptions;
  EXPECT_EQ(message([](Options&) {}), "no error");
  const struct {
    void (*change)(Options&);
    const char *option, *found;
  } bad[] = {
      {[](Options& o) { o.sigmas.clear(); }, "sigma", "none"},
      {[](Options& o) { o.sigmas.push_back(-1); }, "sigma", "-1"},
      {[](Options& o) { o.sigmas.push_back(nan); }, "sigma", "nan"},
      {[](Options& o) { o.sigmas.push_back(infinity); }, "sigma", "inf"},
      {[](Options& o) { o.methods = {"tailor"}; }, "estimator", "'tailor'; did you mean taylor?"},
      {[](Options& o) { o.draws = 0; }, "draws", "0"},
      {[](Options& o) { o.copies = 0; }, "copies", "0"},
      {[](Options& o) { o.width = -.1; }, "width", "-0.1"},
      {[](Options& o) { o.width = nan; }, "width", "nan"},
      {[](Options& o) { o.temperature = 0; }, "temperature", "0"},
      {[](Options& o) { o.level = 0; }, "level", "0"},
      {[](Options& o) { o.level = 1; }, "level", "1"},
      {[](Options& o) { o.mvn.tolerance = -1; }, "tolerance", "-1"},
  };
  for (const auto& [change, option, found] : bad) {
    EXPECT_THAT(message(change), HasSubstr(std::string(option) + ": expected"));
    EXPECT_THAT(message(change), EndsWith(found));
  }
}

TEST(AverageCaseErrors, ClassifierAndNoiseThatDoNotFit) {
  AverageCaseOptions options;
  options.sigmas = {1}, options.draws = 10;
  EXPECT_EQ(message_of([&] { (void)run(model, x, options, Noise(3)); }),
            "average_case: noise: expected 2 coordinates, as inputs have, found 3");
  const Quadratic single{2, 1, {1, 0}, {0}, {}};
  EXPECT_EQ(message_of([&] { (void)run(single, x, options); }),
            "average_case: classifier: expected at least 2 classes, found 1");
  Classifier logits_alone = model.classifier();
  logits_alone.gradients = nullptr;
  const auto of_logits_alone = [&](std::string_view method) {
    options.methods = {method};
    return message_of([&] { (void)average_case(logits_alone, Noise(2), rows_of(x), 0, 3, options); });
  };
  EXPECT_EQ(of_logits_alone("mmse"), "average_case: classifier: expected gradients, for mmse, found none");
  EXPECT_EQ(of_logits_alone("mc"), "no error");
}

// The model, but class 1 is not a number where x_1 is above `limit`.
Classifier broken(float limit) {
  Classifier result = model.classifier();
  result.logits = [inner = result.logits, limit](std::span<const float> rows) {
    std::vector<float> logits = inner(rows);
    for (std::size_t i = 0; i < rows.size() / 2; ++i)
      if (rows[2 * i] > limit) logits[3 * i + 1] = static_cast<float>(nan);
    return logits;
  };
  result.gradients = [logits = result.logits, inner = result.gradients](
                         std::span<const float> rows, std::span<const std::int32_t> classes) {
    ClassGradients found = inner(rows, classes);
    found.logits = logits(rows);
    return found;
  };
  return result;
}

TEST(AverageCaseErrors, LogitsThatAreNotFinite) {
  AverageCaseOptions options;
  options.sigmas = {4}, options.draws = 100;
  const auto found = [&](float limit, std::string_view method) {
    options.methods = {method};
    return message_of([&] { (void)average_case(broken(limit), Noise(2), rows_of(x), 1, 3, options); });
  };
  for (const Estimator& method : estimators())
    EXPECT_EQ(found(4, method.name), "logits: expected finite numbers, found nan at row 2, class 1")
        << method.name;
  // Of noisy copies alone.
  for (const std::string_view method : {"mc", "mmse", "mmse-mvs"})
    EXPECT_EQ(found(5.5, method).substr(0, 48), "logits: expected finite numbers, found nan at ro") << method;
  EXPECT_EQ(found(5.5, "taylor"), "no error");
}

TEST(AverageCaseErrors, GradientsThatAreNotFinite) {
  AverageCaseOptions options;
  options.sigmas = {1};
  for (const std::string_view method : {"taylor", "taylor-mvs", "mmse", "mmse-mvs"})
    for (const double value : {nan, infinity}) {
      Classifier classifier = model.classifier();
      classifier.gradients = [&, inner = classifier.gradients](std::span<const float> rows,
                                                               std::span<const std::int32_t> classes) {
        ClassGradients found = inner(rows, classes);
        found.gradients.back() = static_cast<float>(value);
        return found;
      };
      options.methods = {method};
      EXPECT_EQ(message_of([&] { (void)average_case(classifier, Noise(2), rows_of(x), 0, 3, options); }),
                std::string("gradients: expected finite numbers, found ") +
                    (std::isnan(value) ? "nan" : "inf") + " at row 2")
          << method;
    }
}

TEST(AverageCaseErrors, Files) {
  const Array logits = make_array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Array jacobian = make_array<float>({2, 3, 2}, std::vector<float>(12, 1)),
              gram = make_array<double>({2, 3, 3}, std::vector<double>(18, 1));
  AverageCaseOptions options;
  options.sigmas = {1};
  const auto found = [&](Array f, std::optional<Array> j, std::optional<Array> g,
                         std::string_view method = "taylor", std::size_t d = 2) {
    options.methods = {method};
    const MadeElsewhere files{"a.npz", std::move(f), std::move(j), std::move(g)};
    return message_of([&] { (void)average_case(files, Noise(d), options); });
  };
  EXPECT_EQ(found(logits, jacobian, {}), "no error");
  EXPECT_EQ(found(logits, {}, gram), "no error");
  EXPECT_THAT(found(make_array<float>({6}, {1, 2, 3, 4, 5, 6}), jacobian, {}),
              HasSubstr("found float32 (6)"));
  EXPECT_THAT(found(make_array<float>({2, 1}, {1, 2}), jacobian, {}), HasSubstr("found float32 (2, 1)"));
  EXPECT_THAT(found(make_array<std::int64_t>({1, 2}, {1, 2}), {}, {}), HasSubstr("found int64 (1, 2)"));
  EXPECT_THAT(found(logits, make_array<float>({3, 2, 2}, std::vector<float>(12, 1)), {}),
              HasSubstr("found float32 (3, 2, 2)"));
  EXPECT_THAT(found(logits, make_array<float>({2, 3, 4}, std::vector<float>(24, 1)), {}),
              HasSubstr("found float32 (2, 3, 4)"));
  EXPECT_THAT(found(logits, {}, make_array<double>({2, 3, 2}, std::vector<double>(12, 1))),
              HasSubstr("found float64 (2, 3, 2)"));
  EXPECT_THAT(
      found(logits, make_array<float>({2, 3, 0}, {}), {}, "taylor", 0),
      HasSubstr("expected a Jacobian of shape (2, 3, d), d at least 1, of floats, found float32 (2, 3, 0)"));
  for (const std::string_view method : {"mc", "mmse", "mmse-mvs"})
    EXPECT_EQ(
        found(logits, jacobian, {}, method),
        "method " + std::string(method) + ": expected a model, to evaluate noisy copies, found files only");
  EXPECT_THAT(found(logits, {}, {}), HasSubstr("matrices, for taylor, found none"));
  EXPECT_THAT(found(make_array<double>({2, 3}, {1, 2, 3, 4, infinity, 6}), jacobian, {}, "softmax"),
              HasSubstr("found inf at row 1, class 1"));
  std::vector<double> values(18, 1);
  values[17] = nan;
  EXPECT_THAT(found(logits, {}, make_array<double>({2, 3, 3}, values), "taylor-mvs"),
              HasSubstr("found nan at row 1"));
  // No Gram matrix of anything: correlations .9, .9 and -.9. Of 1 - .81 after the first, -1.71 and .19 are left:
  // 1.71^2 / .19 - .19 = 15.2. The message names the row.
  const std::string indefinite =
      found(make_array<float>({1, 4}, {1, 0, 0, 0}), {},
            make_array<double>({1, 4, 4}, {0, 0, 0, 0, 0, 1, .9, .9, 0, .9, 1, -.9, 0, .9, -.9, 1}));
  EXPECT_THAT(indefinite, HasSubstr("found one with a defect of 15.2 of its diagonal"));
}

}  // namespace
}  // namespace leeway::average_case
