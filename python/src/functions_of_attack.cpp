// attack, attack_curve: adversarial examples, and models under growing attacks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/io/columns.h"
#include "leeway/render/figures.h"
#include "leeway/tasks/attack/attack.h"
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

attack::Box box_of(Request& request, const Array& x) {
  if (!request.has("bounds")) return x.shape.size() > 2 ? attack::Box{} : attack::anywhere;
  const Array bounds = request.array("bounds");
  const std::vector<double> ends = to_f64(bounds, "bounds");
  if (ends.size() != 2 || !(ends[0] < ends[1]))
    refuse("bounds", "two numbers, the smaller one first", fmt::format("{}", fmt::join(ends, ", ")));
  return {std::max(ends[0], -attack::farthest_value), std::min(ends[1], attack::farthest_value)};
}

// A model in memory and its inputs as rows. Both must outlive its target.
class InMemory {
 public:
  InMemory(nb::handle model, const Array& x)
      : inputs_(classifier_inputs(model, x)), shape_(x.shape), rows_(inputs_.n * inputs_.classifier.d) {
    const std::size_t d = inputs_.classifier.d;
    for (std::size_t i = 0; i < inputs_.n; ++i) inputs_.input(i, std::span(rows_).subspan(i * d, d));
  }

  [[nodiscard]] attack::Target target(Request& request, const Array& x) const {
    attack::Target target{inputs_.classifier, rows_};
    target.name = "x", target.box = box_of(request, x);
    if (shape_.size() == 4) target.picture = {shape_[1], shape_[2], shape_[3]};
    if (shape_.size() == 3) target.picture = {1, shape_[1], shape_[2]};
    return target;
  }

 private:
  const tasks::ClassifierInputs inputs_;
  const std::vector<std::size_t> shape_;
  std::vector<float> rows_;
};

nb::object attack_of(Request& request) {
  const Array x = request.inputs();
  const InMemory model(request["model"], x);
  tasks::AttackTask task{model.target(request, x), {}};
  request.read(task.options);
  task.options.seed = request.seed;
  const std::size_t n = x.shape[0], k = task.target.classifier.k;
  if (request.has("y")) task.target.labels = classes_of(request, "y", request["y"], n, k);
  if (request.has("targets")) task.options.targets = classes_of(request, "targets", request["targets"], n, k);
  auto [record, result] = request.run(tasks::attack, task);
  return request.finished(std::move(record), tasks::attacked_arrays(std::move(result), x.shape));
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
       "Adversarial examples: `arrays` has x, norms and success for every row.",
       {{"model", "classifier",
         "a leeway.Classifier, a torch.nn.Module, or an estimator with predict_proba or decision_function",
         true},
        {"x", "inputs",
         "inputs of the model: images (n,c,h,w) or (n,h,w) in [0,1], or rows (n,d) of any range", true},
        {"y", "labels", "labels, which the attack leads away from (default: the model's predictions)"},
        {"targets", "labels", "class that each row is to be taken for (default: any other)"},
        {"bounds", "array", "range of the values, (low, high) (default: 0 and 1 of images, none of rows)"}},
       {},
       default_options<attack::AttackOptions>,
       attack_of},
      {"attack_curve",
       "leeway attack curve",
       tasks::attack_curve_schema,
       "Accuracy, agreement and confidence of models under attacks of growing strength.",
       {{"models", "classifiers", "a model as leeway.attack takes it, or a dictionary from names to models",
         true},
        {"x", "inputs", "inputs of the models, as for leeway.attack", true},
        {"y", "labels", "labels, which the attacks lead away from (default: each model's predictions)"},
        {"bounds", "array", "range of the values, (low, high) (default: 0 and 1 of images, none of rows)"},
        {"figures", "text", "folder to write charts and tables to: .svg (requires node), .csv, .tex"}},
       {},
       default_options<tasks::AttackCurveOptions>,
       attack_curve_of}};
}

}  // namespace leeway::python
