// Aligns the classes of two sets, or of a set and a model, and the features of two sets, by name, and checks
// that two sets of outputs have comparable columns.
//
// Classes and features in another order are reordered. Sets with different names are refused, because a
// different class under the same number gives plausible but wrong results. Sets without names are compared by
// number. If the labels of one set fit two codings, the other sets decide. Errors (Error): file, expected (as in
// the first set), found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/io/images.h"
#include "leeway/io/outputs.h"

namespace leeway {

class Rows;
struct OutputsShards;

// A view of one set; valid as long as the set is.
struct Columns {
  std::string_view path;
  std::size_t k = 0;
  bool from_probs = false;
  std::span<const std::string> class_names;  // empty or k
};
[[nodiscard]] Columns columns_of(const Outputs& outputs);
[[nodiscard]] Columns columns_of(const OutputsShards& shards);

// The index of each name in `known`; nothing for a name that `known` lacks or contains twice.
[[nodiscard]] std::vector<std::optional<std::size_t>> places_of_names(std::span<const std::string> names,
                                                                      std::span<const std::string> known);

// Reorders logits and labels of `other` to the class order of `first` if both name the same classes.
void align_classes(const Columns& first, Outputs& other);
void align_classes(const Columns& first, OutputsShards& other);

// Reorders the features of `other` to the order of `first` if both name their features. Error: other names.
void align_features(const Outputs& first, Outputs& other);

// Converts the labels of `images` to class numbers of the model, by name. If the model lacks all names and
// these are whole numbers, they are class numbers. If the model has k classes without names, labels of at
// least k classes stay. Error: a label whose class the model does not have.
void align_classes(const Columns& model, Images& images);

// Requires the same number of classes and, if both have names, the same names in the same order.
void require_same_classes(const Columns& first, const Columns& other);

// Requires logits in both or probabilities in both, since log-probabilities are logits shifted per row.
void require_same_scores(const Columns& first, const Columns& other);

void require_alike(const Columns& first, const Columns& other);  // both of these

// Whether the numbering of the labels depends on other sets.
[[nodiscard]] bool is_open(LabelCoding coding);
// In words, if no label is 0 and more rows are right if the labels count from 1; else empty.
[[nodiscard]] std::string doubt_of_first_label(const Rows& logits, std::span<const std::int64_t> labels);
// Numbers the n labels of `set`, given the codings of all sets: `either` counts from 1 if another set does.
// labels that are all -1 are the negative class if another set has signs. Errors: `either`, and other sets of
// both numberings; signs, and other sets with other numbers; `either` in all sets, and doubt_of_first_label by
// `logits` (of the set; null: further sets may decide), which is a warning if another set counts from 0.
void number_labels(Outputs& set, std::size_t n, std::span<const LabelCoding> all,
                   const Rows* logits = nullptr);

}  // namespace leeway
