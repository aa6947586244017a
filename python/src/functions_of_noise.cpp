// average_case, mvn_cdf: predictions under noise.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/columns.h"
#include "leeway/io/groups.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/mvn_cdf/mvn_cdf.h"
#include "leeway/tasks/outputs_reading.h"
#include "python/src/arrays.h"
#include "python/src/classifier.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

tasks::OutputsReading reading_of(const Request& request) {
  tasks::OutputsReading reading;
  request.read(reading);
  return reading;
}

// A task, and the rows and classes of what is asked about.
struct Asked {
  tasks::AverageCaseTask task;
  tasks::SetRows rows;
  std::size_t k = 0;
};

// Outputs made elsewhere.
Asked asked_of_files(Request& request) {
  tasks::OutputsReading reading = reading_of(request);
  reading.labels.reset(), reading.groups.reset();  // of the first rows alone, perhaps
  const auto logits = request.pairs("logits");
  Outputs outputs =
      request.open_outputs(logits.at(0).first, logits.at(0).second, reading, tasks::SetRole::first, true);
  const Rows rows(outputs.logits);
  number_labels(outputs, outputs.n(), {}, &rows);
  const bool said = reading.as == "probs" || reading.binary == "prob";
  if ((request.has("jacobian") || request.has("gram")) && outputs.from_probs && !said)
    refuse(outputs.path, "the logits of the gradients (as_=\"logits\", if these are logits)",
           "probabilities");
  request.warnings = outputs.warnings;
  average_case::MadeElsewhere made{outputs.path, outputs.logits, {}, {}};
  if (request.has("jacobian")) made.jacobian = request.array("jacobian");
  if (request.has("gram")) made.gram = request.array("gram");
  tasks::AverageCaseTask task{.of = std::move(made)};
  task.labels = std::move(outputs.labels);
  task.class_names = std::move(outputs.class_names);
  task.groups = std::move(outputs.groups);
  return {std::move(task),
          {outputs.n(), outputs.ids.value_or(std::vector<std::string>()), outputs.path},
          outputs.k()};
}

// A classifier of Python functions, and its inputs.
Asked asked_of_classifier(Request& request) {
  const Array x = request.inputs();
  tasks::ClassifierInputs inputs = classifier_inputs(request["model"], x);
  const std::size_t n = inputs.n, k = inputs.classifier.k;
  return {{.of = std::move(inputs)}, {n}, k};
}

// Of all rows: an array (n) or (n,g), or a file's path.
std::vector<GroupColumn> groups_of(Request& request, const tasks::SetRows& rows) {
  const nb::object value = request["groups"];
  if (is_path(value)) {
    const std::string path = request.text("groups");
    std::vector<GroupColumn> groups =
        tasks::read_groups(path, rows, tasks::reading_of(reading_of(request)).columns);
    request.log.add(path, {rows.n, groups.size()});
    return groups;
  }
  const Array array = array_of(value, "groups");
  request.log.add_array("groups", array);
  return group_columns(array, nullptr, rows.n, "groups");
}

nb::object average_case_of(Request& request) {
  if (request.has("model") == request.has("logits") || request.has("model") != request.has("x"))
    throw Error("leeway.average_case: expected a model and x, or logits with jacobian or gram");
  Asked asked = request.has("model") ? asked_of_classifier(request) : asked_of_files(request);
  tasks::AverageCaseTask& task = asked.task;
  task.seed = request.seed;
  request.read(task.options);
  if (request.has("noise_covariance")) task.noise_covariance = request.array("noise_covariance");
  const std::size_t all = asked.rows.n, n = task.options.rows > 0 ? std::min(task.options.rows, all) : all;
  if (const Request::Labels labels = request.labels_or_file(reading_of(request), asked.rows))
    task.labels = labels(n, asked.k, task.class_names).values;
  if (request.has("groups")) task.groups = groups_of(request, asked.rows);
  const tasks::AverageCaseResult result = request.run(tasks::average_case, task);
  return request.finished(result.record, tasks::per_sample_arrays(result));
}

nb::object mvn_cdf_of(Request& request) {
  auto task = request.task<tasks::MvnCdfTask>();
  task.upper = {"upper", request.array("upper")},
  task.covariance = {"covariance", request.array("covariance")};
  task.options.seed = request.seed;
  return request.finished(request.run(tasks::mvn_cdf, task));
}

void average_case_options(Fields& f) {
  default_options<tasks::AverageCaseOptions>(f);
  tasks::OutputsReading reading;
  score_fields(reading, f);
}

}  // namespace

std::vector<Function> functions_of_noise() {
  return {
      {"average_case",
       "leeway average-case",
       tasks::average_case_schema,
       "The probability that predictions survive noise, for every sample: `arrays` has one array (n, sigmas) "
       "per method.",
       {{"model", "classifier", "a leeway.Classifier to evaluate on `x`; or the value of `logits`"},
        {"x", "inputs",
         "inputs of the model, (n, ...): float32, float64, or uint8 (0 to 255 are read as [0,1]); or the "
         "value of `jacobian`"},
        {"logits", "outputs",
         "logits in place of a model: an array (n,k), a dictionary of arrays as in an outputs file, or a "
         "file's path"},
        {"jacobian", "array", "Jacobians of the logits with respect to the input, (n,k,d)"},
        {"gram", "array", "in place of `jacobian`: Gram matrices J C J' of each sample, (n,k,k)"},
        {"labels", "labels", "labels to group samples by, if the outputs have none"},
        {"groups", "labels",
         "groups of the samples to compare, (n) or (n,g), strings or integers, or a file's path"},
        {"noise_covariance", "array",
         "covariance of Gaussian noise, multiplied by sigma^2: (d) variances or (d,d)"}},
       {"sigma"},
       average_case_options,
       average_case_of},
      {"mvn_cdf",
       "leeway mvn-cdf",
       tasks::mvn_cdf_schema,
       "P(Z <= z) of a multivariate normal Z with mean 0, with a bound on its error.",
       {{"upper", "array", "upper bounds z: (m,d), or (d) for one point; may be infinite", true},
        {"covariance", "array", "covariance of Z: (d,d) for all points or (m,d,d); may be singular", true}},
       {},
       default_options<average_case::MvnOptions>,
       mvn_cdf_of}};
}

}  // namespace leeway::python
