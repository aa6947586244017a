// Pairs of logits on which the maximum of posterior agreement is judged.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/array.h"

namespace leeway::agreement {

// Two sets of logits (n,k), row-major. With `single` the values are float32, and the library gets them as such.
struct Pair {
  std::size_t n = 0, k = 0;
  std::vector<double> clean, shifted;
  bool single = false;
};

[[nodiscard]] inline Array as_array(const Pair& pair, const std::vector<double>& logits) {
  if (pair.single)
    return make_array<float>({pair.n, pair.k}, std::vector<float>(logits.begin(), logits.end()));
  return make_array<double>({pair.n, pair.k}, logits);
}
[[nodiscard]] inline Array clean_array(const Pair& pair) { return as_array(pair, pair.clean); }
[[nodiscard]] inline Array shifted_array(const Pair& pair) { return as_array(pair, pair.shifted); }

// Draws whose values the C++ standard fixes (the standard's distributions differ between libraries).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + .5) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t m) { return static_cast<std::size_t>(uniform() * static_cast<double>(m)); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

// F' = scale N(0,1), F'' = F' + noise scale N(0,1).
[[nodiscard]] Pair gaussian(std::size_t n, std::size_t k, double noise, std::uint64_t seed, double scale = 1);

// Two to five groups of rows, each with its own size, share of rows that disagree, and logit scale between 1e-2 and 1e2
// (uniform in the logarithm). Some seeds give an objective with two or three local maxima.
[[nodiscard]] Pair scale_mixture(std::uint64_t seed);

// One to six pairs of two to five logits that are small integers, mostly near each other: tops tie often.
[[nodiscard]] Pair small_integers(std::uint64_t seed);

// Several maxima, exactly: two classes, F' = (a, 0), F'' = (b, 0), groups of 686, 1924 and 57 rows.
[[nodiscard]] Pair two_maxima();

// Values rounded to float32, handed over as such.
[[nodiscard]] Pair in_single(Pair pair);
[[nodiscard]] Pair scaled(Pair pair, double factor);

// The rows of a resample as bootstrap() draws them.
[[nodiscard]] Pair resample(const Pair& pair, std::uint64_t seed, std::size_t replicate);

// All numbers of a result that must have the same bits however it was computed.
[[nodiscard]] std::vector<double> numbers_of(const Agreement& found);

struct Case {
  std::string name;  // letters, digits and underscores
  std::function<Pair()> make;
  bool ordinary = true;  // at most 40 evaluations are expected
};
[[nodiscard]] const std::vector<Case>& cases();

}  // namespace leeway::agreement
