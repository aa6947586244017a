// leeway attack: generates adversarial examples and measures accuracy under attack, for each model, set of
// images, attack and radius; perturbation norms where the attack searches for the nearest adversarial
// example.
//
// Several attacks of one set are joined: the worst case of each row. Checks look for signs that an attack is
// weaker than it could be.
//
// Untargeted attacks lead away from the labels, or from the model's predictions if there are none. The
// attacks are those of leeway/attack. Proportions have exact
// intervals, the median norm has that of order statistics (core/statistics.h). Statistics of norms are over
// all rows: 0 where the clean image succeeds, inf where the attack failed.
// Errors (Error): those of attack::run. Interrupted on request. Cost: a
// forward and a backward pass per step. Same bits for any number of threads.
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
#include <span>
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

// Whether an attack is as strong as it should be: Carlini et al., On evaluating adversarial robustness, 2019.
struct Check {
  std::string check;  // "probabilities", "noise", "longer", "black-box", "whole-box"
  std::string other;  // the attack that it is compared with; empty: none
  std::size_t n = 0;
  std::optional<double> withstand, withstand_other;  // shares of the rows
  std::optional<double> p;                           // of the sign test
  bool raised = false;
};

// Requests for the images of an attack.
struct AttackedEndpoint {
  std::string host, prompt;
  std::size_t requests = 0, retries = 0, prompt_tokens = 0, completion_tokens = 0;
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
  std::optional<Estimate> success_of_right;  // none: no row was right
  std::optional<NearestNorms> norms;         // of an attack of minimum norm
  std::optional<double> zero_gradient, unreliable_gradient;
  std::vector<attack::Stage> stages;  // of an ensemble
  std::optional<attack::BesideNoise> beside_noise;
  std::optional<JudgedRepeats> repeats;  // of several draws that differ
  std::optional<nn::Variation> stochastic;
  std::vector<Check> checks;
  std::optional<AttackedEndpoint> endpoint;
};

// The worst case of each row over several attacks; of the set, what a fixed radius and norms have.
struct WorstCase : AttackedSet {
  std::vector<std::string> attacks;
};

struct Attack {
  Envelope envelope = envelope_of(attack_schema);
  attack::AttackOptions options;       // of the first result, with every default; the norm is that of all
  std::vector<AttackedSet> results;    // by model, by data, by attack, by radius
  std::vector<WorstCase> worst_cases;  // by model, by data, by radius; where there are several attacks
};

void fields(Attack& record, Fields& f);

// Accuracy before and after, or how far images had to move; of several results those of the worst case, or of
// the strongest. At least one result.
[[nodiscard]] std::string headline_of(const Attack& record);
// Checks that are raised; quartiles of a single attack of minimum norm.
[[nodiscard]] std::vector<std::string> findings_of(const Attack& record);

struct AttackTask {
  attack::Target target;
  attack::AttackOptions options;
  bool checks = false;                    // also those that need further runs, on at most 100 rows
  std::filesystem::path state = {};       // empty: nothing is saved
  std::vector<std::string> made_of = {};  // what decides the classifier: digests of files
  std::function<void(std::size_t)> resumed = nullptr;  // gets the number of blocks taken over
};

// Options of leeway.attack: `attack` may name several.
struct AttacksOptions : attack::AttackOptions {
  bool checks = false;
};
void fields(AttacksOptions& options, Fields& f);

// A model, and images as rows of numbers. Both must outlive it.
class ModelUnderAttack {
 public:
  ModelUnderAttack(const nn::Model& model, const Images& images);
  ModelUnderAttack(Classifier classifier, const Images& images);
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

// One more set of a record: its result and its warnings, by the name of its file or attack.
void add_set(Attack& all, Attack one);

// The worst case of each row: a success before a failure, then the smaller norm; right_after is the least. Attacks of
// another radius do not count, and those of minimum norm succeed within it. At least one result has this eps.
[[nodiscard]] attack::AttackResult worst_of(std::span<const attack::AttackResult> found,
                                            std::optional<double> eps);

// Joins the last sets of the record: attacks on the same rows with these results, whose x may be empty.
void add_worst_cases(Attack& all, std::span<const attack::AttackResult> found);

// Checks that need no further run of the attack and, with task.checks, those that do.
[[nodiscard]] std::vector<Check> checks_of(const AttackTask& task, const attack::AttackResult& result,
                                           Progress* progress);
// Compares attacks of one radius on the same rows: those by gradients with those that use none.
void compare_kinds(std::span<AttackedSet> sets, std::span<const attack::AttackResult> found);
// Whether the attack succeeds on row i; one of minimum norm: within the radius, if there is one.
[[nodiscard]] bool breaks(const attack::AttackResult& found, std::size_t i, std::optional<double> radius);

[[nodiscard]] AttackFound attack(const AttackTask& task, Progress* progress = nullptr);

// Options, result and warnings of an attack.
[[nodiscard]] Attack record_of(const attack::AttackResult& result, const attack::Target& target);

// x in `shape`, y (or targets: the predictions, or the classes that were to be reached), success, norms.
[[nodiscard]] ArrayMap attacked_arrays(attack::AttackResult result, const std::vector<std::size_t>& shape);

[[nodiscard]] View view(const Attack& record);

}  // namespace leeway::tasks
