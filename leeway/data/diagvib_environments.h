// Named experiments on DiagViB pictures: environments for training, validation and test.
//
// An environment is a class of every factor (diagvib.h), as in Tables 2 and 3 of "Rethinking Robustness in
// Machine Learning: A Posterior Agreement Approach" (Carvalho et al. 2025, appendix E). Test environment i
// has i shifted factors. Training environments are unpaired, test environments paired; validation
// environments are paired for discriminability and unpaired for selection.
//
// Co-occurrence experiments (Eulig et al., ICCV 2021) pair the predicted digit p with a learning factor l,
// three classes each, by weights w(p,l):
//   zgo     w = 1 for l = p                                   no generalization opportunity
//   n-cgo   zgo, and w = 1 for (s, (s + 1) mod 3), s < n      n counterexamples; 3 + n equally frequent pairs
//   zso     w = 1 for all 9                                   no shortcut opportunity: independent
//   fgo     w = share for l = p, (1 - share) / 2 otherwise    each digit equally frequent
// Other factors are uniform over three classes. Training and validation have two environments with these
// weights; validation row i has one digit class in both. Test i of 1 to 5 has i shifts: the pairs (all nine
// equally often), then one more factor each, whose class training lacks. The paper does not publish its hues,
// pairs and tests; these are ours.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/data/diagvib.h"

namespace leeway::data {

struct DiagvibEnvironment {
  std::size_t number = 0;
  std::array<std::string, diagvib_factors> classes =
      {};  // by DiagvibFactor: hue, lightness, position, scale, texture
};

// Whether environments share digits and random numbers, row by row (diagvib_set.h).
enum class DiagvibPairing { paired, unpaired };

struct DiagvibPart {
  std::string name;                              // train; val or val-KIND; test
  std::vector<DiagvibEnvironment> environments;  // none: tests of co-occurrence
  DiagvibPairing pairing = DiagvibPairing::paired;
  std::size_t n = 0;  // pictures of each environment in the paper
};

using PairWeights = std::array<std::array<double, 3>, 3>;  // [digit][class of L]

struct DiagvibExperiment : Member {
  std::vector<std::size_t> digits;  // classes that are drawn unless others are asked for
  std::vector<DiagvibPart> parts;
  PairWeights (*weights)(double share) = nullptr;  // of co-occurrence

  // Error that lists the names there are.
  [[nodiscard]] const DiagvibPart& part(std::string_view name) const;
};

[[nodiscard]] std::span<const DiagvibExperiment> diagvib_experiments();
[[nodiscard]] const DiagvibExperiment& diagvib_experiment(std::string_view name);  // Error likewise

// The three classes of a factor in co-occurrence experiments.
[[nodiscard]] std::array<std::string_view, 3> diagvib_triple(DiagvibFactor factor);

// Classes of the other factors that are shifted in test `number` (1 to 5): the first `number` - 1 of hue,
// lightness, texture, position and scale without the learning factor.
[[nodiscard]] std::map<DiagvibFactor, std::string> shifted_factors(DiagvibFactor learning,
                                                                   std::size_t number);

// Which pairs a test set of co-occurrence has: those of training, those never seen there (each as often), or all nine.
enum class SeenPairs { seen, unseen, all };
// Error where there are none.
[[nodiscard]] PairWeights tested_pairs(const PairWeights& training, SeenPairs which);

// n shared out by weights; what rounding down leaves goes to the largest remainders, the first of equal ones.
[[nodiscard]] std::vector<std::size_t> largest_remainder(std::span<const double> weights, std::size_t n);

// sum p(a,b) log (p(a,b) / (p(a) p(b))), nats.
[[nodiscard]] double mutual_information(const PairWeights& weights);

}  // namespace leeway::data
