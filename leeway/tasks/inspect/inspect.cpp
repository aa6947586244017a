#include "leeway/tasks/inspect/inspect.h"

#include <algorithm>
#include <functional>

#include "leeway/core/error.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

// The least of the times that `pass` takes within a third of a second, three times at least; the first does not count.
double seconds_of(const std::function<void()>& pass) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 1. / 3;
  pass();
  double best = 0, spent = 0;
  for (int i = 0; i < 3 || spent < enough; ++i) {
    const auto start = Clock::now();
    pass();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = i == 0 ? seconds : std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

// Images of no meaning: as many as one shard, on one thread.
Images made_images(const nn::InputShape& input) {
  Images images;
  const std::size_t n = 16;
  std::vector<float> pixels(n * input.pixels());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 37 % 256) / 255;
  images.rank = input.rank;
  images.pixels = make_array({n, input.channels, input.height, input.width}, std::move(pixels));
  return images;
}

// `warnings` gains why there are no gradients.
PassCost cost_of(const nn::Model& model, const Images& images, std::vector<std::string>& warnings) {
  const std::vector<std::int64_t> labels(images.n(), 0);
  const auto each = static_cast<double>(images.n());
  PassCost cost;
  cost.images = images.n();
  cost.forward_seconds = seconds_of([&] { (void)model.outputs(images); }) / each;
  try {
    cost.gradient_seconds = seconds_of([&] { (void)model.input_gradients(images, labels); }) / each;
  } catch (const Error& failure) {
    warnings.emplace_back(failure.what());
  }
  return cost;
}

nn::InputShape input_of(const InspectTask& task) {
  const nn::InputShape& own = task.model.info().input;
  if (own.known()) return own;
  if (task.images) return nn::shape_of(*task.images);
  return shape_of(task.options.input);
}

}  // namespace

Inspect inspect(const nn::WeightsFile& file, const InspectOptions& options, std::uint64_t seed) {
  const TaskClock clock;
  Inspect record;
  record.options = options;
  record.results = {{file.info, file.fitting}};
  return clock.finished(std::move(record), seed);
}

Inspect inspect(const InspectTask& task, Progress* progress) {
  const TaskClock clock;
  const nn::Model& model = task.model;
  const nn::InputShape input = input_of(task);
  Inspect record;
  record.options = task.options;
  std::vector<std::string>& warnings = record.envelope.warnings;
  InspectedModel& found = record.results.emplace_back(InspectedModel{model.info()});
  found.info.input = input;
  if (input.known() && !task.options.no_timing) found.cost = cost_of(model, made_images(input), warnings);
  if (input.known()) found.stochastic = model.variation(task.images ? *task.images : made_images(input));
  if (found.stochastic) warnings.push_back(variation_warning(model, *found.stochastic));
  if (task.images && task.images->labels) {
    const Outputs outputs = model.outputs(*task.images, progress);
    if (found.info.classes == 0) found.info.classes = outputs.k();
    found.n = outputs.n();
    found.accuracy = accuracy_of(outputs);
    for (std::string& line : normalization_warnings(model, *task.images)) warnings.push_back(std::move(line));
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
