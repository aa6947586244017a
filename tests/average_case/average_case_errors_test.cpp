// What average_case() refuses.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "leeway/average_case/average_case.h"
#include "leeway/average_case/detail/ordering.h"
#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::average_case::average_case_errors_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Doubles = std::vector<double>;

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
  EXPECT_REFUSED(run(model, x, options, Noise(3)), "average_case: noise: expected 2 coordinates... found 3");
  const Quadratic single{2, 1, {1, 0}, {0}, {}};
  EXPECT_REFUSED(run(single, x, options), "average_case: classifier: expected at least 2 classes, found 1");
  Classifier logits_alone = model.classifier();
  logits_alone.linearize = nullptr;
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
  result.linearize = [logits = result.logits, inner = result.linearize](std::span<const float> rows) {
    Linearized found = inner(rows);
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
      classifier.linearize = [&, inner = classifier.linearize](std::span<const float> rows) {
        Linearized found = inner(rows);
        found.vjp = [&, back = found.vjp](std::span<const float> cotangents) {
          std::vector<float> gradients = back(cotangents);
          gradients.back() = static_cast<float>(value);
          return gradients;
        };
        return found;
      };
      options.methods = {method};
      EXPECT_REFUSED(average_case(classifier, Noise(2), rows_of(x), 0, 3, options),
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
    EXPECT_THAT(found(logits, jacobian, {}, method), Says("method ...: expected a ... found files only"));
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

// n samples of k classes whose gradients are normal about a common vector of norm `common`; float64.
struct Made {
  Array logits, jacobian;
  Doubles gram;
};
Made made(std::size_t n, std::size_t k, std::size_t d, double common, std::uint64_t seed) {
  Random random(seed, stream("gram test"));
  Doubles logits(n * k), jacobian(n * k * d), gram(n * k * k);
  for (double& value : logits) value = random.normal();
  const double each = common / std::sqrt(static_cast<double>(d));
  for (double& value : jacobian) value = each + random.normal();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b)
        for (std::size_t j = 0; j < d; ++j)
          gram[(i * k + a) * k + b] += jacobian[(i * k + a) * d + j] * jacobian[(i * k + b) * d + j];
  return {make_array<double>({n, k}, logits), make_array<double>({n, k, d}, jacobian), gram};
}

std::vector<float> narrow(const Doubles& values) { return {values.begin(), values.end()}; }

Column taylor(const MadeElsewhere& files, std::size_t d, double sigma) {
  AverageCaseOptions options;
  options.methods = {"taylor"}, options.sigmas = {sigma}, options.mvn.tolerance = 1e-5;
  return average_case(files, Noise(d), options).columns[0];
}

// Seven boundaries in three dimensions: R is singular, and float32 makes it indefinite, the more the longer `common` is.
TEST(GramMatrices, OfFloat32AreTakenAsTheyAreRounded) {
  const std::size_t n = 12, k = 8, d = 3;
  for (const double common : {0., 10., 100.}) {
    const Made all = made(n, k, d, common, 1);
    const Column expected = taylor({"a.npz", all.logits, all.jacobian, {}}, d, .5);
    const std::vector<float> rounded = narrow(all.gram);
    // Such numbers in a float64 file are no better.
    for (const Array& gram : {make_array<float>({n, k, k}, rounded),
                              make_array<double>({n, k, k}, Doubles(rounded.begin(), rounded.end()))}) {
      const Column found = taylor({"a.npz", all.logits, {}, gram}, d, .5);
      // Relative to s^2 of about 6 the products err by 1e-7 common^2 / 6.
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(found.p[i], expected.p[i], 1e-4 + 2e-6 * common * common) << common << " row " << i;
    }
  }
}

TEST(GramMatrices, ThatAreIndefiniteAreRefusedByRow) {
  const std::size_t n = 3, k = 4, d = 6;
  const Made all = made(n, k, d, 0, 2);
  const auto refusal = [&](const Array& gram) {
    const MadeElsewhere files{"a.npz", all.logits, {}, gram};
    return message_of([&] { (void)taylor(files, d, 1); });
  };
  const auto with = [&](std::size_t at, double value) {
    Doubles gram = all.gram;
    gram[at] = value;
    return gram;
  };
  // Row 1: one class's gradient loses a length that the others say it has.
  const Doubles shorter = with(k * k + 2 * k + 2, .1 * all.gram[k * k + 2 * k + 2]);
  for (const Array& gram :
       {make_array<double>({n, k, k}, shorter), make_array<float>({n, k, k}, narrow(shorter))})
    EXPECT_THAT(refusal(gram), HasSubstr("expected a positive semi-definite matrix, found one with"));
  const Doubles asymmetric = with(2 * k * k + 1, all.gram[2 * k * k + 1] + 1e-3);
  EXPECT_THAT(refusal(make_array<double>({n, k, k}, asymmetric)), HasSubstr("a.npz: row 2: "));
  EXPECT_THAT(refusal(make_array<double>({n, k, k}, with(0, -1))), HasSubstr("a.npz: row 0: "));
}

// (4 2; 2 1) has rank 1: rows 2 and 1. (1 2; 2 1) has the eigenvalue -1: of 1 - 4 nothing real is left.
TEST(GramMatrices, FactorsByHand) {
  const GramFactor flat = gram_factor(Doubles{4, 2, 2, 1}, 2, 1e-12);
  EXPECT_EQ(flat.rank, 1u);
  EXPECT_EQ(flat.rows, (Doubles{2, 0, 1, 0}));
  EXPECT_EQ(flat.defect, 0);
  EXPECT_EQ(gram_factor(Doubles{1, 2, 2, 1}, 2, 1e-12).defect, 3);
  EXPECT_EQ(gram_factor(Doubles{1, .5, .25, 1}, 2, 1e-12).defect, .25);  // asymmetry
  EXPECT_EQ(gram_factor(Doubles(9, 0.), 3, 1e-12).defect, 0);
  EXPECT_EQ(gram_factor(Doubles{0, 1, 1, 4}, 2, 1e-12).defect, .25);
  EXPECT_EQ(gram_factor(Doubles{-1, 0, 0, 4}, 2, 1e-12).defect, .25);
}

TEST(Files, ConstantLogitsAndGradientsThatAreDead) {
  // Row 0: constant logits, no gradients. Row 1: classes 1 and 2 have none, class 0 has (1, 0): it is ahead by 1.
  const Array logits = make_array<float>({2, 3}, {1, 1, 1, 1, 0, 0});
  Doubles jacobian(12, 0), gram(18, 0);
  jacobian[6] = 1, gram[9] = 1;
  const MadeElsewhere from_jacobian{"a.npz", logits, make_array<double>({2, 3, 2}, jacobian), {}},
      from_gram{"a.npz", logits, {}, make_array<double>({2, 3, 3}, gram)};
  for (const MadeElsewhere* files : {&from_jacobian, &from_gram})
    for (const double sigma : {0., .5, 1e30}) {
      const Column found = taylor(*files, 2, sigma);
      EXPECT_EQ(found.p[0], 1) << sigma;
      EXPECT_NEAR(found.p[1],
                  sigma == 0    ? 1
                  : sigma == .5 ? .5 * std::erfc(-2 / std::sqrt(2.))
                                : .5,
                  1e-5)
          << sigma;
    }
}

}  // namespace leeway::average_case::average_case_errors_test
