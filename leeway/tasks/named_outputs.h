// A set of outputs that a task opens when its turn comes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/io/columns.h"
#include "leeway/io/shards.h"

namespace leeway::tasks {

struct NamedOutputs {
  std::string name;  // what messages and the record call the set: its path
  std::function<OutputsShards()> open;
};

// Labels beside the sets: of n rows of k classes, whose names may be known.
using GivenLabels =
    std::function<ClassLabels(std::size_t n, std::size_t k, const std::vector<std::string>& class_names)>;

// Labels that are given take the place of the set's own; a warning where some rows have none.
inline void give_labels(OutputsShards& set, const GivenLabels& labels, std::vector<std::string>& warnings) {
  if (!labels) return;
  ClassLabels given = labels(set.n(), set.k(), set.rest.class_names);
  const std::string missing = missing_labels_text("labels", given.values);
  if (!missing.empty()) warnings.push_back(missing);
  set.rest.labels = std::move(given.values), set.rest.coding = given.coding;
}

// How the labels of sets are numbered; each is opened.
[[nodiscard]] inline std::vector<LabelCoding> codings_of(const std::vector<NamedOutputs>& sets) {
  std::vector<LabelCoding> all;
  for (const NamedOutputs& named : sets) all.push_back(named.open().rest.coding);
  return all;
}

// Numbers the labels of the first set as the others say, which are opened only where its own leave it open. Its
// warnings go to `warnings`.
inline void number_first(OutputsShards& first, const std::vector<NamedOutputs>& others,
                         std::vector<std::string>& warnings) {
  if (is_open(first.rest.coding)) number_labels(first.rest, first.n(), codings_of(others), &first.logits);
  warnings.insert(warnings.end(), first.rest.warnings.begin(), first.rest.warnings.end());
}

// The next set, its labels numbered and its classes and features ordered as those of the first. Error: the sets differ.
[[nodiscard]] inline OutputsShards opened_like(const OutputsShards& first, const NamedOutputs& named,
                                               std::vector<std::string>& warnings, bool features = true) {
  OutputsShards set = named.open();
  number_labels(set.rest, set.n(), std::span(&first.rest.coding, 1), &set.logits);
  warnings.insert(warnings.end(), set.rest.warnings.begin(), set.rest.warnings.end());
  align_classes(columns_of(first), set);
  if (features) align_features(first.rest, set.rest);
  require_alike(columns_of(first), columns_of(set));
  return set;
}

[[nodiscard]] inline NamedOutputs in_memory(const std::string& name, Outputs outputs) {
  outputs.path = name;
  return {name, [outputs = std::move(outputs)] { return OutputsShards{outputs.logits, outputs, {}}; }};
}

}  // namespace leeway::tasks
