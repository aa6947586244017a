#include "leeway/data/diagvib_environments.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "leeway/core/message.h"

namespace leeway::data {
namespace {

using Classes = std::array<std::string, diagvib_factors>;

struct Step {
  DiagvibFactor factor;
  std::string value;
};

Classes changed(Classes classes, const Step& step) {
  classes[static_cast<std::size_t>(step.factor)] = step.value;
  return classes;
}

// `base`, and after it one more step each.
std::vector<DiagvibEnvironment> cumulative(const Classes& base, const std::vector<Step>& steps) {
  std::vector<DiagvibEnvironment> environments{{0, base}};
  for (const Step& step : steps)
    environments.push_back({environments.size(), changed(environments.back().classes, step)});
  return environments;
}

constexpr std::size_t n_train = 40'000, n_val = 20'000, n_test = 10'000;

DiagvibPart of_two(std::string name, std::size_t n, DiagvibPairing pairing, const Classes& first,
                   const Classes& second) {
  return {std::move(name), {{0, first}, {1, second}}, pairing, n};
}

DiagvibPart test(std::vector<DiagvibEnvironment> environments) {
  return {"test", std::move(environments), DiagvibPairing::paired, n_test};
}

using enum DiagvibFactor;

// Train and validation are environments 0 and 1 of the test.
std::vector<DiagvibPart> discriminability() {
  const Classes base = {"red", "dark", "centre", "normal", "blank"};
  std::vector<DiagvibEnvironment> tests = cumulative(base, {{hue, "blue"},
                                                            {lightness, "bright"},
                                                            {position, "lower-centre"},
                                                            {scale, "large"},
                                                            {texture, "tiles"}});
  const Classes &red = tests[0].classes, &blue = tests[1].classes;
  return {of_two("train", n_train, DiagvibPairing::unpaired, red, blue),
          of_two("val", n_val, DiagvibPairing::paired, red, blue), test(std::move(tests))};
}

std::vector<DiagvibPart> selection() {
  const Classes red = {"red", "dark", "centre", "large", "blank"}, blue = changed(red, {hue, "blue"}),
                magenta = changed(red, {hue, "magenta"}), yellow = changed(red, {hue, "yellow"}),
                far = {"green", "bright", "upper-left", "small", "tiles"};
  return {of_two("train", n_train, DiagvibPairing::unpaired, red, blue),
          of_two("val-sd", n_val, DiagvibPairing::unpaired, red, red),
          of_two("val-id", n_val, DiagvibPairing::unpaired, red, blue),
          of_two("val-1f-md", n_val, DiagvibPairing::unpaired, red, magenta),
          of_two("val-5f-md", n_val, DiagvibPairing::unpaired, red, far),
          of_two("val-ood", n_val, DiagvibPairing::unpaired, yellow, magenta),
          test(cumulative(red, {{hue, "green"},
                                {lightness, "bright"},
                                {texture, "tiles"},
                                {position, "upper-left"},
                                {scale, "small"}}))};
}

template <std::size_t counterexamples>
PairWeights generalization(double) {
  PairWeights weights{};
  for (std::size_t p = 0; p < 3; ++p) {
    weights[p][p] = 1;
    if (p < counterexamples) weights[p][(p + 1) % 3] = 1;
  }
  return weights;
}

PairWeights independent(double) {
  PairWeights weights{};
  for (auto& row : weights) row.fill(1);
  return weights;
}

PairWeights frequent(double share) {
  PairWeights weights{};
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t l = 0; l < 3; ++l) weights[p][l] = p == l ? share : (1 - share) / 2;
  return weights;
}

DiagvibExperiment co_occurrence(std::string_view name, std::string_view summary,
                                PairWeights (*weights)(double share)) {
  return {{name, summary, "Eulig et al., ICCV 2021"},
          {7, 4, 9},
          {of_two("train", 43'740, DiagvibPairing::unpaired, {}, {}),
           of_two("val", 8'748, DiagvibPairing::unpaired, {}, {}),
           {"test", {}, DiagvibPairing::paired, 20'000}},
          weights};
}

constexpr std::size_t size_of_pairs = 9;

std::array<double, size_of_pairs> flat(const PairWeights& weights) {
  std::array<double, size_of_pairs> values{};
  for (std::size_t i = 0; i < size_of_pairs; ++i) values[i] = weights[i / 3][i % 3];
  return values;
}

}  // namespace

const DiagvibPart& DiagvibExperiment::part(std::string_view wanted) const {
  return parts[index_of_name(wanted, parts, &DiagvibPart::name, "part of " + std::string(name))];
}

std::span<const DiagvibExperiment> diagvib_experiments() {
  static const DiagvibExperiment list[] = {
      {{"discriminability", "hue, lightness, position, scale and texture shift one after the other",
        "Carvalho et al. 2025, Table 2"},
       {4, 9},
       discriminability()},
      {{"selection",
        "validation sets with small and large shifts: val-sd, val-id, val-1f-md, val-5f-md, val-ood",
        "Carvalho et al. 2025, Table 3"},
       {1, 4, 7, 9},
       selection()},
      co_occurrence("zgo", "each digit has its own class of the learning factor", generalization<0>),
      co_occurrence("1-cgo", "zgo and one further pair", generalization<1>),
      co_occurrence("2-cgo", "zgo and two further pairs", generalization<2>),
      co_occurrence("3-cgo", "zgo and three further pairs, one per digit", generalization<3>),
      co_occurrence("zso", "digit and learning factor are independent", independent),
      co_occurrence("fgo", "each digit has its own class of the learning factor in --share of its images",
                    frequent)};
  return list;
}

const DiagvibExperiment& diagvib_experiment(std::string_view name) {
  return find_member(diagvib_experiments(), "environment", name);
}

std::array<std::string_view, 3> diagvib_triple(DiagvibFactor factor) {
  switch (factor) {
    case hue:
      return {"red", "green", "blue"};
    case lightness:
      return {"dark", "darker", "brighter"};
    case position:
      return {"upper-left", "centre", "lower-right"};
    case scale:
      return {"small", "normal", "large"};
    case texture:
      break;
  }
  return {"tiles", "wood", "carpet"};
}

std::map<DiagvibFactor, std::string> shifted_factors(DiagvibFactor learning, std::size_t number) {
  std::map<DiagvibFactor, std::string> shifted;  // to classes that are not among the three
  for (const Step& step : {Step{hue, "magenta"}, Step{lightness, "bright"}, Step{texture, "bricks"},
                           Step{position, "upper-right"}, Step{scale, "smaller"}})
    if (step.factor != learning && shifted.size() + 1 < number) shifted[step.factor] = step.value;
  return shifted;
}

PairWeights tested_pairs(const PairWeights& training, SeenPairs which) {
  if (which == SeenPairs::seen) return training;
  PairWeights weights{};
  bool any = false;
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t l = 0; l < 3; ++l)
      if (which == SeenPairs::all || training[p][l] == 0) weights[p][l] = 1, any = true;
  if (!any) refuse("part", "pairs that are not in training", "none: training has all nine");
  return weights;
}

std::vector<std::size_t> largest_remainder(std::span<const double> weights, std::size_t n) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.);
  std::vector<std::size_t> counts, order(weights.size());
  std::vector<double> rest;
  std::size_t left = n;
  for (const double weight : weights) {
    // A quota that is whole but for its rounding is that whole number.
    const double quota = static_cast<double>(n) * weight / sum, whole = std::floor(quota + 1e-9);
    counts.push_back(static_cast<std::size_t>(whole));
    rest.push_back(weight > 0 ? std::round((quota - whole) * 1e9) : -1);
    left -= counts.back();
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return rest[i]; });
  for (std::size_t i = 0; i < left; ++i) ++counts[order[i]];
  return counts;
}

double mutual_information(const PairWeights& weights) {
  const auto values = flat(weights);
  const double sum = std::accumulate(values.begin(), values.end(), 0.);
  std::array<double, 3> rows{}, columns{};
  for (std::size_t i = 0; i < size_of_pairs; ++i) rows[i / 3] += values[i], columns[i % 3] += values[i];
  double information = 0;
  for (std::size_t i = 0; i < size_of_pairs; ++i)
    if (values[i] > 0)
      information += values[i] / sum * std::log(values[i] * sum / (rows[i / 3] * columns[i % 3]));
  return information;
}

}  // namespace leeway::data
