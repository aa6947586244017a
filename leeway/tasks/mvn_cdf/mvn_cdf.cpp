#include "leeway/tasks/mvn_cdf/mvn_cdf.h"

#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

MvnCdf mvn_cdf(const MvnCdfTask& task, Progress* progress) {
  const TaskClock clock;
  const Array &upper = task.upper.array, &covariance = task.covariance.array;
  const std::string name = display_name(task.upper.name), matrix = display_name(task.covariance.name);
  if (upper.shape.empty() || upper.shape.size() > 2 || upper.size() == 0)
    refuse(name, "bounds of shape (d) or (m, d)", upper.shape_text());
  const std::size_t d = upper.shape.back(), points = upper.size() / d;
  const std::vector<std::size_t> shared = {d, d}, each = {points, d, d};
  if (covariance.shape != shared && covariance.shape != each)
    refuse(matrix, fmt::format("shape ({}, {}) or ({}, {}, {})", d, d, points, d, d),
           covariance.shape_text());
  MvnCdf record;
  record.options = task.options;
  record.results =
      average_case::mvn_cdf_batch(to_f64(upper, name), d, to_f64(covariance, matrix), task.options, progress);
  return clock.finished(std::move(record), task.options.seed);
}

}  // namespace leeway::tasks
