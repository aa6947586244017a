// Aligns the classes of two sets, or of a set and a model, by name, and checks that two sets of outputs have
// comparable columns, for every command in which they meet.
//
// Classes in another order are reordered; a set whose names are others is refused: a different class under the
// same number would give plausible but wrong figures. Sets without names are compared by number. Labels are
// numbered alike: if those of one set fit two codings, the other sets decide. Errors (Error): file, expected
// (as in the first set), found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/outputs.h"

namespace leeway {

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

// The place of each of `names` among `known`; nothing for a name that `known` lacks or has twice.
[[nodiscard]] std::vector<std::optional<std::size_t>> places_of_names(std::span<const std::string> names,
                                                                      std::span<const std::string> known);

// Logits and labels of `other` in the order of the classes of `first`, where both name the same classes.
void align_classes(const Columns& first, Outputs& other);
void align_classes(const Columns& first, OutputsShards& other);

// Labels of `images` as numbers of the model's classes. Names that are whole numbers are these classes where the
// model has none of them. A model without names takes the labels of as many classes as they are. Errors: a label
// whose name the model lacks, or, of fewer names than it has classes, does not know.
void align_classes(const Columns& model, Images& images);

// As many classes, and where both name them the same names in the same order.
void require_same_classes(const Columns& first, const Columns& other);

// Logits in both or probabilities in both: log-probabilities are logits shifted by a constant per row.
void require_same_scores(const Columns& first, const Columns& other);

void require_alike(const Columns& first, const Columns& other);  // both of these

// Whether other sets may decide how the labels are numbered.
[[nodiscard]] bool is_open(LabelCoding coding);
// Numbers the n labels of `set` as all sets together say, whose codings are `all`: `either` counts from 1 if
// another set does; -1 is no label if another set has labels other than -1 and 1; labels that are all -1 are
// the negative class if another set has signs. Error: `either` beside sets of both countings.
void number_labels(Outputs& set, std::size_t n, std::span<const LabelCoding> all);

}  // namespace leeway
