#include "leeway/nn/io/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "leeway/core/message.h"
#include "leeway/core/safetensors.h"
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
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0;
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status != std::errc() || (stop != end && *stop != ','))
      refuse(name, fmt::format("numbers separated by commas in its metadata \"{}\"", key), in_quotes(text));
    values.push_back(value);
    at = stop == end ? end : stop + 1;
  }
  return values;
}

std::size_t whole(double value, const std::string& name, const char* key) {
  if (!(value >= 1 && value <= 1e6 && value == static_cast<double>(static_cast<std::size_t>(value))))
    refuse(name, fmt::format("whole numbers from 1 to 1000000 in its metadata \"{}\"", key),
           fmt::format("{}", value));
  return static_cast<std::size_t>(value);
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

ArrayMap weights_of(const Network& network) {
  ArrayMap arrays;
  for (const auto& [key, tensor] : named_tensors(network)) arrays[key] = to_array(tensor);
  return arrays;
}

std::map<std::string, std::string> metadata_of(const ModelInfo& info) {
  const Normalization& normalization = info.normalization;
  std::map<std::string, std::string> metadata{
      {"architecture", info.architecture},
      {"input", fmt::format("{},{},{}", info.input.channels, info.input.height, info.input.width)},
      {"classes", std::to_string(info.classes)},
      {"scale", fmt::format("{}", normalization.scale)},
      {"mean", fmt::format("{}", fmt::join(normalization.mean, ","))},
      {"std", fmt::format("{}", fmt::join(normalization.std, ","))}};
  if (!info.training.empty()) metadata["training"] = info.training;
  return metadata;
}

ModelInfo with_metadata(ModelInfo info, const std::map<std::string, std::string>& metadata) {
  const auto value = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  const std::string name = display_name(info.path);
  if (info.architecture.empty()) info.architecture = value("architecture");
  if (const std::string text = value("input"); !text.empty()) {
    const std::vector<double> sizes = numbers(text, name, "input");
    if (sizes.size() != 3) refuse(name, "3 numbers in its metadata \"input\"", in_quotes(text));
    info.input = {whole(sizes[0], name, "input"), whole(sizes[1], name, "input"),
                  whole(sizes[2], name, "input")};
  }
  if (const std::string text = value("scale"); !text.empty()) {
    const std::vector<double> scale = numbers(text, name, "scale");
    if (scale.size() != 1) refuse(name, "one number in its metadata \"scale\"", in_quotes(text));
    info.normalization.scale = scale[0];
  }
  info.normalization.mean = numbers(value("mean"), name, "mean");
  info.normalization.std = numbers(value("std"), name, "std");
  info.training = value("training");
  return info;
}

void save_weights(const std::filesystem::path& path, const ModelInfo& info, const Network& network) {
  write_safetensors(path, {weights_of(network), metadata_of(info)});
}

}  // namespace leeway::nn
