// Options and results of training (Session::train in session.h). No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/training.h"
#include "leeway/data/training_data.h"
#include "leeway/io/outputs.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// What an algorithm needs besides labelled images and row numbers.
struct Requirements {
  bool groups = false;               // attributes of every image
  std::size_t environments = 0;      // the environment of every image, and at least so many of them; 0: none
  std::size_t least_rows = 1;        // of each environment in every batch
  bool balanced = false;             // batches hold every group equally often; without groups every class
  bool features = false;             // an architecture with a last hidden layer
  bool unlabelled = false;           // images of the target
  std::size_t unlabelled_ratio = 1;  // how many of them for each labelled one
  std::string augment = {};  // the chain for labelled images where TrainingOptions::augment names none
  std::vector<std::string> views = {};             // augmented versions of the labelled images, by name
  std::vector<std::string> unlabelled_views = {};  // and of the unlabelled ones
  bool stages = false;                             // an architecture of stages (Network::stages)
  bool own_labels = false;      // rows keep their label, so that no augmentation may mix images
  bool unbalanced = false;      // environments need not be equally often in a batch, nor all of them
  std::size_t least_batch = 1;  // rows of every batch

  // As text: "groups", "2 environments", "unlabelled images".
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> list;
    if (groups) list.emplace_back("groups");
    if (environments > 0)
      list.push_back(std::to_string(environments) + (environments == 1 ? " environment" : " environments"));
    if (unlabelled) list.emplace_back("unlabelled images");
    if (features) list.emplace_back("a last hidden layer");
    if (stages) list.emplace_back("a network of stages");
    return list;
  }
};

// Selects the epoch with the highest `score` of the outputs on the validation images and on their shifted
// version (TrainingData::shifted, or else the shift); ties go to the earliest. The caller supplies the score.
struct Selection {
  std::function<double(const Outputs& clean, const Outputs& shifted)> score;  // labels among the outputs
  std::string shift;  // a member of leeway/shift that changes pixels; empty: TrainingData::shifted
  std::optional<double> strength = {};  // default: the member's

  [[nodiscard]] bool given() const { return static_cast<bool>(score); }
};

struct TrainOptions : TrainingOptions {  // select_shift is not looked at: the selection says it
  Selection selection = {};
  std::vector<std::size_t> validation_rows = {};  // hold out these rows instead of a share
  std::filesystem::path start = {};               // named tensors to start from instead of random ones
  // Folder for the weights of each epoch, epoch-001.safetensors, ...; empty: none
  std::filesystem::path keep_epochs = {};
  std::uint64_t seed = 0;
  std::string device = "cpu";
  // Writes the training metadata and the state; without it only weights are saved
  TrainingText text = {};
  bool reuse = false;  // where `out` was made with these very options and data, load it instead
};

struct TrainResult : Training {
  std::shared_ptr<Model> model = {};  // the best epoch's weights
  std::size_t resumed_after = 0;      // epochs taken over from an interrupted run
  bool reused = false;
  std::vector<std::string> notes = {};  // one line each: continued from ..., started anew because ...
};

}  // namespace leeway::nn
