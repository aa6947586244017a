#include "tests/agreement/cases.h"

#include <algorithm>
#include <array>

#include "leeway/core/random.h"

namespace leeway::agreement {
namespace {

// Seeds of scale_mixture whose objective has two local maxima, from a brute-force search over 1 to 6000: the
// higher one lies to the left (first five) or to the right, often by less than .005.
constexpr std::array<std::uint64_t, 14> two_maxima_seeds = {7,   184, 512,  949,  1953, 27,   118,
                                                            151, 608, 1014, 1468, 2029, 3035, 2584};

void add_row(Pair& pair, const std::vector<double>& clean, const std::vector<double>& shifted) {
  pair.k = clean.size();
  ++pair.n;
  pair.clean.insert(pair.clean.end(), clean.begin(), clean.end());
  pair.shifted.insert(pair.shifted.end(), shifted.begin(), shifted.end());
}

Pair rows(const std::vector<double>& clean, const std::vector<double>& shifted, std::size_t copies = 1) {
  Pair pair;
  for (std::size_t i = 0; i < copies; ++i) add_row(pair, clean, shifted);
  return pair;
}

// F'' = F' + noise, then the two largest classes of every row change places: no row agrees.
Pair all_disagreeing(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, .1, seed);
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = pair.clean.begin() + static_cast<std::ptrdiff_t>(i * k);
    const auto top = std::max_element(first, first + static_cast<std::ptrdiff_t>(k)) - first;
    const auto row = pair.shifted.begin() + static_cast<std::ptrdiff_t>(i * k);
    const auto lowest = std::min_element(row, row + static_cast<std::ptrdiff_t>(k)) - row;
    std::swap(row[top], row[lowest]);
  }
  return pair;
}

Pair opposite(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, 0, seed);
  std::transform(pair.clean.begin(), pair.clean.end(), pair.shifted.begin(), [](double x) { return -x; });
  return pair;
}

Pair scale_rows(Pair pair, const std::function<double(std::size_t)>& factor) {
  for (std::size_t i = 0; i < pair.n; ++i)
    for (std::size_t j = 0; j < pair.k; ++j) {
      pair.clean[i * pair.k + j] *= factor(i);
      pair.shifted[i * pair.k + j] *= factor(i);
    }
  return pair;
}

Pair lognormal_scales(std::size_t n, std::size_t k, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> scales(n);
  for (double& scale : scales) scale = std::exp(2 * draws.normal());
  return scale_rows(gaussian(n, k, .7, seed + 1), [&](std::size_t i) { return scales[i]; });
}

// Every second row is (0, ..., 1000, ..., 0) in both sets; the others are ordinary.
Pair half_saturated(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, .8, seed);
  for (std::size_t i = 0; i < n; i += 2)
    for (std::size_t j = 0; j < k; ++j)
      pair.clean[i * k + j] = pair.shifted[i * k + j] = j == i % k ? 1000 : 0;
  return pair;
}

// The two largest classes of F' are D apart, and F'' has them the other way round in every third row.
Pair near_ties(std::size_t n, std::size_t k, double distance, std::uint64_t seed) {
  Draws draws(seed);
  Pair pair = gaussian(n, k, 0, seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t a = draws.below(k), b = (a + 1 + draws.below(k - 1)) % k;
    for (auto* logits : {&pair.clean, &pair.shifted}) {
      (*logits)[i * k + a] = 8 + distance;
      (*logits)[i * k + b] = 8;
    }
    if (i % 3 == 0) std::swap(pair.shifted[i * k + a], pair.shifted[i * k + b]);
  }
  return pair;
}

// Identical sets, but the last row's shifted top is another class.
Pair all_but_one(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, 0, seed);
  const auto last = pair.shifted.end() - static_cast<std::ptrdiff_t>(k);
  std::rotate(last, last + 1, pair.shifted.end());
  return pair;
}

Pair tiny_differences(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, 1, seed, 1e-7);
  for (double& x : pair.clean) x += 3;
  for (double& x : pair.shifted) x += 3;
  return pair;
}

Pair constant(std::size_t n, std::size_t k, double value) {
  return {n, k, std::vector<double>(n * k, value), std::vector<double>(n * k, value + 1)};
}

// Logits around 1e6 whose differences are ordinary.
Pair around_a_million(std::size_t n, std::size_t k, std::uint64_t seed) {
  Pair pair = gaussian(n, k, .9, seed);
  for (double& x : pair.clean) x += 1e6;
  for (double& x : pair.shifted) x -= 1e6;
  return pair;
}

Pair mixed_ties(std::size_t n, std::uint64_t seed) {
  Draws draws(seed);
  Pair pair;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> clean(5), shifted(5);
    for (std::size_t j = 0; j < 5; ++j) {  // small integers: tops tie often
      clean[j] = static_cast<double>(draws.below(3));
      shifted[j] = std::max(0.0, clean[j] - static_cast<double>(draws.below(2)));
    }
    add_row(pair, clean, shifted);
  }
  return pair;
}

// Two classes: three groups of agreeing rows (a, 0), each at its own scale, and one row that disagrees by `gap`.
Pair tiers(const std::array<std::size_t, 3>& sizes, const std::array<double, 3>& scales, double gap) {
  Pair pair;
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t i = 0; i < sizes[g]; ++i) add_row(pair, {scales[g], 0}, {scales[g], 0});
  add_row(pair, {200, 0}, {-gap, 0});
  return pair;
}

void add_gaussians(std::vector<Case>& list) {
  for (const std::size_t k : {2, 3, 10, 100, 1000})
    for (const std::size_t n : {1, 2, 7, 100, 1000}) {
      if (n * k > 100000) continue;  // the brute force would take seconds
      for (const double noise : {.3, 1.5}) {
        if (n * k == 100000 && noise < 1) continue;
        list.push_back(
            {"gaussian_k" + std::to_string(k) + "_n" + std::to_string(n) + (noise < 1 ? "_mild" : "_strong"),
             [=] { return gaussian(n, k, noise, 17 * n + k); }});
      }
    }
  list.push_back({"gaussian_single_k10", [] { return in_single(gaussian(1000, 10, .8, 5)); }});
  list.push_back({"gaussian_single_k2", [] { return in_single(gaussian(1000, 2, .8, 6)); }});
  list.push_back({"gaussian_single_k1000", [] { return in_single(gaussian(50, 1000, .8, 7)); }});
  list.push_back({"gaussian_odd_shape", [] { return gaussian(37, 13, .8, 8); }});
  list.push_back({"gaussian_single_odd_shape", [] { return in_single(gaussian(131, 17, .8, 9)); }});
}

void add_scales(std::vector<Case>& list) {
  for (const int exponent : {-3, -1, 1, 2, 3, 6}) {
    const std::string name =
        "scaled_1e" + std::string(exponent < 0 ? "minus" : "") + std::to_string(std::abs(exponent));
    const double factor = std::pow(10, exponent);
    list.push_back({name, [=] { return scaled(gaussian(300, 10, .8, 21), factor); }});
    list.push_back({name + "_single", [=] { return in_single(scaled(gaussian(300, 10, .8, 21), factor)); }});
  }
  list.push_back({"tiny_differences", [] { return tiny_differences(200, 10, 22); }});
  list.push_back({"around_a_million", [] { return around_a_million(200, 10, 23); }});
  list.push_back({"around_a_million_single", [] { return in_single(around_a_million(200, 10, 23)); }});
  list.push_back({"different_scales_of_the_two_sets", [] {
                    Pair pair = gaussian(300, 10, .8, 24);
                    for (double& x : pair.shifted) x *= 50;
                    return pair;
                  }});
}

void add_degenerate(std::vector<Case>& list) {
  for (const std::size_t k : {2, 10, 1000}) {
    const std::string suffix = "_k" + std::to_string(k);
    const std::size_t n = k == 1000 ? 20 : 200;
    list.push_back({"identical" + suffix, [=] { return gaussian(n, k, 0, 31); }});
    list.push_back({"identical_single" + suffix, [=] { return in_single(gaussian(n, k, 0, 32)); }});
    list.push_back({"all_disagreeing" + suffix, [=] { return all_disagreeing(n, k, 33); }});
    list.push_back({"opposite" + suffix, [=] { return opposite(n, k, 34); }});
    list.push_back({"constant" + suffix, [=] { return constant(n, k, 4.25); }});
    list.push_back({"all_but_one" + suffix, [=] { return all_but_one(n, k, 35); }});
    list.push_back({"unrelated" + suffix, [=] {
                      Pair pair = gaussian(n, k, 0, 36);
                      pair.shifted = gaussian(n, k, 0, 37).clean;
                      return pair;
                    }});
  }
  list.push_back({"tied_both", [] { return rows({1, 1, 0}, {1, 1, 0}); }});
  list.push_back({"tied_share_one", [] { return rows({1, 1, 0}, {1, 0, 1}); }});
  list.push_back({"tied_share_one_of_four", [] { return rows({2, 2, 0, 0}, {2, 1, 0, 0}, 3); }});
  list.push_back({"tied_disjoint", [] { return rows({1, 1, 0, 0}, {0, 0, 1, 1}, 2); }});
  list.push_back({"tied_mixed", [] { return mixed_ties(300, 38); }});
  list.push_back({"tied_mixed_single", [] { return in_single(mixed_ties(300, 39)); }});
  list.push_back({"one_agreeing_pair", [] { return rows({.5, 0}, {.5, 0}); }});
  list.push_back({"one_disagreeing_pair", [] { return rows({1, 0}, {0, 1}); }});
  list.push_back({"thesis_table_4_1", [] { return rows({.5, -.5}, {.5, -.5}, 1000); }});
  list.push_back({"constant_rows_among_others", [] {
                    Pair pair = gaussian(100, 4, .8, 40);
                    std::fill_n(pair.clean.begin(), 40, 2.5);
                    std::fill_n(pair.shifted.begin() + 20, 40, -1.0);
                    return pair;
                  }});
}

void add_treacherous(std::vector<Case>& list) {
  list.push_back({"two_maxima", two_maxima, false});
  for (const std::uint64_t seed : two_maxima_seeds)
    list.push_back({"two_maxima_seed_" + std::to_string(seed), [=] { return scale_mixture(seed); }, false});
  list.push_back({"three_maxima_left", [] { return tiers({82, 84, 1199}, {300, 2, .13}, 45.3); }, false});
  list.push_back({"three_maxima_middle", [] { return tiers({83, 30, 297}, {300, 2.4, .25}, 21.3); }, false});
  list.push_back({"three_maxima_right", [] { return tiers({23, 27, 326}, {300, 2.6, .23}, 19.1); }, false});
  list.push_back({"two_maxima_single", [] { return in_single(scale_mixture(two_maxima_seeds[0])); }, false});
  const auto outlier = [](double noise, std::size_t row) {
    return scale_rows(gaussian(200, 10, noise, row - 26), [=](std::size_t i) { return i == row ? 1e4 : 1; });
  };
  list.push_back({"outlier_row", [=] { return outlier(.8, 77); }, false});
  list.push_back({"outlier_row_single", [=] { return in_single(outlier(.8, 78)); }, false});
  list.push_back({"agreeing_outlier_row", [=] { return outlier(.05, 79); }, false});
  list.push_back({"half_saturated", [] { return half_saturated(200, 10, 54); }, false});
  list.push_back({"half_saturated_single", [] { return in_single(half_saturated(200, 10, 55)); }, false});
  list.push_back({"near_ties_1e_6", [] { return near_ties(100, 10, 1e-6, 56); }, false});
  list.push_back({"near_ties_1e_3_single", [] { return in_single(near_ties(100, 10, 1e-3, 57)); }, false});
  list.push_back({"near_ties_k2", [] { return near_ties(101, 2, 1e-6, 58); }, false});
  for (const std::uint64_t seed : {61, 62, 63, 64})
    list.push_back(
        {"lognormal_scales_" + std::to_string(seed), [=] { return lognormal_scales(400, 5, seed); }, false});
  list.push_back({"lognormal_scales_single", [] { return in_single(lognormal_scales(400, 5, 65)); }, false});
}

}  // namespace

Pair gaussian(std::size_t n, std::size_t k, double noise, std::uint64_t seed, double scale) {
  Draws draws(seed);
  Pair pair{n, k, std::vector<double>(n * k), std::vector<double>(n * k)};
  for (std::size_t i = 0; i < n * k; ++i) {
    pair.clean[i] = scale * draws.normal();
    pair.shifted[i] = pair.clean[i] + noise * scale * draws.normal();
  }
  return pair;
}

Pair scale_mixture(std::uint64_t seed) {
  Draws draws(seed);
  constexpr std::array<std::size_t, 4> class_counts = {2, 3, 5, 10};
  const std::size_t k = class_counts[draws.below(4)], groups = 2 + draws.below(4);
  Pair pair{0, k, {}, {}};
  for (std::size_t g = 0; g < groups; ++g) {
    const double scale = std::pow(10, draws.uniform(-2, 2));
    const auto size = static_cast<std::size_t>(std::pow(10, draws.uniform(0, 2.3)));
    const double disagreeing = draws.uniform() < .6 ? 0 : draws.uniform(0, .2);
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<double> clean(k), shifted(k);
      for (std::size_t j = 0; j < k; ++j) {
        clean[j] = scale * .2 * draws.normal();
        shifted[j] = clean[j] + scale * .02 * draws.normal();
      }
      const std::size_t top = draws.below(k);
      const bool agrees = draws.uniform() >= disagreeing;
      clean[top] += scale;
      shifted[agrees ? top : (top + 1) % k] += agrees ? scale : .2 * scale;
      add_row(pair, clean, shifted);
    }
  }
  return pair;
}

Pair small_integers(std::uint64_t seed) {
  Draws draws(seed);
  const std::size_t n = 1 + draws.below(6), k = 2 + draws.below(4), values = 2 + draws.below(4);
  Pair pair{n, k, std::vector<double>(n * k), std::vector<double>(n * k)};
  for (std::size_t i = 0; i < n * k; ++i) {
    pair.clean[i] = static_cast<double>(draws.below(values));
    pair.shifted[i] = draws.uniform() < .8 ? pair.clean[i] + (draws.uniform() < .2 ? 1 : 0)
                                           : static_cast<double>(draws.below(values));
  }
  return pair;
}

Pair two_maxima() {
  Pair pair;
  for (int i = 0; i < 686; ++i) add_row(pair, {43.6, 0}, {43.6, 0});
  for (int i = 0; i < 1924; ++i) add_row(pair, {.23, 0}, {.23, 0});
  for (int i = 0; i < 57; ++i) add_row(pair, {10.28, 0}, {-.93, 0});
  return pair;
}

Pair in_single(Pair pair) {
  pair.single = true;
  for (auto* logits : {&pair.clean, &pair.shifted})
    for (double& x : *logits) x = static_cast<double>(static_cast<float>(x));
  return pair;
}

Pair scaled(Pair pair, double factor) {
  for (auto* logits : {&pair.clean, &pair.shifted})
    for (double& x : *logits) x *= factor;
  return pair;
}

Pair resample(const Pair& pair, std::uint64_t seed, std::size_t replicate) {
  Random random(seed, stream("bootstrap"), replicate);
  Pair drawn{0, 0, {}, {}, pair.single};
  for (std::size_t i = 0; i < pair.n; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(random.below(pair.n) * pair.k);
    const auto row = [&](const std::vector<double>& rows) {
      return std::vector<double>(rows.begin() + first,
                                 rows.begin() + first + static_cast<std::ptrdiff_t>(pair.k));
    };
    add_row(drawn, row(pair.clean), row(pair.shifted));
  }
  return drawn;
}

std::vector<double> numbers_of(const Agreement& found) {
  std::vector<double> numbers = {static_cast<double>(found.evaluations),
                                 found.beta,
                                 found.value,
                                 found.gap,
                                 found.pa,
                                 found.log_pa_sum,
                                 found.pa_interval.low,
                                 found.pa_interval.high,
                                 found.afr_pred};
  for (const auto* points : {&found.curve, &found.local_maxima})
    for (const auto& [beta, value] : *points) numbers.insert(numbers.end(), {beta, value});
  return numbers;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = [] {
    std::vector<Case> all;
    add_gaussians(all);
    add_scales(all);
    add_degenerate(all);
    add_treacherous(all);
    return all;
  }();
  return list;
}

}  // namespace leeway::agreement
