// Outputs made for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

// Row i: logit `margin` for classes[i], 0 for the others; confidence e^margin / (e^margin + k - 1).
inline Outputs outputs_of(const std::vector<int>& classes, std::size_t k, double margin = 2) {
  std::vector<double> logits(classes.size() * k);
  for (std::size_t i = 0; i < classes.size(); ++i)
    logits[i * k + static_cast<std::size_t>(classes[i])] = margin;
  Outputs outputs;
  outputs.path = "made.npz";
  outputs.logits = make_array<double>({classes.size(), k}, std::move(logits));
  return outputs;
}

inline Outputs labelled(Outputs outputs, std::vector<std::int64_t> labels) {
  outputs.labels = std::move(labels);
  return outputs;
}

inline Outputs called(Outputs outputs, std::string path) {
  outputs.path = std::move(path);
  return outputs;
}

using Options = tasks::AssessTask;  // without sources and targets

inline Json assess(std::vector<tasks::AssessSource> sources, std::vector<tasks::AssessTarget> targets,
                   Options task = {}) {
  task.sources = std::move(sources), task.targets = std::move(targets);
  return to_json(tasks::assess(task));
}

}  // namespace leeway::assess
