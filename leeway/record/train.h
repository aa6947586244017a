// The record of leeway train: a trained classifier (core/training.h). docs/schema/train.md lists the keys.
//
// The files of weights and state also hold the options and course of the training, as text of
// training_schema.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/training.h"
#include "leeway/record/envelope.h"

namespace leeway::record {

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

// All options except the parameters of the algorithm, which --set takes.
void flag_fields(TrainingOptions& options, Fields& f);
void fields(TrainingOptions& options, Fields& f);
// The options that differ from their defaults, as flags: "--batch 64 --schedule cosine".
[[nodiscard]] std::string flags_of(const TrainingOptions& options);
void fields(TrainedModel& model, Fields& f);

// Of a record that was read: its trainings have its options. Error: a best epoch that is none of the epochs.
void check(Train& record, const std::string& name);

// The functions by which a training is written beside its weights. Those of an earlier version are refused by read().
[[nodiscard]] TrainingText training_text();

// Which epoch is kept, and how often it is right on the validation images.
[[nodiscard]] std::string headline_of(const Train& record);
// What other criteria would have chosen.
[[nodiscard]] std::vector<std::string> findings_of(const Train& record);

}  // namespace leeway::record
