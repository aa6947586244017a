// A set of outputs that a task opens when its turn comes.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/shards.h"

namespace leeway::tasks {

struct NamedOutputs {
  std::string name;  // what messages and the record call the set: its path
  std::function<OutputsShards()> open;
};

// Its outputs, whose warnings go to `warnings`.
[[nodiscard]] inline OutputsShards opened(const NamedOutputs& named, std::vector<std::string>& warnings) {
  OutputsShards set = named.open();
  warnings.insert(warnings.end(), set.rest.warnings.begin(), set.rest.warnings.end());
  return set;
}

// Outputs that are in memory already.
[[nodiscard]] inline NamedOutputs in_memory(const std::string& name, Outputs outputs) {
  outputs.path = name;
  return {name, [outputs = std::move(outputs)] { return OutputsShards{outputs.logits, outputs, {}}; }};
}

}  // namespace leeway::tasks
