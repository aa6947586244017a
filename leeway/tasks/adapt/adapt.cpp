#include "leeway/tasks/adapt/adapt.h"

#include <cmath>

#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

Adapt adapt(const AdaptTask& task, Progress* progress) {
  const TaskClock clock;
  const nn::Adapted adapted = task.model.adapt(task.images, progress);
  adapted.model->save(task.out);
  Adapt record;
  record.options = task.options;
  AdaptedModel& found = record.results.emplace_back();
  found.n = task.images.n();
  found.layers = adapted.layers;
  double channels = 0, shift = 0, ratio = 0;
  for (const nn::AdaptedLayer& layer : found.layers) {
    const auto weight = static_cast<double>(layer.channels);
    channels += weight;
    shift += weight * layer.mean_shift;
    ratio += weight * std::log(layer.variance_ratio);
  }
  found.mean_shift = shift / channels;
  found.variance_ratio = std::exp(ratio / channels);
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
