#include "leeway/nn/train/plan.h"

#include <fmt/format.h>

#include <span>

#include "leeway/core/digest.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/nn/augment/chain.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/selection.h"

namespace leeway::nn {
namespace {

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

Norm norm_of(const TrainOptions& options) {
  for (const Norm norm : {Norm::linf, Norm::l2})
    if (options.norm == name_of(norm)) return norm;
  refuse("train: norm", "linf or l2", in_quotes(options.norm));
}

Normalization normalization_of(const TrainOptions& options) {
  return {options.scale, options.mean, options.std};
}

Training planned(const data::TrainingData& data, const TrainOptions& options, int threads,
                 const std::string& torch_version) {
  Training training;
  training.options = options;
  training.options.parameters = complete_parameters(algorithm(options.algorithm), options.parameters);
  training.options.augment = augment::Chain(options.augment).text();
  training.options.validation.reset();
  if (options.validation_rows.empty()) training.options.validation = validation_share(options);
  training.options.select_shift.clear();
  if (options.selection.given())
    training.options.select_shift =
        fmt::format("{}:{}", options.selection.shift, selection_strength(options.selection));
  TrainingPlan& plan = training.plan;
  plan.seed = options.seed;
  plan.threads = static_cast<std::size_t>(threads);
  plan.torch = torch_version;
  plan.data = digest(data.images);
  if (!options.validation_rows.empty())
    plan.validation_rows = digest_bytes({std::as_bytes(std::span(options.validation_rows))});
  if (data.unlabelled) plan.unlabelled = digest(*data.unlabelled);
  if (!options.start.empty()) plan.start = digest_file(options.start);
  for (const GroupColumn& column : data.groups) plan.groups.push_back(noted(column));
  if (data.environment) plan.environment = noted(*data.environment);
  plan.keep_epochs = options.keep_epochs.string();
  return training;
}

}  // namespace leeway::nn
