// A training run of a classifier as plain values: its options, what else the bits of its weights depend on,
// and the results of every epoch. leeway/nn/train.h trains, leeway/tasks/train/train.h describes these
// structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"

namespace leeway {

inline constexpr double default_validation = .1;

struct TrainingOptions {
  std::string architecture = "small-cnn";
  std::string algorithm = "erm";
  std::map<std::string, double> parameters;  // of the algorithm, by name; those not named have its defaults
  std::string norm = "linf";                 // of an adversarial algorithm's perturbations: linf or l2
  // The network takes windows of so many pixels a side: of images to train on at a random place, of others the middle; 0: all
  std::size_t crop = 0;
  std::string augment;  // a chain of augmentations; empty: none
  std::size_t epochs = 10;
  std::size_t steps = 0;        // at most so many in place of epochs; 0: by epochs
  std::size_t check_every = 0;  // validate after so many steps; 0: after every epoch
  std::size_t batch = 128;
  // The last batch of an epoch. "join": a single row joins the batch before it; "drop": an incomplete batch is left out,
  // unless it is the only one
  std::string last_batch = "join";
  // What every batch holds equally often. "auto": as the algorithm requires; "environment": rows of each environment;
  // "groups": rows of each group; "none": nothing. A first stage always has "auto"
  std::string balance = "auto";
  std::string optimizer = "adam";  // Adam, betas .9 and .999; sgd; or nesterov, sgd with Nesterov momentum
  double learning_rate = 1e-3;
  // "decoupled" (AdamW) or "coupled": added to the gradient, as sgd has it in any case
  std::string decay = "decoupled";
  double weight_decay = 0;
  double momentum = .9;               // of sgd and nesterov
  std::string schedule = "constant";  // of the learning rate
  std::string batchnorm = "train";    // or "frozen": by running statistics, which stay as they are
  std::string freeze = "none";        // or "backbone": only the last layer learns
  // Share of rows held out, drawn by the seed; 0: none, the last epoch wins. Unset: default_validation, or none where rows
  // are named
  std::optional<double> validation = {};
  std::size_t patience = 5;  // validations without a better score before stopping; 0: never
  // What chooses the epoch: "accuracy"; "worst-group", the accuracy of the worst group; "last", nothing; or the name of a score of outputs on
  // the validation images and on their shifted version
  std::string select = "accuracy";
  std::string
      select_shift;  // of such a score: NAME:STRENGTH; without `select` it is told, and does not choose
  std::size_t classes = 0;  // 0: 1 + the largest label
  // The network takes (x - mean) / std of pixels x in [0,1]: one number a channel, or empty: 0 and 1
  std::vector<double> mean, std;

  bool operator==(const TrainingOptions&) const = default;
};

// What else the bits of the weights depend on; digests are XXH3-128, empty where there is nothing to digest.
struct TrainingPlan {
  struct Column {
    std::string name, digest;  // of its levels and codes
  };
  std::uint64_t seed = 0;
  std::size_t threads = 0;      // LibTorch's
  std::string torch;            // version of LibTorch
  std::string data;             // images and labels
  std::string validation_rows;  // their numbers, where rows are named
  std::string unlabelled, start;
  std::string test;  // images and labels that are measured and choose nothing
  std::vector<Column> groups;
  std::optional<Column> environment;
  std::string keep_epochs;                  // folder of every epoch's weights; empty: not kept
  std::optional<std::string> shifted = {};  // second sample of the validation rows
};

// What passed between two validations: an epoch, or TrainingOptions::check_every steps. Proportions have exact 95% intervals,
// which take the rows for a sample (that of the worst group its own rows).
struct Epoch {
  std::size_t number = 0;  // from 1
  std::size_t steps = 0;   // since the beginning
  double loss = 0;
  double accuracy = 0;  // over the epoch's batches, as trained (adversarial images included)
  Interval accuracy_interval;
  std::optional<double> validation_accuracy = {};
  std::optional<Interval> validation_accuracy_interval = {};
  // Under the algorithm's own attack; then this is the score
  std::optional<double> validation_robust_accuracy = {};
  std::optional<Interval> validation_robust_accuracy_interval = {};
  // Of data with groups: the lowest accuracy of a group (its label and attributes together) of the validation images
  std::optional<double> validation_worst_group_accuracy = {};
  std::optional<Interval> validation_worst_group_accuracy_interval = {};
  // On the shifted validation images of a score, which then decides
  std::optional<double> validation_shifted_accuracy = {};
  std::optional<Interval> validation_shifted_accuracy_interval = {};
  std::optional<double> selection_score = {};
  // On test images, which choose nothing
  std::optional<double> test_accuracy = {};
  std::optional<Interval> test_accuracy_interval = {};
  // Share of rows that adversarial training could not move, their gradient being exactly 0
  std::optional<double> zero_gradient = {};
  std::map<std::string, double> parts = {};  // what the algorithm says of its steps: means over rows
  double seconds = 0;                        // NaN: not noted
};

// The model that an algorithm of two stages began with.
struct BaseTraining {
  std::string algorithm;
  std::size_t epochs = 0, best_epoch = 0;
  std::optional<double> validation_accuracy = {};
  std::optional<Interval> validation_accuracy_interval = {};
};

struct Training {
  TrainingOptions options;  // with every default filled in
  TrainingPlan plan;
  std::vector<std::string> class_names = {};  // empty, or one a class
  std::optional<BaseTraining> base = {};
  std::vector<Epoch> epochs;   // those before a resume included
  std::size_t best_epoch = 0;  // whose weights are kept
  // What each criterion would have chosen among these epochs, where there is such a criterion. One of them is best_epoch;
  // best_by_test is no criterion: nobody has the test images of a target to choose by.
  std::optional<std::size_t> best_by_score = {}, best_by_accuracy = {}, best_by_worst_group = {},
                             best_by_test = {};
  bool stopped_early = false;
  std::size_t n_train = 0, n_validation = 0;
  std::optional<std::size_t> n_test = {};
};

// How a training is written down beside its weights, and read back. What trains knows no records, so a program brings these
// functions (tasks::training_text).
struct TrainingText {
  std::function<std::string(const Training&)> write;
  // Error, whose message begins with `name`, where the text is none that write() gave.
  std::function<Training(const std::string& text, const std::string& name)> read;
  // Where options and plans differ: "batch 32, now 64; seed 0, now 5"; empty: both end in the same bits.
  std::function<std::string(const Training& before, const Training& now)> differences;

  [[nodiscard]] bool given() const { return write && read && differences; }
};

}  // namespace leeway
