#include "leeway/nn/train/record.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "leeway/core/file.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/selection.h"

namespace leeway::nn {
namespace {

std::string digest(const Images& images) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, images.pixels.bytes().data(), images.pixels.bytes().size());
  if (images.labels)
    XXH3_128bits_update(state, images.labels->data(), images.labels->size() * sizeof(std::int64_t));
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Json column_to_json(const GroupColumn& column) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const std::string& level : column.levels) XXH3_128bits_update(state, level.c_str(), level.size() + 1);
  XXH3_128bits_update(state, column.codes.data(), column.codes.size() * sizeof(std::int32_t));
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return {{"name", column.name}, {"digest", fmt::format("{:016x}{:016x}", hash.high64, hash.low64)}};
}

// null: none were named.
Json digest(const std::vector<std::size_t>& rows) {
  if (rows.empty()) return nullptr;
  const XXH128_hash_t hash = XXH3_128bits(rows.data(), rows.size() * sizeof(std::size_t));
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Json selection_to_json(const Selection& selection) {
  if (!selection.given()) return nullptr;
  return {{"score", selection.name}, {"shift", selection.shift}, {"strength", selection_strength(selection)}};
}

}  // namespace

Json training_plan(const data::TrainingData& data, const TrainOptions& options, int threads,
                   const std::string& torch_version) {
  Json groups = Json::array();
  for (const GroupColumn& column : data.groups) groups.push_back(column_to_json(column));
  return {{"architecture", options.architecture},
          {"algorithm", options.algorithm},
          {"parameters", complete_parameters(algorithm(options.algorithm), options.parameters)},
          {"norm", name_of(options.norm)},
          {"epochs", options.epochs},
          {"batch", options.batch},
          {"learning_rate", options.learning_rate},
          {"weight_decay", options.weight_decay},
          {"validation", options.validation_rows.empty() ? Json(options.validation) : Json()},
          {"validation_rows", digest(options.validation_rows)},
          {"patience", options.patience},
          {"selection", selection_to_json(options.selection)},
          {"worst_group", options.worst_group},
          {"keep_epochs", options.keep_epochs.string()},
          {"classes", options.classes},
          {"scale", options.normalization.scale},
          {"mean", options.normalization.mean},
          {"std", options.normalization.std},
          {"start", options.start.empty() ? "" : digest_file(options.start)},
          {"seed", options.seed},
          {"threads", threads},
          {"data", digest(data.images)},
          {"groups", std::move(groups)},
          {"environment", data.environment ? column_to_json(*data.environment) : Json()},
          {"unlabelled", data.unlabelled ? Json(digest(*data.unlabelled)) : Json()},
          {"torch", torch_version}};
}

std::string differences(const Json& before, const Json& now) {
  std::string text;
  for (const auto& [key, value] : now.items()) {
    const Json old = before.is_object() && before.contains(key) ? before.at(key) : Json();
    if (old != value)
      text += fmt::format("{}{} {}, now {}", text.empty() ? "" : "; ", key, old.dump(), value.dump());
  }
  return text;
}

Json epochs_to_json(const std::vector<Epoch>& epochs, bool seconds) {
  Json list = Json::array();
  for (const Epoch& epoch : epochs) {
    Json one{{"epoch", epoch.number}, {"loss", epoch.loss}, {"accuracy", epoch.accuracy}};
    if (epoch.validation_accuracy) one["validation_accuracy"] = *epoch.validation_accuracy;
    if (epoch.validation_robust_accuracy)
      one["validation_robust_accuracy"] = *epoch.validation_robust_accuracy;
    if (epoch.validation_shifted_accuracy)
      one["validation_shifted_accuracy"] = *epoch.validation_shifted_accuracy;
    if (epoch.selection_score) one["selection_score"] = json_number(*epoch.selection_score);
    if (epoch.zero_gradient) one["zero_gradient"] = *epoch.zero_gradient;
    if (epoch.validation_worst_group_accuracy)
      one["validation_worst_group_accuracy"] = *epoch.validation_worst_group_accuracy;
    if (!epoch.parts.empty()) one["parts"] = epoch.parts;
    if (seconds) one["seconds"] = epoch.seconds;
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<Epoch> epochs_from_json(const Json& json) {
  std::vector<Epoch> epochs;
  for (const Json& one : json) {
    Epoch epoch;
    epoch.number = one.at("epoch");
    epoch.loss = one.at("loss");
    epoch.accuracy = one.at("accuracy");
    if (one.contains("validation_accuracy")) epoch.validation_accuracy = one.at("validation_accuracy");
    if (one.contains("validation_robust_accuracy"))
      epoch.validation_robust_accuracy = one.at("validation_robust_accuracy");
    if (one.contains("validation_shifted_accuracy"))
      epoch.validation_shifted_accuracy = one.at("validation_shifted_accuracy");
    if (one.contains("selection_score")) epoch.selection_score = number_from_json(one.at("selection_score"));
    if (one.contains("zero_gradient")) epoch.zero_gradient = one.at("zero_gradient");
    if (one.contains("validation_worst_group_accuracy"))
      epoch.validation_worst_group_accuracy = one.at("validation_worst_group_accuracy");
    if (one.contains("parts")) epoch.parts = one.at("parts").get<std::map<std::string, double>>();
    if (one.contains("seconds")) epoch.seconds = one.at("seconds");
    epochs.push_back(epoch);
  }
  return epochs;
}

}  // namespace leeway::nn
