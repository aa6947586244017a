// A set of outputs that a task opens when its turn comes.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "leeway/core/shards.h"

namespace leeway::tasks {

struct NamedOutputs {
  std::string name;  // what messages and the record call the set: its path
  std::function<OutputsShards()> open;
};

// Outputs that are in memory already.
[[nodiscard]] inline NamedOutputs in_memory(const std::string& name, Outputs outputs) {
  outputs.path = name;
  return {name, [outputs = std::move(outputs)] { return OutputsShards{outputs.logits, outputs, {}}; }};
}

}  // namespace leeway::tasks
