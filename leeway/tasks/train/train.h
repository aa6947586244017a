// leeway train: trains an image classifier by an algorithm of leeway/nn (core/training.h), which the session
// brings; this code does not need LibTorch. Writes the weights as safetensors; they and the state also hold
// options and course of the training, as text of training_schema. Keys: leeway schema train.
// Errors (Error): those of selection_of, of opening the data, and of Session::train (nn/session.h).
// Interrupted on request: OUT.state holds the last finished epoch; the same task resumes to the same bits.
// Cost: a forward and a backward pass of every image an epoch, plus the algorithm's. Same bits for a given
// seed and number of threads (recorded).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/core/training.h"
#include "leeway/data/training_data.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/nn/session.h"
#include "leeway/nn/train.h"

namespace leeway {

// All options except the parameters of the algorithm, which --set takes.
void flag_fields(TrainingOptions& options, Fields& f);
void fields(TrainingOptions& options, Fields& f);

}  // namespace leeway

namespace leeway::tasks {

inline constexpr std::string_view train_schema = "leeway.train/3", training_schema = "leeway.training/3";

struct TrainedModel {
  std::string out;                // the file of the weights
  std::size_t weights = 0;        // how many
  std::size_t resumed_after = 0;  // epochs taken over from an earlier run that stopped
  bool reused = false;            // the weights were made already
  Training training;              // its options are those of the record
};

// The options have every default filled in.
using Train = RecordOf<train_schema, TrainingOptions, TrainedModel>;

// The options that differ from their defaults, as flags: "--batch 64 --schedule cosine".
[[nodiscard]] std::string flags_of(const TrainingOptions& options);
void fields(TrainedModel& model, Fields& f);

// Of a record that was read: its trainings have its options. Error: a best epoch that is none of the epochs.
void check(Train& record, const std::string& name);

// The functions by which a training is written beside its weights. Those of an earlier version are refused by read().
[[nodiscard]] TrainingText training_text();

// Which epoch is kept, and how often it is right on the validation images.
[[nodiscard]] std::string headline_of(const Train& record);
// What other criteria would have chosen; group weights that hardly moved; the accuracy on the test images, and of the epoch that is best on them.
[[nodiscard]] std::vector<std::string> findings_of(const Train& record);

struct TrainingRows {
  data::TrainingData data;
  std::vector<std::size_t> validation;  // rows of it that choose the epoch; none: a share of them
};

struct TrainTask {
  const nn::Session& session;
  TrainingRows rows;
  std::filesystem::path out;  // .safetensors
  TrainingOptions options = {};
  std::filesystem::path start = {};        // weights to start from; empty: random ones
  std::filesystem::path keep_epochs = {};  // folder for the weights of every epoch; empty: none
  std::uint64_t seed = 0;
  std::string device = "cpu";
  bool reuse = false;  // where `out` was made by this very task, load it instead
};

[[nodiscard]] Train train(const TrainTask& task, Progress* progress = nullptr);

// How published work trained: presets of options, a family. What a paper does not state stays as it is.
struct Protocol : Member {
  void (*set)(TrainingOptions& options) = nullptr;
};
[[nodiscard]] std::span<const Protocol> protocols();

// The split's train rows, then its val rows, which choose the epoch. With `test`, its test rows are measured
// after every epoch and choose nothing; else they are left out. Error (named `name`): no train or test rows.
[[nodiscard]] TrainingRows rows_of_split(const data::TrainingData& data, const data::RowSplit& split,
                                         const std::string& name, bool test = false);

// The options' choice of the epoch; without a score if select_shift is empty and there is no second sample
// (`paired`). Errors (Error): pa with neither; both; a shift that is unknown, selects rows, or has a strength
// out of range.
[[nodiscard]] nn::Selection selection_of(const TrainingOptions& options, bool paired = false);

[[nodiscard]] View view(const Train& record);

}  // namespace leeway::tasks
