#include "leeway/core/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/shards.h"

namespace leeway {

Columns columns_of(const Outputs& outputs) {
  return {outputs.path, outputs.k(), outputs.from_probs, outputs.class_names, outputs.coding};
}

Columns columns_of(const OutputsShards& shards) {
  return {shards.rest.path, shards.k(), shards.rest.from_probs, shards.rest.class_names, shards.rest.coding};
}

void require_same_classes(const Columns& first, const Columns& other) {
  if (other.k != first.k)
    refuse(other.path, fmt::format("{} classes, as in {}", first.k, first.path), fmt::format("{}", other.k));
  if (first.class_names.empty() || other.class_names.empty()) return;
  const auto [a, b] = std::ranges::mismatch(first.class_names, other.class_names);
  if (a == first.class_names.end()) return;
  const auto sorted = [](std::span<const std::string> names) {
    std::vector<std::string_view> views(names.begin(), names.end());
    std::ranges::sort(views);
    return views;
  };
  const bool reordered = sorted(first.class_names) == sorted(other.class_names);
  refuse(other.path,
         fmt::format("class {} to be {}, as in {}", a - first.class_names.begin(), in_quotes(*a), first.path),
         in_quotes(*b) + (reordered ? ": the same classes in another order" : ""));
}

void require_same_scores(const Columns& first, const Columns& other) {
  const auto kind = [](const Columns& columns) { return columns.from_probs ? "probabilities" : "logits"; };
  if (first.from_probs != other.from_probs)
    refuse(other.path, fmt::format("{}, as in {}", kind(first), first.path), kind(other));
}

void require_same_coding(const Columns& first, const Columns& other) {
  const auto differ = [](const Columns& a, const Columns& b) {
    return a.coding == LabelCoding::from_one && b.coding == LabelCoding::either;
  };
  if (!differ(first, other) && !differ(other, first)) return;
  const auto& [one, open] = differ(first, other) ? std::pair(first, other) : std::pair(other, first);
  refuse(open.path,
         fmt::format("--first-label 1, as the labels of {} are 1 to {}, or --first-label 0", one.path, one.k),
         fmt::format("labels that fit both: none is 0, none is {}", one.k));
}

void require_alike(const Columns& first, const Columns& other) {
  require_same_classes(first, other);
  require_same_scores(first, other);
  require_same_coding(first, other);
}

}  // namespace leeway
