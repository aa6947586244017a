// Training: what it is asked for and what comes of it (Session::train in session.h). No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/data/training_data.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// What an algorithm needs of the data, the batches and the network besides labelled images. The rows' numbers are always
// there.
struct Requirements {
  bool groups = false;               // attributes of every image
  std::size_t environments = 0;      // the environment of every image, and at least so many of them; 0: none
  std::size_t least_rows = 1;        // of each environment in every batch
  bool balanced = false;             // batches hold every group equally often
  bool features = false;             // an architecture with a last hidden layer
  bool unlabelled = false;           // images of the target
  std::size_t unlabelled_ratio = 1;  // how many of them for each labelled one
  std::vector<std::string> views = {};             // augmented versions of the labelled images, by name
  std::vector<std::string> unlabelled_views = {};  // and of the unlabelled ones

  // In words, beside labelled images: "groups", "2 environments", "unlabelled images".
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> list;
    if (groups) list.emplace_back("groups");
    if (environments > 0)
      list.push_back(std::to_string(environments) + (environments == 1 ? " environment" : " environments"));
    if (unlabelled) list.emplace_back("unlabelled images");
    if (features) list.emplace_back("a last hidden layer");
    return list;
  }
};

// Which epoch's weights are kept, where neither accuracy is to decide. After every epoch the validation images and
// their shifted version pass through the network, and `score` says how good it is: the highest wins, the earliest of
// equal ones. This folder knows no scores: the program brings one.
struct Selection {
  std::string name;  // of the score, for the record: "pa"; empty: accuracy decides
  std::function<double(const Outputs& clean, const Outputs& shifted)> score;  // labels among the outputs
  std::string shift;                    // a member of leeway/shift that changes pixels
  std::optional<double> strength = {};  // default: the member's

  [[nodiscard]] bool given() const { return !name.empty(); }
};

struct TrainOptions {
  std::string architecture = "small-cnn";
  std::string algorithm = "erm";
  std::map<std::string, double> parameters;  // of the algorithm, by name; those not named have its defaults
  Norm norm = Norm::linf;                    // of an adversarial algorithm's perturbations
  std::size_t epochs = 10;
  std::size_t batch = 128;      // a last row alone joins the batch before it
  double learning_rate = 1e-3;  // Adam, betas .9 and .999
  double weight_decay = 0;      // decoupled (AdamW)
  double validation = .1;       // share of rows held out, drawn by the seed; 0: none, the last epoch wins
  std::vector<std::size_t> validation_rows;  // hold out these rows instead; none: a share
  std::size_t patience = 5;  // epochs without a better validation score before stopping; 0: never
  std::size_t classes = 0;   // 0: 1 + the largest label
  Normalization normalization;
  bool worst_group = false;     // the accuracy of the worst group chooses the epoch; needs groups
  std::filesystem::path start;  // safetensors weights to start from instead of random ones
  std::uint64_t seed = 0;
  Selection selection;
  std::filesystem::path
      keep_epochs;     // folder for the weights of each epoch, epoch-001.safetensors, ...; empty: none
  bool reuse = false;  // where `out` was made with these very options and data, load it instead
  std::string device = "cpu";
};

struct Epoch {
  std::size_t number = 0;         // from 1
  double loss = 0, accuracy = 0;  // over the epoch's batches, as trained (adversarial images included)
  std::optional<double> validation_accuracy = {};
  std::optional<double>
      validation_robust_accuracy;              // under the algorithm's own attack; then this is the score
  std::optional<double> selection_score = {};  // TrainOptions::selection's, which then decides
  std::optional<double> validation_shifted_accuracy = {};  // on its shifted images
  // Share of rows that adversarial training could not move, their gradient being exactly 0
  std::optional<double> zero_gradient = {};
  // Of data with groups: the lowest accuracy of a group (its label and attributes together) of the validation images
  std::optional<double> validation_worst_group_accuracy = {};
  std::map<std::string, double> parts =
      {};  // what the algorithm says of its steps: means over the epoch's rows
  double seconds = 0;
};

struct TrainResult {
  std::shared_ptr<Model> model;  // the best epoch's weights
  std::vector<Epoch> epochs;     // those before a resume included
  std::size_t best_epoch = 0;
  // What each criterion would have chosen among these epochs; 0: there is no such criterion. One of them is
  // best_epoch.
  std::size_t best_by_score = 0, best_by_accuracy = 0, best_by_worst_group = 0;
  bool stopped_early = false;
  std::size_t resumed_after = 0;  // epochs taken over from an interrupted run
  bool reused = false;
  std::size_t n_train = 0, n_validation = 0;
  int threads = 0;     // LibTorch's, on which the bits depend
  std::string record;  // what is saved with the weights: options, data digest, epochs, versions (JSON)
  std::vector<std::string> notes;  // one line each: continued from ..., started anew because ...
};

}  // namespace leeway::nn
