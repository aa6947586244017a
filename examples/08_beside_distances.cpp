// Posterior agreement beside the usual distances, as three classes of Gaussian features move towards another domain.
#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/distance.h"
#include "leeway/core/random.h"

constexpr std::size_t n = 600, k = 3, d = 2;

// The features of class c lie around a point of the circle of radius 3, turned by `turn`, then moved by `move` along x;
// row by row the same noise.
// The classifier knows the domain at turn 0: logit j is the likeness to class j there. `rename` moves each class's
// logit to the next class.
leeway::agreement::Sample domain(const char* name, double turn, double move = 0, bool rename = false) {
  std::vector<double> features, logits;
  for (std::size_t i = 0; i < n; ++i) {
    leeway::Random noise(1, leeway::stream("features"), i);
    const double angle = 2.0944 * static_cast<double>(i % k) + turn;
    const double x = 3 * std::cos(angle) + noise.normal() + move, y = 3 * std::sin(angle) + noise.normal();
    features.insert(features.end(), {x, y});
    for (std::size_t j = 0; j < k; ++j) {
      const double centre = 2.0944 * static_cast<double>(rename ? (j + 1) % k : j);
      logits.push_back(x * std::cos(centre) + y * std::sin(centre));
    }
  }
  return {name, leeway::make_array({n, k}, logits), leeway::make_array({n, d}, features), {}};
}

int main() {
  const auto clean = domain("clean", 0);
  fmt::print("{:<12}{:>8}{:>8}", "shift", "PA", "AFR(P)");
  for (const auto& distance : leeway::agreement::distances())
    fmt::print("{:>{}}", distance.name, distance.name.size() + 2 < 9 ? 9 : distance.name.size() + 2);
  fmt::print("\n");
  const auto line = [&](const std::string& name, const leeway::agreement::Sample& shifted) {
    const auto a = leeway::agreement::posterior_agreement(*clean.logits, *shifted.logits);
    fmt::print("{:<12}{:>8.3f}{:>8.3f}", name, a.pa, a.afr_pred);
    for (const auto& [distance, value, missing] : leeway::agreement::measure_distances(clean, shifted))
      fmt::print("{:>{}.4f}", *value, distance->name.size() + 2 < 9 ? 9 : distance->name.size() + 2);
    fmt::print("\n");
  };
  for (const int degrees : {0, 10, 20, 30, 45, 60, 90, 120})
    line(fmt::format("turned {}", degrees), domain("turned", degrees * 3.14159265 / 180));
  for (const int move : {1, 2, 4, 8}) line(fmt::format("moved {}", move), domain("moved", 0, move));
  // Distances between distributions cannot tell renamed classes: agreement falls to nothing, they stay near 0.
  line("renamed", domain("renamed", 0, 0, true));
}
