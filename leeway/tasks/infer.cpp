#include "leeway/tasks/infer.h"

#include <utility>

#include "leeway/core/class_names.h"
#include "leeway/core/npz.h"
#include "leeway/core/statistics.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

Inferred infer(const InferTask& task, Progress* progress) {
  const TaskClock clock;
  Inferred found;
  Outputs& outputs = found.outputs;
  outputs = task.model.outputs(task.images, progress);
  if (!task.data.empty()) outputs.class_names = class_names_of(task.data, outputs.k());
  if (outputs.class_names.empty()) outputs.class_names = task.model.info().class_names;
  found.record.options = task.options;
  record::InferredSet& set = found.record.results.emplace_back();
  set.data = task.data, set.n = outputs.n(), set.k = outputs.k();
  set.parameters = task.model.info().parameters;
  if (outputs.features) set.features = outputs.features->shape[1];
  if (outputs.labels) {
    const std::size_t right = right_rows(outputs);
    set.accuracy = static_cast<double>(right) / static_cast<double>(set.n);
    set.accuracy_interval = clopper_pearson(right, set.n);
  }
  found.record = clock.finished(std::move(found.record), task.seed);
  return found;
}

void write_outputs(const std::filesystem::path& path, const Outputs& outputs, const ArrayMap& of_images) {
  ArrayMap arrays = arrays_of(outputs);
  for (const char* const name : {"norms", "groups"})
    if (const auto found = of_images.find(name); found != of_images.end()) arrays[name] = found->second;
  write_npz(path, arrays);
}

}  // namespace leeway::tasks
