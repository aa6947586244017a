#include "leeway/io/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/column_words.h"
#include "leeway/io/shards.h"

namespace leeway {

Columns columns_of(const Outputs& outputs) {
  return {outputs.path, outputs.k(), outputs.from_probs, outputs.class_names};
}

Columns columns_of(const OutputsShards& shards) {
  return {shards.rest.path, shards.k(), shards.rest.from_probs, shards.rest.class_names};
}

std::vector<std::optional<std::size_t>> places_of_names(std::span<const std::string> names,
                                                        std::span<const std::string> known) {
  std::unordered_map<std::string_view, std::optional<std::size_t>> places;
  for (std::size_t j = 0; j < known.size(); ++j)
    if (const auto [place, added] = places.try_emplace(known[j], j); !added) place->second.reset();
  std::vector<std::optional<std::size_t>> found;
  for (const std::string& name : names) {
    const auto place = places.find(name);
    found.push_back(place == places.end() ? std::nullopt : place->second);
  }
  return found;
}

namespace {

// Column j of the result is column order[j] of `values` (n,k).
template <class T>
Array columns_in_order(const Array& values, std::span<const std::size_t> order) {
  const auto from = values.view<T>();
  std::vector<T> to(from.size());
  const std::size_t k = order.size();
  for (std::size_t i = 0; i < values.shape[0]; ++i)
    for (std::size_t j = 0; j < k; ++j) to[i * k + j] = from[i * k + order[j]];
  return make_array(values.shape, std::move(to));
}

// The place in `names` of each name in `first`; empty if the order is the same or the names differ.
std::vector<std::size_t> order_of(std::span<const std::string> first, std::span<const std::string> names) {
  if (first.size() != names.size() || std::ranges::equal(first, names)) return {};
  std::vector<std::size_t> order(names.size());
  std::vector<char> taken(names.size());
  const auto places = places_of_names(names, first);
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (!places[j] || std::exchange(taken[*places[j]], 1) != 0) return {};
    order[*places[j]] = j;
  }
  return order;
}

Array reordered(const Array& logits, std::span<const std::size_t> order) {
  return logits.type == ElementType::f32 ? columns_in_order<float>(logits, order)
                                         : columns_in_order<double>(logits, order);
}

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t most = 10;
  std::string text = fmt::format("{}", fmt::join(names.first(std::min(names.size(), most)), ", "));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return printable(text, 200);
}

// The names as class numbers below k; nothing for all if one is not such a number.
std::vector<std::optional<std::size_t>> numbers_in(std::span<const std::string> names, std::size_t k) {
  std::vector<std::optional<std::size_t>> numbers;
  for (const std::string& name : names) {
    const auto number = whole_number(name);
    if (!number || *number >= k) return std::vector<std::optional<std::size_t>>(names.size());
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

// Labels that are numbers index the class names of an array file; of two tables it is unknown whose columns
// they count.
void align_classes(const Columns& first, Outputs& other) {
  const auto order = order_of(first.class_names, other.class_names);
  if (order.empty()) return;
  other.logits = reordered(other.logits, order);
  if (other.from_table && other.labels && other.coding != LabelCoding::none)
    refuse(other.path,
           fmt::format("labels that are class names, or class columns in the order of {}, {} "
                       "(--class-columns sets the order)",
                       first.path, listed(first.class_names)),
           fmt::format("labels that are numbers, and the order {}", listed(other.class_names)));
  if (other.coding == LabelCoding::either)
    refuse(other.path,
           fmt::format("--first-label 0 or 1, because the classes are ordered differently than in {}",
                       first.path),
           "labels consistent with both");
  std::vector<std::int64_t> place(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) place[order[j]] = static_cast<std::int64_t>(j);
  if (other.labels)
    for (std::int64_t& label : *other.labels)
      if (label != no_label) label = place[static_cast<std::size_t>(label)];
  other.class_names.assign(first.class_names.begin(), first.class_names.end());
}

void align_classes(const Columns& first, OutputsShards& other) {
  if (order_of(first.class_names, other.rest.class_names).empty()) return;
  other.rest.logits = other.logits.joined();
  align_classes(first, other.rest);
  other.logits = Rows(other.rest.logits);
}

void align_features(const Outputs& first, Outputs& other) {
  const std::vector<std::string>&names = first.feature_names, &own = other.feature_names;
  if (names.empty() || own.empty() || own == names) return;
  const auto order = order_of(names, own);
  if (order.empty())
    refuse(other.path, fmt::format("the features {}, as in {}", listed(names), first.path), listed(own));
  other.features = reordered(*other.features, order);
  other.feature_names = names;
}

void align_classes(const Columns& model, Images& images) {
  const std::vector<std::string> names = images.class_names;
  const bool named = !model.class_names.empty();
  if (named) images.class_names.assign(model.class_names.begin(), model.class_names.end());
  if (names.empty() || !images.labels || std::ranges::equal(names, model.class_names)) return;
  if (!named && names.size() >= model.k) return;  // by number
  auto places = places_of_names(names, model.class_names);
  if (std::ranges::none_of(places, [](const auto& place) { return place.has_value(); }))
    places = numbers_in(names, model.k);
  std::vector<char> lacking(names.size());
  const auto once = places_of_names(names, names);
  for (std::int64_t& label : *images.labels) {
    if (label == no_label) continue;
    const auto own = static_cast<std::size_t>(label);
    if (!once[own])
      refuse(display_name(images.path), "class_names that name one class each",
             in_quotes(names[own]) + " for several labels");
    lacking[own] = !places[own];
    label = static_cast<std::int64_t>(places[own].value_or(0));
  }
  if (!named) images.class_names.clear();
  std::vector<std::string> unknown;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (lacking[j] != 0) unknown.push_back(names[j]);
  if (unknown.empty()) return;
  const std::string known =
      named ? fmt::format("{}, the classes of {}", listed(model.class_names), model.path)
            : fmt::format("the {} classes of {}, which has no class names", model.k, model.path);
  refuse(display_name(images.path),
         fmt::format("labels among {} (classes = [...] in {}.toml sets names)", known, model.path),
         listed(unknown));
}

void require_same_classes(const Columns& first, const Columns& other) {
  const bool named = !first.class_names.empty() && !other.class_names.empty();
  const auto classes = [&](const Columns& columns) {
    return named ? fmt::format("{} classes ({})", columns.k, listed(columns.class_names))
                 : fmt::format("{}", columns.k);
  };
  if (other.k != first.k)
    refuse(other.path,
           fmt::format("{}, as in {}", named ? classes(first) : classes(first) + " classes", first.path),
           classes(other) + (named ? ": compare outputs of one model (leeway infer)" : ""));
  if (!named) return;
  const auto [a, b] = std::ranges::mismatch(first.class_names, other.class_names);
  if (a == first.class_names.end()) return;
  refuse(other.path,
         fmt::format("class {} to be {}, as in {} (--class-names sets the names of both)",
                     a - first.class_names.begin(), in_quotes(*a), first.path),
         in_quotes(*b));
}

void require_same_scores(const Columns& first, const Columns& other) {
  const auto kind = [](const Columns& columns) { return columns.from_probs ? "probabilities" : "logits"; };
  if (first.from_probs != other.from_probs)
    refuse(other.path, fmt::format("{}, as in {}", kind(first), first.path), kind(other));
}

void require_alike(const Columns& first, const Columns& other) {
  require_same_classes(first, other);
  require_same_scores(first, other);
}

namespace {

// `either`, which other sets decide, if they do.
void count_from_zero(Outputs& set, const Rows* logits, bool decided) {
  const std::string doubt = logits == nullptr ? "" : doubt_of_first_label(*logits, *set.labels);
  if (!doubt.empty() && !decided)
    refuse(set.path,
           fmt::format("--first-label 1 or 0, because no label is 0 and none is {}", logits->shape()[1]),
           doubt);
  if (!doubt.empty())
    set.warnings.push_back(
        fmt::format("{}: labels count from 0, as in the other sets, but {} (--first-label 0 confirms 0)",
                    set.path, doubt));
  if (decided) set.coding = LabelCoding::from_zero;
}

}  // namespace

std::string doubt_of_first_label(const Rows& logits, std::span<const std::int64_t> labels) {
  const std::vector<std::int32_t> predicted = predicted_classes(logits, labels.size());
  std::size_t zero = 0, one = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    zero += predicted[i] == labels[i] ? 1 : 0, one += predicted[i] == labels[i] - 1 ? 1 : 0;
  if (one <= zero || std::ranges::find(labels, 0) != labels.end()) return {};
  const auto percent = [&](std::size_t right) {
    return 100 * static_cast<double>(right) / static_cast<double>(count_labels(labels));
  };
  return fmt::format("{:.3g}% of rows right if labels count from 1, {:.3g}% if they count from 0",
                     percent(one), percent(zero));
}

bool is_open(LabelCoding coding) {
  return coding == LabelCoding::either || coding == LabelCoding::signs || coding == LabelCoding::missing;
}

void number_labels(Outputs& set, std::size_t n, std::span<const LabelCoding> all, const Rows* logits) {
  const auto any = [&](LabelCoding coding) { return std::ranges::find(all, coding) != all.end(); };
  const bool zero = any(LabelCoding::from_zero), one = any(LabelCoding::from_one);
  if (set.coding == LabelCoding::either && one) {
    if (zero)
      refuse(set.path, "--first-label 0 or 1, because some other labels count from 0 and some from 1",
             "labels consistent with both");
    for (std::int64_t& label : *set.labels) label -= label == no_label ? 0 : 1;
    set.coding = LabelCoding::from_one;
  } else if (set.coding == LabelCoding::either && (zero || !any(LabelCoding::signs))) {
    count_from_zero(set, logits, zero);
  } else if (set.coding == LabelCoding::signs && (zero || one)) {
    refuse(set.path, "labels numbered as in the other sets (--first-label 0 or 1, if -1 is a missing label)",
           "labels -1 and 1");
  } else if (set.coding == LabelCoding::missing && any(LabelCoding::signs) && !zero && !one) {
    set.labels.emplace(n, 0);
    set.coding = LabelCoding::signs;
  }
}

}  // namespace leeway
