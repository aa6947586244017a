#include "leeway/nn/train/state.h"

#include <fmt/format.h>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/safetensors.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/tensors.h"
#include "leeway/nn/train/record.h"

namespace leeway::nn {
namespace {

ArrayMap with_prefix(const ArrayMap& all, const std::string& prefix) {
  ArrayMap part;
  for (const auto& [name, array] : all)
    if (name.starts_with(prefix)) part[name.substr(prefix.size())] = array;
  return part;
}

std::vector<torch::Tensor> moments(const ArrayMap& all, const std::string& prefix,
                                   const std::vector<torch::Tensor>& like, const std::string& name) {
  std::vector<torch::Tensor> tensors;
  for (std::size_t i = 0; i < like.size(); ++i) {
    const auto found = all.find(fmt::format("{}{}", prefix, i));
    if (found == all.end()) refuse(name, fmt::format("a tensor {}{}", prefix, i), "none");
    tensors.push_back(to_tensor(found->second, name));
    if (tensors.back().sizes() != like[i].sizes())
      refuse(name, fmt::format("{}{} of shape {}", prefix, i, text_of(like[i].sizes())),
             found->second.shape_text());
  }
  return tensors;
}

}  // namespace

void save_state(const std::filesystem::path& path, const Json& plan, const Course& course,
                const Network& network, const Adam& adam) {
  Safetensors content;
  for (const auto& [name, array] : nn::weights_of(network)) content.tensors["weights." + name] = array;
  for (const auto& [name, array] : course.best) content.tensors["best." + name] = array;
  for (std::size_t i = 0; i < adam.first().size(); ++i) {
    content.tensors[fmt::format("first.{}", i)] = to_array(adam.first()[i]);
    content.tensors[fmt::format("second.{}", i)] = to_array(adam.second()[i]);
  }
  const Json state{{"schema", "leeway.train-state/1"},
                   {"plan", plan},
                   {"epochs", epochs_to_json(course.epochs, true)},
                   {"best_epoch", course.best_epoch},
                   {"adam_steps", adam.steps()}};
  content.metadata["state"] = state.dump();
  write_safetensors(path, content);
}

Restored restore_state(const std::filesystem::path& path, const Json& plan, Network& network, Adam& adam) {
  if (!std::filesystem::exists(path)) return {};
  const std::string name = display_name(path);
  try {
    const Safetensors content = read_safetensors(path);
    const auto text = content.metadata.find("state");
    if (text == content.metadata.end()) refuse(name, "the state of a training", "none");
    const Json state = Json::parse(text->second);
    if (const std::string changed = differences(state.at("plan"), plan); !changed.empty())
      return {{}, fmt::format("{}: is of a training with other options ({}): starting anew", name, changed)};
    Course course{epochs_from_json(state.at("epochs")), state.at("best_epoch"),
                  with_prefix(content.tensors, "best.")};
    const auto first = moments(content.tensors, "first.", adam.first(), name);
    const auto second = moments(content.tensors, "second.", adam.second(), name);
    copy_weights(course.best, network, name);  // checks them
    copy_weights(with_prefix(content.tensors, "weights."), network, name);
    adam.restore(first, second, state.at("adam_steps"));
    const std::size_t done = course.epochs.size();
    return {std::move(course), fmt::format("{}: continued after epoch {}", name, done)};
  } catch (const Error& failure) {
    return {{}, fmt::format("{}: starting anew", failure.what())};
  } catch (const Json::exception& failure) {
    return {{}, fmt::format("{}: no state of a training ({}): starting anew", name, failure.what())};
  }
}

}  // namespace leeway::nn
