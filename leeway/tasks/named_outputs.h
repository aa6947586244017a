// A set of outputs that a task opens when its turn comes.
#pragma once

#include <functional>
#include <string>

#include "leeway/core/shards.h"

namespace leeway::tasks {

struct NamedOutputs {
  std::string name;  // what messages and the record call the set: its path
  std::function<OutputsShards()> open;
};

}  // namespace leeway::tasks
