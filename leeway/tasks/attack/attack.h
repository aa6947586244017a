// leeway attack: generates adversarial examples and measures accuracy under attack, for each model, set of
// images, attack and radius; perturbation norms where the attack searches for the nearest adversarial
// example.
//
// Untargeted attacks lead away from the labels, or from the model's predictions if there are none. The
// attacks are those of leeway/attack. Proportions have exact
// intervals, the median norm has that of order statistics (core/statistics.h). Statistics of norms are over
// all rows: 0 where the clean image succeeds, inf where the attack failed.
// Errors (Error): those of attack::run. Interrupted on request. Cost: a
// forward and a backward pass a step. Same bits for any number of threads.
//
// With AttackTask::state, finished blocks of rows are saved as soon as a hundredth of the time covers it, and before
// Interrupted; a task of the same plan resumes from them to the same bits (saved_work.h). The caller removes the file after
// storing the result.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/core/array.h"
#include "leeway/core/progress.h"
#include "leeway/core/statistics.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/nn/model.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::attack {
void fields(AttackOptions& options, Fields& f);  // all but targets and seed
}

namespace leeway::tasks {

inline constexpr std::string_view attack_schema = "leeway.attack/2";

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

// Of a randomized model: the mean over the passes that judge, with its t interval.
struct JudgedRepeats {
  std::size_t draws = 0;
  double robust_accuracy = 0;
  Interval robust_accuracy_interval;
};

struct AttackedSet {
  std::string model, data, out;  // files, as they were given; empty: none
  std::string attack;
  std::optional<double> eps;
  std::map<std::string, double> parameters;  // with every default
  std::string loss;                          // that it maximizes
  std::string target;                        // "label", "prediction", "given"
  std::size_t n = 0;
  double clean_accuracy = 0, robust_accuracy = 0, success = 0;
  Interval clean_accuracy_interval, robust_accuracy_interval, success_interval;
  std::optional<NearestNorms> norms;  // of an attack of minimum norm
  std::optional<double> zero_gradient, unreliable_gradient;
  std::vector<attack::Stage> stages;  // of an ensemble
  std::optional<attack::BesideNoise> beside_noise;
  std::optional<JudgedRepeats> repeats;  // of several draws
  std::optional<nn::Variation> stochastic;
};

struct Attack {
  Envelope envelope = envelope_of(attack_schema);
  attack::AttackOptions options;     // of the first result, with every default; the norm is that of all
  std::vector<AttackedSet> results;  // by model, by data, by attack, by radius
};

void fields(Attack& record, Fields& f);

// Accuracy before and after, or how far images had to move; of several results those of the strongest. At least one result.
[[nodiscard]] std::string headline_of(const Attack& record);
// Quartiles of an attack of minimum norm; none of several results.
[[nodiscard]] std::vector<std::string> findings_of(const Attack& record);

struct AttackTask {
  attack::Target target;
  attack::AttackOptions options;
  std::filesystem::path state = {};                    // empty: nothing is saved
  std::vector<std::string> made_of = {};               // what decides the classifier: digests of files
  std::function<void(std::size_t)> resumed = nullptr;  // after so many blocks
};

// A model, and images as rows of numbers. Both must outlive it.
class ModelUnderAttack {
 public:
  ModelUnderAttack(const nn::Model& model, const Images& images);
  [[nodiscard]] attack::Target target() const;

 private:
  const Images& images_;
  Classifier classifier_;
  std::vector<float> x_;
};

struct AttackFound {
  Attack record;  // without what the caller knows: command, inputs, the files' names, `stochastic`
  attack::AttackResult result;
};

// The comma-separated attacks of `given`, each with every radius, or with its default radius if there are
// none. Attacks for the nearest image have no radius and appear once. Errors: those of attack::complete.
[[nodiscard]] std::vector<attack::AttackOptions> attacks_of(const attack::AttackOptions& given,
                                                            const std::vector<double>& radii);

// One more set of a record: its result and its warnings, by the name of its file.
void add_set(Attack& all, Attack one);

[[nodiscard]] AttackFound attack(const AttackTask& task, Progress* progress = nullptr);

// Options, result and warnings of an attack.
[[nodiscard]] Attack record_of(const attack::AttackResult& result, const attack::Target& target);

// x in `shape`, y (or targets: the predictions, or the classes that were to be reached), success, norms.
[[nodiscard]] ArrayMap attacked_arrays(attack::AttackResult result, const std::vector<std::size_t>& shape);

[[nodiscard]] View view(const Attack& record);

}  // namespace leeway::tasks
