// Trains an image classifier by an algorithm of leeway/nn, which the session brings; this code does not need
// LibTorch. Writes the weights as safetensors, with the training options.
// Errors (Error): those of selection_of, of opening the data, and of Session::train (nn/session.h).
// Interrupted on request: OUT.state holds the last finished epoch; the same task resumes to the same bits.
// Cost: a forward and a backward pass of every image an epoch, plus the algorithm's. Same bits for a given
// seed and number of threads (recorded).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
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

// The split's train rows, then its val rows, which choose the epoch. With `test`, its test rows are measured
// after every epoch and choose nothing; else they are left out. Error (named `name`): no train or test rows.
[[nodiscard]] TrainingRows rows_of_split(const data::TrainingData& data, const data::RowSplit& split,
                                         const std::string& name, bool test = false);

// The options' choice of the epoch; without a score if select_shift is empty. Errors (Error): pa without it;
// a shift that is unknown, selects rows, or has a strength out of range.
[[nodiscard]] nn::Selection selection_of(const TrainingOptions& options);

}  // namespace leeway::tasks
