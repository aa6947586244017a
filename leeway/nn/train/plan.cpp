#include "leeway/nn/train/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/augment/chain.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/optimizer.h"
#include "leeway/nn/train/selection.h"

namespace leeway::nn {
namespace {

constexpr std::size_t plan_most_classes = 100'000;  // of labels alone, unless there are more images

std::string digest(const Images& images) {
  std::span<const std::int64_t> labels;
  if (images.labels) labels = *images.labels;
  return digest_bytes({std::as_bytes(images.pixels.bytes()), std::as_bytes(labels)});
}

TrainingPlan::Column noted(const GroupColumn& column) {
  std::string levels;
  for (const std::string& level : column.levels) levels.append(level.c_str(), level.size() + 1);
  return {column.name,
          digest_bytes({std::as_bytes(std::span(levels)), std::as_bytes(std::span(column.codes))})};
}

}  // namespace

double validation_share(const TrainOptions& options) {
  return options.validation_rows.empty() ? options.validation.value_or(default_validation) : 0;
}

attack::Norm norm_of(const TrainOptions& options) {
  for (const attack::Norm norm : {attack::Norm::linf, attack::Norm::l2})
    if (options.norm == name_of(norm)) return norm;
  refuse("train: norm", "linf or l2", in_quotes(options.norm));
}

std::string augmentation_of(const TrainOptions& options, const Requirements& needs) {
  if (options.augment == "none") return {};
  return options.augment.empty() ? needs.augment : options.augment;
}

Normalization normalization_of(const TrainOptions& options) { return {1, options.mean, options.std}; }

int training_threads() {
  omp_set_dynamic(0);
  return omp_get_max_active_levels() > 0 ? std::min(threads(), omp_get_thread_limit()) : 1;
}

Training planned(const data::TrainingData& data, const TrainOptions& options) {
  Training training;
  training.options = options;
  const AlgorithmMember& member = algorithm(options.algorithm);
  training.options.parameters = complete_parameters(member, options.parameters);
  const Requirements needs = member.needs(training.options.parameters);
  training.options.augment = augment::Chain(augmentation_of(options, needs)).text();
  if (training.options.augment.empty() && !needs.augment.empty()) training.options.augment = "none";
  training.options.validation.reset();
  if (options.validation_rows.empty()) training.options.validation = validation_share(options);
  training.options.select_shift.clear();
  if (options.selection.given() && !data.shifted)
    training.options.select_shift =
        fmt::format("{}:{}", options.selection.shift, selection_strength(options.selection));
  TrainingPlan& plan = training.plan;
  plan.seed = options.seed;
  plan.threads = static_cast<std::size_t>(training_threads());
  plan.torch = TORCH_VERSION;
  plan.data = digest(data.images);
  if (!options.validation_rows.empty())
    plan.validation_rows = digest_bytes({std::as_bytes(std::span(options.validation_rows))});
  if (data.unlabelled) plan.unlabelled = digest(*data.unlabelled);
  if (data.test) plan.test = digest(*data.test);
  if (options.selection.given() && data.shifted) plan.shifted = digest(*data.shifted);
  if (!options.start.empty()) plan.start = digest_file(options.start);
  for (const GroupColumn& column : data.groups) plan.groups.push_back(noted(column));
  if (data.environment) plan.environment = noted(*data.environment);
  plan.keep_epochs = options.keep_epochs.string();
  return training;
}

std::vector<std::string> trained_class_names(const Images& images, std::size_t classes) {
  std::vector<std::string> names = images.class_names;
  if (names.empty()) return names;
  for (std::size_t j = names.size(); j < classes; ++j) names.push_back(fmt::format("class {}", j));
  names.resize(classes);
  return names;
}

void check_training(const data::TrainingData& data, const TrainOptions& options) {
  const Images& images = data.images;
  const std::string name = images.path.empty() ? "images" : display_name(images.path);
  const auto range = [](const char* what, bool legal, const char* expected, double found) {
    if (!legal) refuse(fmt::format("train: {}", what), expected, fmt::format("{}", found));
  };
  range("epochs", options.epochs >= 1, "at least 1", 0);
  range("batch", options.batch >= 1, "at least 1", 0);
  const auto word = [](const char* what, const std::string& found, std::initializer_list<const char*> legal) {
    if (std::ranges::find(legal, found) == legal.end())
      refuse(fmt::format("train: {}", what), fmt::format("one of {}", fmt::join(legal, ", ")),
             in_quotes(found));
  };
  word("last batch", options.last_batch, {"join", "drop"});
  word("balance", options.balance, {"auto", "environment", "groups", "none"});
  range("learning rate", options.learning_rate > 0 && std::isfinite(options.learning_rate),
        "a positive number", options.learning_rate);
  range("momentum", options.momentum >= 0 && options.momentum < 1, "from 0 to less than 1", options.momentum);
  range("weight decay", options.weight_decay >= 0 && std::isfinite(options.weight_decay), "at least 0",
        options.weight_decay);
  const double share = validation_share(options);
  range("validation", share >= 0 && share < 1, "a share from 0 to less than 1", share);
  for (const std::size_t row : options.validation_rows)
    if (row >= images.n())
      refuse("train: validation rows", fmt::format("rows below {}", images.n()), std::to_string(row));
  (void)device_from_name(options.device);
  (void)Schedule(options.schedule);
  (void)norm_of(options);
  check_normalization(normalization_of(options), "train: normalization", images.channels());
  check_selection(data, options);
  check_pixels(images);
  if (data.unlabelled) check_pixels(*data.unlabelled);
  if (data.shifted) check_pixels(*data.shifted);
  for (const Images* const one :
       {&images, data.unlabelled ? &*data.unlabelled : nullptr, data.test ? &*data.test : nullptr})
    if (one && options.crop > std::min(one->height(), one->width()))
      refuse("train: crop",
             fmt::format("at most {} pixels, as {}", std::min(one->height(), one->width()),
                         one->path.empty() ? "the images have" : display_name(one->path) + " has"),
             std::to_string(options.crop));
  if (data.test) {
    check_pixels(*data.test);
    if (!data.test->labels || data.test->labels->size() != data.test->n() || data.test->n() == 0)
      refuse("test images", "a label for each", "none");
  }
  if (!images.labels) refuse(name, "labels to train on", "none");
  if (images.labels->size() != images.n())
    refuse(name, fmt::format("{} labels", images.n()), std::to_string(images.labels->size()));
  // what is no number of a class is no reason to ask for terabytes
  const std::size_t classes = options.classes > 0 ? options.classes : std::max(plan_most_classes, images.n());
  for (std::size_t i = 0; i < images.n(); ++i) {
    const std::int64_t label = images.labels->at(i);
    if (label >= 0 && static_cast<std::uint64_t>(label) < classes) continue;
    const std::string expected =
        label < 0             ? "labels from 0"
        : options.classes > 0 ? fmt::format("labels below {}", classes)
                              : fmt::format("labels below {}, or the number of classes (--classes)", classes);
    refuse(name, expected, fmt::format("{} at row {}", label, i));
  }
  const auto [least, most] = std::ranges::minmax(*images.labels);
  if (least > 0 && options.classes == 0 && images.class_names.empty())
    refuse(name,
           fmt::format("a label 0, because labels count from 0 (subtract 1; --classes {} keeps the numbers)",
                       most + 1),
           fmt::format("labels {} to {}", least, most));
}

}  // namespace leeway::nn
