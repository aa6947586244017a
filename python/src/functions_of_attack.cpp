// attack: adversarial examples.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/io/columns.h"
#include "leeway/tasks/attack/attack.h"
#include "python/src/arrays.h"
#include "python/src/classifier.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

// Whole numbers, one a row.
std::vector<std::int64_t> classes_of(Request& request, const char* argument, std::size_t n, std::size_t k) {
  const Array array = array_of(request[argument], argument);
  request.log.add_array(argument, array);
  return labels_of(array, argument, n, k, {}).values;
}

attack::Box box_of(Request& request, const Array& x) {
  if (!request.has("bounds")) return x.shape.size() > 2 ? attack::Box{} : attack::anywhere;
  const Array bounds = request.array("bounds");
  const std::vector<double> ends = to_f64(bounds, "bounds");
  if (ends.size() != 2 || !(ends[0] < ends[1]))
    refuse("bounds", "two numbers, the smaller one first", fmt::format("{}", fmt::join(ends, ", ")));
  return {std::max(ends[0], -attack::farthest_value), std::min(ends[1], attack::farthest_value)};
}

nb::object attack_of(Request& request) {
  const Array x = request.inputs();
  const tasks::ClassifierInputs inputs = classifier_inputs(request["model"], x);
  const std::size_t d = inputs.classifier.d;
  std::vector<float> rows(inputs.n * d);
  for (std::size_t i = 0; i < inputs.n; ++i) inputs.input(i, std::span(rows).subspan(i * d, d));
  tasks::AttacksOptions options;
  request.read(options);
  options.seed = request.seed;
  attack::Target target{inputs.classifier, rows};
  target.name = "x", target.box = box_of(request, x);
  if (x.shape.size() == 4) target.picture = {x.shape[1], x.shape[2], x.shape[3]};
  if (x.shape.size() == 3) target.picture = {1, x.shape[1], x.shape[2]};
  if (request.has("y")) target.labels = classes_of(request, "y", inputs.n, inputs.classifier.k);
  if (request.has("targets")) options.targets = classes_of(request, "targets", inputs.n, inputs.classifier.k);
  std::vector<double> radii;
  if (options.eps) radii.push_back(*options.eps), options.eps.reset();
  tasks::Attack record;
  std::vector<attack::AttackResult> results;
  request.run([&](Progress* progress) {
    for (const attack::AttackOptions& one : tasks::attacks_of(options, radii)) {
      tasks::AttackFound found = tasks::attack({target, one, options.checks}, progress);
      tasks::add_set(record, std::move(found.record));
      results.push_back(std::move(found.result));
    }
    tasks::add_worst_cases(record, results);
  });
  const auto within =
      std::ranges::find_if(results, [](const auto& one) { return one.options.eps.has_value(); });
  const auto eps = within == results.end() ? std::nullopt : within->options.eps;
  return request.finished(std::move(record), tasks::attacked_arrays(tasks::worst_of(results, eps), x.shape));
}

}  // namespace

std::vector<Function> functions_of_attack() {
  return {
      {"attack",
       "leeway attack",
       tasks::attack_schema,
       "Adversarial examples: `arrays` has x, norms and success for every row, of several attacks the worst.",
       {{"model", "classifier",
         "a leeway.Classifier, a torch.nn.Module, or an estimator with predict_proba or decision_function",
         true},
        {"x", "inputs",
         "inputs of the model: images (n,c,h,w) or (n,h,w) in [0,1], or rows (n,d) of any range", true},
        {"y", "labels", "labels, which the attack leads away from (default: the model's predictions)"},
        {"targets", "labels", "class that each row is to be taken for (default: any other)"},
        {"bounds", "array", "range of the values, (low, high) (default: 0 and 1 of images, none of rows)"}},
       {},
       default_options<tasks::AttacksOptions>,
       attack_of}};
}

}  // namespace leeway::python
