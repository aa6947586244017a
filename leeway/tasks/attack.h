// What leeway attack computes: images moved so that a model misjudges them, and what is left of its accuracy.
//
// Without targets the attack leads away from the labels, or from the model's own predictions where the images have none. The
// attacks are those of leeway/nn, which the session brings; nothing of LibTorch is needed here. Proportions have exact
// intervals, the median norm that of order statistics (core/statistics.h).
//
// Errors (Error): those of Session::complete and Model::attack (leeway/nn). Interrupted, where `progress` asks to stop. Cost: a
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

// The attacks that `given` names, by commas, each with every radius; without radii with its own. One that looks for the nearest
// image takes none, and beside others comes once. `complete`: that of the session, whose errors these are.
using CompleteAttack = std::function<nn::AttackOptions(const nn::AttackOptions&)>;
[[nodiscard]] std::vector<nn::AttackOptions> attacks_of(const record::AttackOptions& given,
                                                        const std::vector<double>& radii,
                                                        const CompleteAttack& complete);

// One more set of a record: its result and its warnings, by the name of its file.
void add_set(record::Attack& all, record::Attack one);

[[nodiscard]] AttackFound attack(const AttackTask& task, Progress* progress = nullptr);

// The options of nn as a record has them, and back; `targets` and `seed` are no part of them. Error: a norm or a loss that there
// is not, a parameter without a value.
[[nodiscard]] record::AttackOptions recorded(const nn::AttackOptions& options);
[[nodiscard]] nn::AttackOptions options_of(const record::AttackOptions& options);

// An .npz: x, y (or targets: the predictions, or the classes that were to be reached), success, norms.
void write_attacked(const std::filesystem::path& path, const nn::AttackResult& result);

}  // namespace leeway::tasks
