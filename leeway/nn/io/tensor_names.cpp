#include "leeway/nn/io/tensor_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "leeway/core/message.h"

namespace leeway::nn {
namespace {

constexpr std::string_view prefixes[] = {"module.", "model.", "net.", "network.", "_orig_mod."};
constexpr std::size_t names_listed = 8, names_compared = 2000;

std::string listed(std::vector<std::string> texts, std::size_t total) {
  std::string line = fmt::format("{}", fmt::join(texts, ", "));
  if (total > texts.size()) line += fmt::format(" and {} more", total - texts.size());
  return line;
}

void take_normalization(Safetensors& file, std::string_view mean, std::string_view std) {
  ArrayMap& tensors = file.tensors;
  std::vector<std::string> starts = names_before(tensors, mean);
  if (tensors.contains(std::string(mean))) starts.emplace_back();
  if (starts.size() != 1 || !tensors.contains(starts[0] + std::string(std))) return;
  for (const auto& [key, buffer] : {std::pair("mean", mean), std::pair("std", std)}) {
    const std::string name = starts[0] + std::string(buffer);
    file.metadata[key] = fmt::format("{}", fmt::join(to_f64(tensors.at(name), name), ","));
    tensors.erase(name);
  }
}

}  // namespace

void take_buffers(Safetensors& file) {
  std::erase_if(file.tensors, [](const auto& item) {
    return item.first.starts_with("sub_block1.") || item.first.find(".sub_block1.") != std::string::npos;
  });
  take_normalization(file, "mu", "sigma");
  take_normalization(file, "mean", "std");
}

std::vector<std::string> names_before(const ArrayMap& tensors, std::string_view known) {
  std::vector<std::string> names;
  for (const auto& [name, array] : tensors)
    if (name.ends_with("." + std::string(known))) names.push_back(name.substr(0, name.size() - known.size()));
  return names;
}

ArrayMap without_prefixes(ArrayMap tensors, std::string_view known) {
  const bool inside = !names_before(tensors, known).empty();
  while (!tensors.empty() && !tensors.contains(std::string(known))) {
    const std::string& first = tensors.begin()->first;
    const std::string prefix = first.substr(0, first.find('.') + 1);
    const bool usual = std::ranges::find(prefixes, prefix) != std::end(prefixes);
    const auto shared = [&](const auto& item) { return item.first.starts_with(prefix); };
    if (prefix.empty() || !(inside || usual) || !std::ranges::all_of(tensors, shared)) break;
    ArrayMap shorter;
    for (auto& [name, array] : tensors) shorter.emplace(name.substr(prefix.size()), std::move(array));
    tensors = std::move(shorter);
  }
  return tensors;
}

std::string describe_mismatch(std::span<const std::string> missing, std::span<const std::string> unknown) {
  std::vector<std::string> absent, strange;
  for (const std::string& name : missing.first(std::min(missing.size(), names_listed))) {
    const std::string_view nearest =
        nearest_name(name, unknown.first(std::min(unknown.size(), names_compared)));
    absent.push_back(nearest.empty() ? name : fmt::format("{} (nearest: {})", name, printable(nearest)));
  }
  for (const std::string& name : unknown.first(std::min(unknown.size(), names_listed)))
    strange.push_back(printable(name));
  std::string found;
  if (!absent.empty()) found = "no " + listed(std::move(absent), missing.size());
  if (!strange.empty())
    found += fmt::format("{}unknown {}", found.empty() ? "" : ", and ",
                         listed(std::move(strange), unknown.size()));
  return found;
}

}  // namespace leeway::nn
