// Short trainings that several tests run.
#pragma once

#include <filesystem>
#include <string>

#include "leeway/nn/train.h"
#include "leeway/tasks/train/train.h"
#include "tests/nn/toy.h"

namespace leeway::nn {

inline TrainOptions quick(const std::string& algorithm_name = "erm") {
  TrainOptions options;
  options.algorithm = algorithm_name, options.epochs = 4, options.batch = 32;
  options.learning_rate = 5e-3, options.validation = .2, options.text = tasks::training_text();
  if (algorithm_name == "pgd") options.parameters = {{"eps", .05}, {"steps", 2}};
  if (algorithm_name == "ada" || algorithm_name == "me-ada")
    options.parameters = {{"every-epochs", 2}, {"steps", 3}};
  if (algorithm_name == "bpa") options.parameters = {{"clusters", 2}, {"refresh", 2}, {"base-epochs", 2}};
  if (algorithm_name == "mmd" || algorithm_name == "causirl-mmd") options.parameters = {{"weight", .1}};
  if (algorithm_name == "irm") options.parameters = {{"lambda", 2}, {"anneal-steps", 7}};
  if (algorithm_name == "dann" || algorithm_name == "cdan")
    options.parameters = {{"discriminator-width", 16}, {"weight", .3}};
  if (algorithm_name == "sagnet") options.architecture = "resnet20-cifar";
  if (algorithm_name == "occamnets") options.architecture = "resnet20-cifar";
  if (algorithm_name == "ubnet") options.parameters = {{"base-epochs", 2}};
  if (algorithm_name == "pnd") options.parameters = {{"base-epochs", 2}};
  if (algorithm_name == "augmix-jsd") options.parameters = {{"jsd-weight", 1}};
  if (algorithm_name == "mixup") options.parameters = {{"alpha", .2}};
  // a mirrored square is another class, so what FixMatch learns from views must not weigh much
  if (algorithm_name == "fixmatch")
    options.parameters = {{"weight", .1}, {"confidence", .6}, {"averaging", .5}, {"ratio", 2}},
    options.augment = "none";
  return options;
}

// Of all rows: none is held out.
inline TrainOptions in_batches(std::size_t batch = TrainOptions().batch) {
  TrainOptions options;
  options.batch = batch, options.validation = 0;
  return options;
}

inline Training training_of(const std::filesystem::path& path) {
  return tasks::training_text().read(toy::loaded(path)->info().training, path.string());
}

// toy::squares with all that any algorithm asks for.
inline data::TrainingData squares_of_two_cameras(std::size_t n) {
  data::TrainingData data(toy::squares(n, 4));
  GroupColumn colour{"colour", {"blue", "red"}, {}}, camera{"camera", {"a", "b"}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    colour.codes.push_back(i % 3 == 0);
    camera.codes.push_back(i % 5 < 2);
  }
  data.groups = {colour}, data.environment = camera;
  data.unlabelled = toy::squares(50, 4, 51);
  data.unlabelled->labels.reset();
  return data;
}

// Asks to stop when so many batches are done; what is made between epochs does not count.
class StopAfter : public Progress {
 public:
  explicit StopAfter(std::size_t batches) : batches_(batches) {}
  void update(std::string_view task, std::size_t done, std::size_t, std::string_view) override {
    if (task != "adversarial images" && task != "features") done_ = done;
  }
  [[nodiscard]] bool stop_requested() const override { return done_ >= batches_; }

 private:
  std::size_t batches_, done_ = 0;
};

}  // namespace leeway::nn
