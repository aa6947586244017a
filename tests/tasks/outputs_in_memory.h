// Sets of outputs for tests of tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

inline NamedOutputs outputs(const std::string& name, std::size_t k, std::vector<double> logits,
                            std::vector<std::int64_t> labels = {}, std::vector<double> norms = {}) {
  return {name, [=] {
            OutputsShards shards{Rows(make_array<double>({logits.size() / k, k}, logits)), {}, {}};
            shards.rest.path = name;
            if (!labels.empty()) shards.rest.labels = labels;
            if (!norms.empty()) shards.rest.norms = norms;
            return shards;
          }};
}

}  // namespace leeway::tasks
