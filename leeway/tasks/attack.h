// Generates adversarial examples and measures accuracy under attack.
//
// Untargeted attacks lead away from the labels, or from the model's predictions if there are none. The
// session brings the attacks of leeway/nn; this code does not need LibTorch. Proportions have exact
// intervals, the median norm has that of order statistics (core/statistics.h).
// Errors (Error): those of Session::complete and Model::attack (leeway/nn). Interrupted on request. Cost: a
// forward and a backward pass a step. Same bits for any number of threads.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/nn/model.h"
#include "leeway/record/attack.h"

namespace leeway::tasks {

struct AttackTask {
  const nn::Model& model;
  const Images& images;
  nn::AttackOptions options;
};

struct AttackFound {
  record::Attack record;  // without what the caller knows: command, inputs, the files' names, `stochastic`
  nn::AttackResult result;
};

// The comma-separated attacks of `given`, each with every radius, or with its default radius if there are
// none. Attacks for the nearest image have no radius and appear once. `complete`: the session's, with its
// errors.
using CompleteAttack = std::function<nn::AttackOptions(const nn::AttackOptions&)>;
[[nodiscard]] std::vector<nn::AttackOptions> attacks_of(const record::AttackOptions& given,
                                                        const std::vector<double>& radii,
                                                        const CompleteAttack& complete);

// One more set of a record: its result and its warnings, by the name of its file.
void add_set(record::Attack& all, record::Attack one);

[[nodiscard]] AttackFound attack(const AttackTask& task, Progress* progress = nullptr);

// Options of nn and of the record, without `targets`, `seed`. Error: an unknown norm or loss, a parameter
// without a value.
[[nodiscard]] record::AttackOptions recorded(const nn::AttackOptions& options);
[[nodiscard]] nn::AttackOptions options_of(const record::AttackOptions& options);

// An .npz: x, y (or targets: the predictions, or the classes that were to be reached), success, norms.
void write_attacked(const std::filesystem::path& path, const nn::AttackResult& result);

}  // namespace leeway::tasks
