#include "leeway/nn/io/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/parameters.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/tensor_names.h"

namespace leeway::nn {
namespace {

// Batches that batch normalisation has seen: no output depends on it; files of before PyTorch 0.4.1 lack it.
constexpr std::string_view batch_counter = ".num_batches_tracked";

std::map<std::string, torch::Tensor> named_tensors(const Network& network) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& item : network.named_parameters()) tensors[item.key()] = item.value();
  for (const auto& item : network.named_buffers()) tensors[item.key()] = item.value();
  return tensors;
}

std::vector<double> numbers(const std::string& text, const std::string& name, const char* key) {
  std::vector<double> values;
  if (text.empty()) return values;
  for (const std::string_view part : nn::split(text, ',')) {
    const auto value = parse_number(part);
    if (!value)
      refuse(name, fmt::format("numbers separated by commas in its metadata \"{}\"", key), in_quotes(text));
    values.push_back(*value);
  }
  return values;
}

std::size_t whole(double value, const std::string& name, const char* key) {
  if (!(value >= 1 && value <= 1e6 && value == static_cast<double>(static_cast<std::size_t>(value))))
    refuse(name, fmt::format("integers from 1 to 1000000 in its metadata \"{}\"", key),
           fmt::format("{}", value));
  return static_cast<std::size_t>(value);
}

std::vector<std::string> names_in(const std::string& text, const std::string& name) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  const auto is_text = [](const nlohmann::json& one) { return one.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text))
    refuse(name, "a list of strings in its metadata \"class_names\"", in_quotes(text));
  return list.get<std::vector<std::string>>();
}

// "3,32,32"; of a table of 8 columns "8".
std::string input_text(const InputShape& input) {
  const std::vector<std::size_t> sizes{input.channels, input.height, input.width};
  return fmt::format("{}", fmt::join(std::span(sizes).first(input.rank - 1), ","));
}

}  // namespace

void copy_weights(const ArrayMap& tensors, Network& network, const std::string& name) {
  const torch::NoGradGuard no_grad;
  const auto wanted = named_tensors(network);
  std::vector<std::string> missing, unknown;
  for (const auto& [key, tensor] : wanted)
    if (!tensors.contains(key) && !key.ends_with(batch_counter)) missing.push_back(key);
  for (const auto& [key, array] : tensors)
    if (!wanted.contains(key)) unknown.push_back(key);
  if (!missing.empty() || !unknown.empty())
    refuse(name, fmt::format("the {} tensors of the architecture", wanted.size()),
           describe_mismatch(missing, unknown));
  for (const auto& [key, tensor] : wanted) {
    const auto found = tensors.find(key);
    if (found == tensors.end()) continue;
    const Array& array = found->second;
    const std::vector<std::size_t> shape(tensor.sizes().begin(), tensor.sizes().end());
    if (array.shape != shape)
      refuse(name, fmt::format("tensor {} of shape {}", key, text_of(tensor.sizes())), array.shape_text());
    const torch::Tensor values = to_tensor(array, name + ": tensor " + key);
    if (!values.isfinite().all().item<bool>())
      refuse(name, fmt::format("finite numbers in tensor {}", key), "NaN or infinity");
    torch::Tensor(tensor).copy_(values);
  }
}

Fit fit_of(const ArrayMap& tensors, const Network& network) {
  const auto wanted = named_tensors(network);
  for (const auto& [key, array] : tensors)
    if (!wanted.contains(key)) return Fit::none;
  bool shapes = true;
  for (const auto& [key, tensor] : wanted) {
    const auto found = tensors.find(key);
    if (found == tensors.end() && !key.ends_with(batch_counter)) return Fit::none;
    if (found == tensors.end()) continue;
    shapes = shapes && std::ranges::equal(
                           found->second.shape, tensor.sizes(),
                           [](std::size_t a, std::int64_t b) { return a == static_cast<std::size_t>(b); });
  }
  return shapes ? Fit::whole : Fit::names;
}

ArrayMap weights_of(const Network& network) {
  ArrayMap arrays;
  for (const auto& [key, tensor] : named_tensors(network)) arrays[key] = to_array(tensor);
  return arrays;
}

std::map<std::string, std::string> metadata_of(const ModelInfo& info) {
  const Normalization& normalization = info.normalization;
  std::map<std::string, std::string> metadata{{"architecture", info.architecture},
                                              {"input", input_text(info.input)},
                                              {"classes", std::to_string(info.classes)},
                                              {"scale", fmt::format("{}", normalization.scale)},
                                              {"mean", fmt::format("{}", fmt::join(normalization.mean, ","))},
                                              {"std", fmt::format("{}", fmt::join(normalization.std, ","))}};
  if (info.crop > 0) metadata["crop"] = std::to_string(info.crop);
  if (!info.training.empty()) metadata["training"] = info.training;
  if (!info.class_names.empty())
    metadata["class_names"] =
        nlohmann::json(info.class_names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return metadata;
}

// Error: a name in the metadata of the file `name` that is no architecture's.
static void check_architecture(const std::string& value, const std::string& name) {
  try {
    if (!value.empty()) (void)architecture(value);
  } catch (const Error& unknown) {
    throw Error(fmt::format("{}: metadata: {}", name, unknown.what()));
  }
}

ModelInfo with_metadata(ModelInfo info, const std::map<std::string, std::string>& metadata) {
  const auto value = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  const std::string name = display_name(info.path);
  if (info.architecture.empty()) {
    info.architecture = value("architecture");
    check_architecture(info.architecture, name);
  }
  if (const std::string text = value("input"); !text.empty()) {
    const std::vector<double> sizes = numbers(text, name, "input");
    if (sizes.empty() || sizes.size() > 3)
      refuse(name, "1 to 3 numbers in its metadata \"input\"", in_quotes(text));
    const auto size = [&](std::size_t i) { return i < sizes.size() ? whole(sizes[i], name, "input") : 1; };
    info.input = {size(0), size(1), size(2), sizes.size() + 1};
  }
  if (const std::string text = value("crop"); !text.empty()) {
    const std::vector<double> side = numbers(text, name, "crop");
    if (side.size() != 1 || info.input.rank != 4 || info.input.height != info.input.width ||
        side[0] != static_cast<double>(info.input.height))
      refuse(name, "metadata \"crop\" equal to the height and width in its metadata \"input\"",
             in_quotes(text));
    info.crop = info.input.height;
  }
  if (const std::string text = value("scale"); !text.empty()) {
    const std::vector<double> scale = numbers(text, name, "scale");
    if (scale.size() != 1) refuse(name, "one number in its metadata \"scale\"", in_quotes(text));
    info.normalization.scale = scale[0];
  }
  if (metadata.contains("mean")) info.normalization.mean = numbers(value("mean"), name, "mean");
  if (metadata.contains("std")) info.normalization.std = numbers(value("std"), name, "std");
  info.training = value("training");
  if (const std::string text = value("class_names"); !text.empty()) info.class_names = names_in(text, name);
  return info;
}

void save_weights(const std::filesystem::path& path, const ModelInfo& info, const Network& network) {
  write_state(path, {weights_of(network), metadata_of(info)});
}

}  // namespace leeway::nn
