// attack: adversarial examples.
#include <fmt/format.h>
#include <nanobind/stl/vector.h>

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

attack::Box box_of(Request& request, const Array& x, std::size_t d) {
  if (!request.has("bounds")) return x.shape.size() > 2 ? attack::Box{} : attack::anywhere;
  std::vector<double> ends = to_f64(request.array("bounds"), "bounds");
  if (ends.size() != 2 && ends.size() != 2 * d)
    refuse("bounds", fmt::format("two numbers, or two for each of the {} features", d),
           fmt::format("{} numbers", ends.size()));
  const std::size_t each = ends.size() / 2;
  for (std::size_t j = 0; j < each; ++j)
    if (!(each > 1 ? ends[j] <= ends[each + j] : ends[0] < ends[1]))
      refuse(
          "bounds", "two numbers, the smaller one first",
          fmt::format("{}, {}{}", ends[j], ends[each + j], each > 1 ? fmt::format(" of feature {}", j) : ""));
  for (double& end : ends) end = std::clamp(end, -attack::farthest_value, attack::farthest_value);
  if (each == 1) return {ends[0], ends[1]};
  const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(each);
  return {0, 1, {ends.begin(), middle}, {middle, ends.end()}};
}

std::vector<std::uint8_t> changeable_of(Request& request, std::size_t d) {
  if (!request.has("changeable")) return {};
  const std::vector<double> marks = to_f64(request.array("changeable"), "changeable");
  if (marks.size() != d)
    refuse("changeable", fmt::format("{} booleans, one per feature", d), std::to_string(marks.size()));
  return {marks.begin(), marks.end()};
}

std::size_t feature_of(std::int64_t feature, const char* argument, std::size_t d) {
  if (feature < 0 || feature >= static_cast<std::int64_t>(d))
    refuse(argument, fmt::format("features from 0 to {}", d - 1), std::to_string(feature));
  return static_cast<std::size_t>(feature);
}

attack::Grid grid_of(Request& request, std::size_t d) {
  using Features = std::vector<std::int64_t>;
  attack::Grid grid;
  if (request.has("integers")) {
    grid.per_one.resize(d);
    for (const std::int64_t j : nb::cast<Features>(request["integers"]))
      grid.per_one[feature_of(j, "integers", d)] = 1;
  }
  if (request.has("one_hot"))
    for (const Features& group : nb::cast<std::vector<Features>>(request["one_hot"])) {
      grid.one_hot.emplace_back();
      for (const std::int64_t j : group) grid.one_hot.back().push_back(feature_of(j, "one_hot", d));
    }
  return grid;
}

nb::object attack_of(Request& request) {
  const Array x = request.inputs();
  tasks::AttacksOptions options;
  request.read(options);
  options.seed = request.seed;
  const tasks::ClassifierInputs inputs =
      options.draws > 1 ? randomized_inputs(request["model"], x) : classifier_inputs(request["model"], x);
  const std::size_t d = inputs.classifier.d;
  std::vector<float> rows(inputs.n * d);
  for (std::size_t i = 0; i < inputs.n; ++i) inputs.input(i, std::span(rows).subspan(i * d, d));
  attack::Target target{inputs.classifier, rows};
  target.name = "x", target.box = box_of(request, x, d);
  target.changeable = changeable_of(request, d), target.grid = grid_of(request, d);
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
        {"bounds", "bounds",
         "range of the values, (low, high), two numbers or arrays with one number per feature (default: 0 "
         "and 1 of "
         "images, none of rows)"},
        {"changeable", "array", "booleans, one per feature: the attack may change it (default: all)"},
        {"integers", "features", "positions of features that are whole numbers (default: none)"},
        {"one_hot", "feature-groups",
         "lists of positions of features, of which one is 1 and the others 0 (default: none)"}},
       {},
       default_options<tasks::AttacksOptions>,
       attack_of}};
}

}  // namespace leeway::python
