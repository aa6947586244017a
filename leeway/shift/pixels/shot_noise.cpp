// x' = k / c, k a Poisson number of mean c x, independent for every pixel and channel: photon noise.
//
// One uniform u per pixel, the same at every severity: k is the smallest number with P(Poisson(c v/255) <= k)
// > u, v the whole level below x. Between two levels, (u - P(< k)) / P(k), which is uniform and independent
// of k, draws the Poisson number of the rest likewise; the sum of independent Poisson numbers is Poisson.
#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<double, 5>, 3> photons{{
    {500, 250, 100, 75, 50},
    {250, 100, 50, 30, 15},
    {60, 25, 12, 5, 3},
}};

// The distribution functions of Poisson(c v/255), v = 0 .. 255, each on the numbers that are likelier than 1e-20 of the
// likeliest; and where to begin the search for u.
class Counts {
 public:
  void set(double c) {
    if (c == c_) return;
    c_ = c;
    below_.clear();
    for (std::size_t level = 0; level < levels_.size(); ++level)
      add(level, c * static_cast<double>(level) / 255);
  }

  // A number for that level, and the numbers' probabilities up to it.
  struct Drawn {
    std::size_t k = 0;
    double below = 0, up_to = 0;  // P(< k), P(<= k)
  };
  [[nodiscard]] Drawn draw(std::size_t level, double u) const {
    const Level& of = levels_[level];
    const double* const below = below_.data() + of.begin;
    std::size_t i = of.guide[static_cast<std::size_t>(u * guides)];
    i += u >= below[i + 1];  // mostly the only step, and without a branch to guess
    while (u >= below[i + 1]) ++i;
    return {of.first + i, below[i], below[i + 1]};
  }

 private:
  static constexpr std::size_t guides = 256;
  struct Level {
    std::size_t begin = 0, first = 0;              // below_[begin + i] = P(< first + i)
    std::array<std::uint16_t, guides> guide = {};  // the number at u = j / guides
  };

  void add(std::size_t level, double mean) {
    // from the likeliest number, of weight 1, downwards and upwards
    constexpr double negligible = 1e-20;
    std::vector<double>& weights = weights_;
    weights.clear();
    const auto likeliest = static_cast<std::size_t>(mean);
    std::size_t first = likeliest;
    double weight = 1;
    while (first > 0) {
      weight *= static_cast<double>(first) / mean;
      if (weight < negligible) break;
      weights.push_back(weight);
      --first;
    }
    std::reverse(weights.begin(), weights.end());
    weight = 1;
    for (std::size_t k = likeliest + 1; weight >= negligible; ++k) {
      weights.push_back(weight);
      weight *= mean / static_cast<double>(k);
    }
    double total = 0, sum = 0;
    for (const double one : weights) total += one;
    Level& of = levels_[level];
    of.begin = below_.size();
    of.first = first;
    std::size_t guide = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      below_.push_back(sum / total);
      sum += weights[i];
      const double upper = i + 1 < weights.size() ? sum / total : 1;
      for (; guide < guides && static_cast<double>(guide) / guides < upper; ++guide)
        of.guide[guide] = static_cast<std::uint16_t>(i);
    }
    below_.push_back(1);
  }

  double c_ = 0;
  std::array<Level, 256> levels_ = {};
  std::vector<double> below_, weights_;
};

// The same for a mean so small that numbers are counted from 0.
double count_of_rest(double mean, double u) {
  double k = 0, weight = std::exp(-mean), below = weight;
  while (u >= below && weight > 1e-20) {
    k += 1;
    weight *= mean / k;
    below += weight;
  }
  return k;
}

void change_by_shot_noise(const Picture& picture, const Setting& setting, Random& random) {
  thread_local Counts counts;
  const double c = setting.of(photons);
  counts.set(c);
  for (float& x : picture.values) {
    const float scaled = std::clamp(x, 0.f, 1.f) * 255;
    const auto level = static_cast<std::size_t>(scaled);
    const float rest = scaled - static_cast<float>(level);
    const double u = random.uniform();
    const Counts::Drawn drawn = counts.draw(level, u);
    auto k = static_cast<double>(drawn.k);
    if (rest > 0) k += count_of_rest(c * rest / 255, (u - drawn.below) / (drawn.up_to - drawn.below));
    x = static_cast<float>(k / c);
  }
}

}  // namespace

Member shot_noise() {
  return {{"shot-noise", "Poisson noise of a photon count; fewer photons, more noise", benchmark_paper},
          "noise",
          change_by_shot_noise};
}

}  // namespace leeway::shift
