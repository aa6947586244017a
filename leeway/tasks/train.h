// What leeway train computes: a classifier of images, trained by one of the algorithms of leeway/nn, which the session
// brings; nothing of LibTorch is needed here. The weights are written as safetensors, and how they were trained with them.
//
// The epoch is chosen by validation accuracy, under the algorithm's own attack where it has one; by that of the worst group;
// or by posterior agreement (agreement/agreement.h) of the validation images with their version under `select_shift`.
//
// Errors (Error): those of selection_of, of what opens the data, and of Session::train (nn/session.h). Interrupted, where
// `progress` asks to stop: OUT.state then holds the last finished epoch, and the same task goes on from there to the same bits.
// Cost: a forward and a backward pass of every image an epoch, and what the algorithm adds. Determinism: the same bits for a
// given seed and number of threads, which the record names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/data/split.h"
#include "leeway/data/training_data.h"
#include "leeway/nn/session.h"
#include "leeway/nn/train.h"
#include "leeway/record/train.h"

namespace leeway::tasks {

struct TrainingRows {
  data::TrainingData data;
  std::vector<std::size_t> validation;  // rows of it that choose the epoch; none: a share of them
};

struct TrainTask {
  const nn::Session& session;
  std::function<TrainingRows()> open;
  std::filesystem::path out;  // .safetensors
  TrainingOptions options = {};
  std::filesystem::path start = {};        // weights to start from; empty: random ones
  std::filesystem::path keep_epochs = {};  // folder for the weights of every epoch; empty: none
  std::uint64_t seed = 0;
  std::string device = "cpu";
  bool reuse = false;  // where `out` was made by this very task, load it instead
};

struct TrainFound {
  record::Train record;  // without `command` and `inputs`, which the caller knows
  std::shared_ptr<nn::Model> model;
};

[[nodiscard]] TrainFound train(const TrainTask& task, Progress* progress = nullptr);

// How published work trained: presets of options, a family. What a paper does not state stays as it is.
struct Protocol : Member {
  void (*set)(TrainingOptions& options) = nullptr;
};
[[nodiscard]] std::span<const Protocol> protocols();

// The rows that a split calls train, and after them those that it calls val, which then choose the epoch. With `test` those
// that it calls test are measured after every epoch and choose nothing; otherwise they are left out. Error (named `name`): no
// rows of train, or none of test.
[[nodiscard]] TrainingRows rows_of_split(const data::TrainingData& data, const data::RowSplit& split,
                                         const std::string& name, bool test = false);

// How the options choose the epoch, for the model part; without a score where there is no select_shift. Errors (Error): pa
// without it; a shift that there is not, that selects rows, or whose strength is out of range.
[[nodiscard]] nn::Selection selection_of(const TrainingOptions& options);

}  // namespace leeway::tasks
