// The record of leeway attack: for each model, set of images, attack and radius, the accuracy under attack,
// and the perturbation norms where the attack searches for the nearest adversarial example.
//
// Statistics of norms are over all rows: 0 where the clean image succeeds, inf where the attack failed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"
#include "leeway/record/envelope.h"
#include "leeway/record/model_reading.h"

namespace leeway::record {

inline constexpr std::string_view attack_schema = "leeway.attack/2";

struct AttackOptions {
  std::string attack = "pgd", norm = "linf";
  std::optional<double> eps;        // of an attack with a fixed budget
  std::optional<std::string> loss;  // unset: the attack's own
  std::map<std::string, std::optional<double>>
      parameters;  // by name; those not named have the attack's defaults
};

// The attack and noise beside it, each alone: shares of rows that withstood.
struct BesideNoise {
  double attack_robust_accuracy = 0, noise_robust_accuracy = 0;
};

struct RadiusPoint {
  double radius = 0;
  double robust_accuracy = 0;
  Interval robust_accuracy_interval;
};

// How far rows had to move.
struct NearestNorms {
  double median = 0;
  Interval median_interval;
  double lower_quartile = 0, upper_quartile = 0;
  std::vector<RadiusPoint> curve;
};

struct AttackedSet {
  std::string model, data, out;  // files, as they were given; empty: none
  std::string attack;
  std::optional<double> eps;
  std::map<std::string, std::optional<double>> parameters;  // with every default
  std::string target;                                       // "label", "prediction", "given"
  std::size_t n = 0;
  double clean_accuracy = 0, robust_accuracy = 0, success = 0;
  Interval clean_accuracy_interval, robust_accuracy_interval, success_interval;
  std::optional<NearestNorms> norms;  // of an attack of minimum norm
  std::optional<double> zero_gradient, unreliable_gradient;
  std::optional<BesideNoise> beside_noise;
  std::optional<ModelVariation> stochastic;
};

struct Attack {
  Envelope envelope = envelope_of(attack_schema);
  AttackOptions options;  // of the first result, with every default filled in; norm and loss are those of all
  std::vector<AttackedSet> results;  // by model, by data, by attack, by radius
};

void fields(Attack& record, Fields& f);

// Accuracy before and after, or how far images had to move; of several results those of the strongest. At least one result.
[[nodiscard]] std::string headline_of(const Attack& record);
// Quartiles of an attack of minimum norm; of several results what each attack left, by radius.
[[nodiscard]] std::vector<std::string> findings_of(const Attack& record);

}  // namespace leeway::record
