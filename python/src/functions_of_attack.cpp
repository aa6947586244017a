// attack, attack_curve: adversarial examples, and models under growing attacks.
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
#include "leeway/render/figures.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/attack/endpoint.h"
#include "leeway/tasks/attack_curve/attack_curve.h"
#include "python/src/arrays.h"
#include "python/src/classifier.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

// Whole numbers, one a row.
std::vector<std::int64_t> classes_of(Request& request, const char* argument, nb::handle value, std::size_t n,
                                     std::size_t k) {
  const Array array = array_of(value, argument);
  if (!request.log.has(argument)) request.log.add_array(argument, array);
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

// A model in memory and its inputs as rows. Both must outlive its target.
class InMemory {
 public:
  // `randomized`: the model may answer differently each time.
  InMemory(nb::handle model, const Array& x, bool randomized = false)
      : inputs_(randomized ? randomized_inputs(model, x) : classifier_inputs(model, x)),
        shape_(x.shape),
        rows_(inputs_.n * inputs_.classifier.d) {
    const std::size_t d = inputs_.classifier.d;
    for (std::size_t i = 0; i < inputs_.n; ++i) inputs_.input(i, std::span(rows_).subspan(i * d, d));
  }

  [[nodiscard]] attack::Target target(Request& request, const Array& x) const {
    attack::Target target{inputs_.classifier, rows_};
    target.name = "x", target.box = box_of(request, x, inputs_.classifier.d);
    if (shape_.size() == 4) target.picture = {shape_[1], shape_[2], shape_[3]};
    if (shape_.size() == 3) target.picture = {1, shape_[1], shape_[2]};
    return target;
  }

 private:
  const tasks::ClassifierInputs inputs_;
  const std::vector<std::size_t> shape_;
  std::vector<float> rows_;
};

// The worst of the attacks: those with a radius, where there are any.
nb::object worst_found(Request& request, tasks::Attack record,
                       const std::vector<attack::AttackResult>& results,
                       const std::vector<std::size_t>& shape) {
  const auto within =
      std::ranges::find_if(results, [](const auto& one) { return one.options.eps.has_value(); });
  const auto eps = within == results.end() ? std::nullopt : within->options.eps;
  return request.finished(std::move(record), tasks::attacked_arrays(tasks::worst_of(results, eps), shape));
}

nb::object attack_of(Request& request) {
  const Array x = request.inputs();
  tasks::AttacksOptions options;
  request.read(options);
  options.seed = request.seed;
  const InMemory model(request["model"], x, options.draws > 1);
  attack::Target target = model.target(request, x);
  const std::size_t n = x.shape[0], d = target.classifier.d, k = target.classifier.k;
  target.changeable = changeable_of(request, d), target.grid = grid_of(request, d);
  if (request.has("y")) target.labels = classes_of(request, "y", request["y"], n, k);
  if (request.has("targets")) options.targets = classes_of(request, "targets", request["targets"], n, k);
  std::vector<double> radii;
  if (options.eps) radii.push_back(*options.eps), options.eps.reset();
  tasks::Attack record;
  std::vector<attack::AttackResult> results;
  request.run([&](Progress* progress) {
    for (const attack::AttackOptions& one : tasks::attacks_of(options, radii)) {
      if (one.eps && radii.empty() && x.shape.size() == 2)
        refuse("eps", "a radius in the units of the rows", "none");
      tasks::AttackFound found = tasks::attack({target, one, options.checks}, progress);
      tasks::add_set(record, std::move(found.record));
      results.push_back(std::move(found.result));
    }
    tasks::add_worst_cases(record, results);
  });
  return worst_found(request, std::move(record), results, x.shape);
}

nb::object attack_endpoint_of(Request& request) {
  tasks::AttackEndpointOptions options;
  request.read(options);
  options.seed = request.seed;
  const auto given = request.pairs("images");
  Images images = request.images(given.at(0).first, given.at(0).second);
  const std::vector<std::size_t> shape = images.own_shape();
  const std::size_t n = images.n();
  tasks::Attack record;
  std::vector<attack::AttackResult> results;
  std::vector<std::string> lines;
  std::vector<double> radii;
  if (options.eps) radii.push_back(*options.eps), options.eps.reset();
  std::optional<Array> targets;
  if (request.has("targets")) targets = request.array("targets");
  request.run([&](Progress* progress) {
    tasks::EndpointUnderAttack under(
        std::move(images), options, options.seed, [&](const std::string& line) { lines.push_back(line); },
        progress);
    if (targets) options.targets = labels_of(*targets, "targets", n, under.classes(), {}).values;
    for (const attack::AttackOptions& one : tasks::attacks_of(options, radii)) {
      tasks::AttackFound found = under.attack(one);
      tasks::add_set(record, std::move(found.record));
      results.push_back(std::move(found.result));
    }
    tasks::add_worst_cases(record, results);
  });
  request.warnings.insert(request.warnings.end(), lines.begin(), lines.end());
  return worst_found(request, std::move(record), results, shape);
}

// Outputs of the target's classifier on `rows`, in passes as long as those of attacks.
Outputs outputs_on(const attack::Target& target, std::span<const float> rows) {
  const Classifier& classifier = target.classifier;
  const std::size_t n = rows.size() / classifier.d;
  std::vector<float> logits;
  for (std::size_t i = 0; i < n; i += classifier.rows_at_once) {
    const std::size_t count = std::min(classifier.rows_at_once, n - i);
    const std::vector<float> some = classifier.logits(rows.subspan(i * classifier.d, count * classifier.d));
    logits.insert(logits.end(), some.begin(), some.end());
  }
  Outputs outputs;
  outputs.logits = make_array({n, classifier.k}, std::move(logits));
  outputs.labels = target.labels;
  return outputs;
}

// Attacks one model; warnings of an attack go to `warnings` under its name.
tasks::CurveModel attacked_model(const std::string& name, const attack::Target& target,
                                 const std::vector<tasks::CurveAttack>& attacks,
                                 std::vector<std::string>& warnings, Progress* progress) {
  tasks::CurveModel model{name, tasks::in_memory(name, outputs_on(target, target.x)), {}};
  for (const tasks::CurveAttack& one : attacks) {
    const std::string set = fmt::format("{}, {} {}", name, one.options.attack, one.strength);
    auto [record, result] = tasks::attack({target, one.options}, progress);
    for (const std::string& line : record.envelope.warnings) warnings.push_back(set + ": " + line);
    Outputs outputs = outputs_on(target, result.x);
    outputs.norms = std::move(result.norms);
    model.attacked.push_back({one.options.attack, one.strength, tasks::in_memory(set, std::move(outputs))});
  }
  return model;
}

nb::object attack_curve_of(Request& request) {
  const Array x = request.inputs();
  auto task = request.task<tasks::AttackCurveTask>();
  const std::vector<tasks::CurveAttack> attacks = tasks::attacks_of(task.options, task.seed);
  std::vector<std::string> warnings;
  for (const auto& named : request.pairs("models")) {
    const nb::object classifier = named.second[0], labels = named.second[1];
    const InMemory model(classifier, x);
    attack::Target target = model.target(request, x);
    if (!labels.is_none()) target.labels = classes_of(request, "y", labels, x.shape[0], target.classifier.k);
    task.models.push_back(request.run([&](Progress* progress) {
      return attacked_model(named.first, target, attacks, warnings, progress);
    }));
  }
  tasks::AttackCurve record = request.run(tasks::attack_curve, task);
  record.envelope.warnings.insert(record.envelope.warnings.begin(), warnings.begin(), warnings.end());
  request.warnings = tasks::unproved_maxima(record);
  if (request.has("figures")) {
    const auto drawn = render::write_figures(tasks::view(record), request.text("figures"));
    if (!drawn.missing.empty()) request.warnings.push_back("figures: " + drawn.missing);
  }
  return request.finished(std::move(record));
}

}  // namespace

std::vector<Function> functions_of_attack() {
  return {
      {"attack",
       "leeway attack",
       tasks::attack_schema,
       "Adversarial examples: `arrays` has x, norms and success for every row, under the worst of the "
       "attacks.",
       {{"model", "classifier",
         "a leeway.Classifier, a torch.nn.Module, or an estimator with predict_proba or decision_function",
         true},
        {"x", "inputs",
         "inputs of the model: images (n,c,h,w) or (n,h,w) in [0,1], or rows (n,d) of any range", true},
        {"y", "labels", "labels that the attack leads away from (default: the model's predictions)"},
        {"targets", "labels", "target class of each row (default: any wrong class)"},
        {"bounds", "bounds",
         "range of the values, (low, high): two numbers, or two arrays with one number per feature (default: "
         "(0, 1) for images, none for rows)"},
        {"changeable", "array", "booleans, one per feature: true if the attack may change it (default: all)"},
        {"integers", "features", "positions of integer features (default: none)"},
        {"one_hot", "feature-groups",
         "lists of positions of one-hot features: one feature is 1, the others are 0 (default: none)"}},
       {},
       default_options<tasks::AttacksOptions>,
       attack_of},
      {"attack_endpoint",
       "leeway attack",
       tasks::attack_schema,
       "Adversarial examples for a model behind a chat endpoint, by attacks without gradients: `arrays` as "
       "in leeway.attack. The server key is read from the environment variable LEEWAY_API_KEY.",
       {{"images", "images",
         "(n,c,h,w), uint8 or floats in [0,1], a dictionary with x and y, a file's path or a name such as "
         "fashion-mnist:test",
         true},
        {"targets", "array", "target class of each image, as a number (default: any wrong class)"}},
       {},
       default_options<tasks::AttackEndpointOptions>,
       attack_endpoint_of},
      {"attack_curve",
       "leeway attack curve",
       tasks::attack_curve_schema,
       "Accuracy, agreement and confidence of models under attacks of growing strength.",
       {{"models", "classifiers", "a model, as for leeway.attack, or a dictionary that maps names to models",
         true},
        {"x", "inputs", "inputs of the models, as for leeway.attack", true},
        {"y", "labels", "labels that the attacks lead away from (default: each model's predictions)"},
        {"bounds", "bounds", "range of the values, as for leeway.attack"},
        {"figures", "text", "folder to write charts and tables to: .svg (requires node), .csv, .tex"}},
       {},
       default_options<tasks::AttackCurveOptions>,
       attack_curve_of}};
}

}  // namespace leeway::python
