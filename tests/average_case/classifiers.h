// Classifiers of known functions, for the tests of estimators:  f_i(x) = bias_i + w_i' x + sum_j curvature_ij x_j^2.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/random.h"

namespace leeway::average_case {

struct Quadratic {
  std::size_t d = 0, k = 0;
  std::vector<double> w, bias;    // (k,d), (k)
  std::vector<double> curvature;  // (k,d); empty: 0, a linear model

  [[nodiscard]] double logit(std::span<const float> x, std::size_t i) const {
    double f = bias[i];
    for (std::size_t j = 0; j < d; ++j) {
      const double value = static_cast<double>(x[j]);
      f += w[i * d + j] * value;
      if (!curvature.empty()) f += curvature[i * d + j] * value * value;
    }
    return f;
  }

  [[nodiscard]] Classifier classifier() const {
    Classifier result;
    result.d = d, result.k = k;
    result.logits = [*this](std::span<const float> x) {
      std::vector<float> logits;
      for (std::size_t begin = 0; begin < x.size(); begin += d)
        for (std::size_t i = 0; i < k; ++i)
          logits.push_back(static_cast<float>(logit(x.subspan(begin, d), i)));
      return logits;
    };
    result.linearize = [*this, logits = result.logits](std::span<const float> rows) {
      Linearized found{logits(rows)};
      found.vjp = [*this,
                   x = std::vector<float>(rows.begin(), rows.end())](std::span<const float> cotangents) {
        std::vector<float> gradients(x.size());
        for (std::size_t at = 0; at < cotangents.size(); ++at) {
          if (cotangents[at] == 0) continue;
          for (std::size_t j = 0; j < d; ++j) {
            const std::size_t from = at % k * d + j, to = at / k * d + j;
            const double curved = curvature.empty() ? 0 : 2 * curvature[from] * static_cast<double>(x[to]);
            gradients[to] += static_cast<float>(static_cast<double>(cotangents[at]) * (w[from] + curved));
          }
        }
        return gradients;
      };
      return found;
    };
    return result;
  }
};

// Normal weights of standard deviation `slope`, normal biases.
inline Quadratic random_linear(std::size_t d, std::size_t k, std::uint64_t seed, double slope = 1) {
  Random random(seed, stream("random linear"));
  Quadratic model{d, k, std::vector<double>(k * d), std::vector<double>(k), {}};
  for (double& value : model.w) value = slope * random.normal();
  for (double& value : model.bias) value = random.normal();
  return model;
}

inline std::vector<float> random_inputs(std::size_t n, std::size_t d, std::uint64_t seed) {
  Random random(seed, stream("random inputs"));
  std::vector<float> x(n * d);
  for (float& value : x) value = static_cast<float>(random.normal());
  return x;
}

// The rows of x (n,d), which must outlive the function.
inline InputRow rows_of(const std::vector<float>& x) {
  return [&x](std::size_t row, std::span<float> out) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = x[row * out.size() + j];
  };
}

inline AverageCase run(const Quadratic& model, const std::vector<float>& x, const AverageCaseOptions& options,
                       const Noise& noise) {
  return average_case(model.classifier(), noise, rows_of(x), 0, x.size() / model.d, options);
}
inline AverageCase run(const Quadratic& model, const std::vector<float>& x,
                       const AverageCaseOptions& options) {
  return run(model, x, options, Noise(model.d));
}

// J C J' of a Jacobian (m,d).
inline std::vector<double> gram_of(const Noise& noise, const std::vector<double>& jacobian) {
  auto [gram, exponents] = noise.scaled_gram(jacobian);
  const std::size_t m = exponents.size();
  for (std::size_t i = 0; i < m * m; ++i) gram[i] = std::ldexp(gram[i], exponents[i / m] + exponents[i % m]);
  return gram;
}

inline double phi(double x) { return .5 * std::erfc(-x / std::sqrt(2.)); }

// E f(u) of a standard normal u, by the trapezoidal rule: exact to rounding for smooth f.
template <class Function>
double normal_mean(const Function& f) {
  constexpr double step = 1. / 256;
  double sum = 0;
  for (int i = -10 * 256; i <= 10 * 256; ++i) {
    const double u = i * step;
    sum += f(u) * std::exp(-.5 * u * u);
  }
  return sum * step / std::sqrt(2 * 3.14159265358979323846);
}

}  // namespace leeway::average_case
