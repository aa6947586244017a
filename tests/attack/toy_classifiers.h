// Classifiers with known worst cases, and rows to attack.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/core/random.h"

namespace leeway::attack::toy {

// Any differentiable function as a classifier: forward(row) -> logits, backward(row, cotangents) -> gradient.
struct Functions {
  std::size_t d, k;
  std::function<std::vector<float>(Row)> forward;
  std::function<std::vector<float>(Row, Row)> backward;
};

inline Classifier classifier(Functions functions) {
  Classifier made{functions.d, functions.k};
  made.logits = [functions](std::span<const float> x) {
    std::vector<float> logits;
    for (std::size_t i = 0; i < x.size() / functions.d; ++i) {
      const std::vector<float> row = functions.forward(x.subspan(i * functions.d, functions.d));
      logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
  };
  if (functions.backward)
    made.linearize = [functions, logits = made.logits](std::span<const float> x) {
      Linearized found{logits(x)};
      found.vjp = [functions, x = std::vector<float>(x.begin(), x.end())](std::span<const float> cotangents) {
        std::vector<float> gradients;
        for (std::size_t i = 0; i < x.size() / functions.d; ++i) {
          const std::vector<float> row = functions.backward(Row(x).subspan(i * functions.d, functions.d),
                                                            cotangents.subspan(i * functions.k, functions.k));
          gradients.insert(gradients.end(), row.begin(), row.end());
        }
        return gradients;
      };
      return found;
    };
  return made;
}

// F(x) = W x + b.
struct Linear {
  std::size_t d, k;
  std::vector<float> weight, bias;  // (k,d), (k)

  [[nodiscard]] float w(std::size_t j, std::size_t p) const { return weight[j * d + p]; }
  [[nodiscard]] Classifier classifier() const {
    return toy::classifier({d, k,
                            [self = *this](Row x) {
                              std::vector<float> logits(self.k);
                              for (std::size_t j = 0; j < self.k; ++j) {
                                double sum = self.bias[j];
                                for (std::size_t p = 0; p < self.d; ++p)
                                  sum += static_cast<double>(self.w(j, p)) * x[p];
                                logits[j] = static_cast<float>(sum);
                              }
                              return logits;
                            },
                            [self = *this](Row, Row cotangents) {
                              std::vector<float> gradient(self.d);
                              for (std::size_t j = 0; j < self.k; ++j)
                                for (std::size_t p = 0; p < self.d; ++p)
                                  gradient[p] += cotangents[j] * self.w(j, p);
                              return gradient;
                            }});
  }
};

inline Linear random_linear(std::size_t d, std::size_t k, std::uint64_t seed) {
  Random random(seed, stream("toy weights"));
  Linear made{d, k, std::vector<float>(k * d), std::vector<float>(k)};
  for (float& value : made.weight) value = static_cast<float>(random.normal());
  for (float& value : made.bias) value = static_cast<float>(.1 * random.normal());
  return made;
}

// Uniform in [low, high].
inline std::vector<float> random_rows(std::size_t n, std::size_t d, std::uint64_t seed, double low = 0,
                                      double high = 1) {
  Random random(seed, stream("toy rows"));
  std::vector<float> x(n * d);
  for (float& value : x) value = static_cast<float>(low + (high - low) * random.uniform());
  return x;
}

// Of two classes: the distance in `norm` from x to the plane where both logits are equal, without a box.
inline double distance_to_plane(const Linear& model, Row x, Norm norm) {
  std::vector<float> w(model.d);
  double gap = static_cast<double>(model.bias[0]) - model.bias[1];
  for (std::size_t p = 0; p < model.d; ++p) {
    w[p] = model.w(0, p) - model.w(1, p);
    gap += static_cast<double>(w[p]) * x[p];
  }
  return std::abs(gap) / norm_of(w, dual_of(norm));
}

}  // namespace leeway::attack::toy
