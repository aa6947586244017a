#include "leeway/nn/io/tensor_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "leeway/core/message.h"

namespace leeway::nn {
namespace {

constexpr std::string_view prefixes[] = {"module.", "model.", "net.", "network.", "_orig_mod."};
constexpr std::size_t names_listed = 8, names_compared = 2000;

// Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string listed(std::vector<std::string> texts, std::size_t total) {
  std::string line = fmt::format("{}", fmt::join(texts, ", "));
  if (total > texts.size()) line += fmt::format(" and {} more", total - texts.size());
  return line;
}

}  // namespace

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

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::size_t least = name.size() / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : candidates.first(std::min(candidates.size(), names_compared))) {
    if (candidate.size() > 2 * name.size()) continue;
    const std::size_t distance = edits(name, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string describe_mismatch(std::span<const std::string> missing, std::span<const std::string> unknown) {
  std::vector<std::string> absent, strange;
  for (const std::string& name : missing.first(std::min(missing.size(), names_listed))) {
    const std::string nearest = nearest_name(name, unknown);
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
