// Records of trainings and attacks for tests; numbers made up.
#pragma once

#include <cmath>
#include <string>

#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/train/train.h"

namespace leeway::tasks::test {

// Adversarial training on data with groups, chosen by agreement.
inline Train two_epochs() {
  Train record;
  record.envelope.instruction_set = "baseline";
  record.options.algorithm = "pgd";
  record.options.parameters = {{"eps", .1}, {"steps", 7}};
  record.options.validation = .1;
  record.options.select = "pa";
  record.options.select_shift = "gaussian-noise:0.2";
  record.options.mean = {.5};
  TrainedModel model{"m.safetensors", 1234, 1, false, {}};
  Training& training = model.training;
  training.options = record.options;
  training.plan.seed = 3, training.plan.threads = 2, training.plan.torch = "1.13.1";
  training.plan.data = "ab", training.plan.groups = {{"colour", "cd"}};
  for (const double right : {.5, .8}) {
    Epoch epoch;
    epoch.number = training.epochs.size() + 1;
    epoch.steps = 45 * epoch.number;
    epoch.loss = 1 - right;
    epoch.accuracy = right;
    epoch.accuracy_interval = {right - .01, right + .01};
    epoch.validation_accuracy = right - .1;
    epoch.validation_accuracy_interval = {right - .14, right - .06};
    epoch.validation_robust_accuracy = right - .2;
    epoch.validation_robust_accuracy_interval = {right - .24, right - .16};
    epoch.selection_score = -right;
    epoch.parts = {{"penalty", 2}};
    epoch.seconds = 1.5;
    training.epochs.push_back(epoch);
  }
  training.best_epoch = 1;
  training.best_by_score = 1, training.best_by_accuracy = 2, training.best_by_worst_group = 2;
  training.n_train = 5400, training.n_validation = 600;
  record.results = {model};
  return record;
}

// Within a radius, and of minimum norm.
inline Attack within_a_radius(const std::string& target) {
  Attack record;
  record.envelope.command = {"leeway", "attack"};
  record.envelope.instruction_set = "baseline";
  record.options = {"pgd", attack::Norm::linf, 8. / 255, attack::Loss::margin, {{"steps", 20.}}};
  AttackedSet set;
  set.model = "m.safetensors", set.data = "d.npz", set.out = "o.npz", set.target = target;
  set.attack = "pgd", set.eps = 8. / 255, set.parameters = {{"steps", 20.}};
  set.n = 1000;
  set.clean_accuracy = .9, set.clean_accuracy_interval = {.88, .92};
  set.robust_accuracy = .3, set.robust_accuracy_interval = {.27, .33};
  set.success = .7, set.success_interval = {.67, .73};
  set.success_of_right = Estimate{.667, {.63, .7}};
  set.zero_gradient = .02;
  set.beside_noise = attack::BesideNoise{.4, .5};
  set.stochastic = nn::Variation{16, .5, 2, true};
  record.results = {set};
  return record;
}

inline Attack of_minimum_norm() {
  Attack record = within_a_radius("label");
  record.options = {"fmn", attack::Norm::l0, {}, attack::Loss::difference, {{"gamma", .05}}};
  record.results[0].attack = "fmn", record.results[0].eps.reset();
  record.results[0].norms =
      NearestNorms{12, {11, 14}, 5, HUGE_VAL, {{0, .9, {.88, .92}}, {40, .3, {.27, .33}}}};
  record.results[0].checks = {{"whole-box", "", 100, {}, .2, {}, true}, {"noise", "noise", 100, .3, .8, 1.}};
  return record;
}

}  // namespace leeway::tasks::test
