#include "leeway/tasks/average_case/models_under_noise.h"

#include <fmt/format.h>

#include <variant>

#include "leeway/core/message.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/average_case/robustness.h"
#include "leeway/tasks/model.h"

namespace leeway::tasks {
namespace {

constexpr double tolerated = .01;  // share of rows on which a model may differ from its outputs

ClassifierInputs model_inputs(const NoiseSubject& subject) {
  if (subject.functions) return *subject.functions;
  return {subject.model->classifier(nn::shape_of(*subject.images)),
          [images = subject.images](std::size_t row, std::span<float> out) { images->copy_row(row, out); },
          subject.outputs->n()};
}

std::variant<ClassifierInputs, average_case::MadeElsewhere> inputs_of(const NoiseSubject& subject) {
  const Outputs& outputs = *subject.outputs;
  const std::string path = display_name(subject.path);
  if (subject.jacobian) return average_case::MadeElsewhere{path, outputs.logits, subject.jacobian, {}};
  ClassifierInputs inputs = model_inputs(subject);
  const auto expect = [&](std::size_t found, std::size_t expected, const std::string& things) {
    if (found != expected) refuse(path, fmt::format("{} {} as in {}", expected, things, outputs.path), found);
  };
  expect(inputs.classifier.k, outputs.k(), "classes");
  expect(inputs.n, outputs.n(), "inputs, one per row,");
  if (!inputs.classifier.linearize) refuse(path, "gradients, for taylor and mmse", "none");
  return inputs;
}

// Share of the first rows on which the model does not say what the outputs say.
double disagreement(const std::vector<std::int32_t>& targets, const Outputs& outputs) {
  const auto said = assess::predict(first_rows(outputs.logits, targets.size()), outputs.path).classes;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) differ += said[i] != targets[i];
  return static_cast<double>(differ) / static_cast<double>(targets.size());
}

std::vector<std::string> class_names(const NoiseSubject& subject) {
  const Outputs& outputs = *subject.outputs;
  if (!outputs.class_names.empty() || subject.images == nullptr) return outputs.class_names;
  return class_names_of(*subject.images, outputs.k());
}

std::vector<std::string> warnings_of(const NoiseSubject& subject, const AverageCase& record, double differ) {
  std::vector<std::string> warnings = record.envelope.warnings;
  if (subject.stochastic) warnings.push_back(variation_warning(*subject.model, *subject.stochastic));
  if (differ > tolerated)
    warnings.push_back(fmt::format(
        "{} predicts a different class than {} on {:.1f}% of the source's first {} rows: did this model "
        "produce these outputs, with the right normalization (--mean, --std, --scale)?",
        subject.path, subject.outputs->path, 100 * differ, record.found.n));
  for (const Survival& one : record.found.results)
    if (one.not_converged.value_or(0) > 0)
      warnings.push_back(fmt::format("{} at sigma {:g}: {} of {} samples exceed the tolerance", one.method,
                                     one.sigma, *one.not_converged, one.p.n));
  return warnings;
}

ModelUnderNoise under_noise(const NoiseSubject& subject, const NoiseOptions& options, std::uint64_t seed,
                            Progress* progress) {
  const bool is_model = !subject.jacobian;
  AverageCaseTask task{.of = inputs_of(subject)};
  task.labels = subject.outputs->labels, task.class_names = class_names(subject);
  task.groups = subject.outputs->groups;
  task.options.sigma = options.sigma, task.options.rows = options.survival_rows;
  task.options.methods = is_model ? std::vector<std::string>{"taylor", "mmse", "softmax"}
                                  : std::vector<std::string>{"taylor", "softmax"};
  task.seed = seed;
  AverageCaseResult result = average_case(task, progress);
  const double differ = disagreement(result.rows.targets, *subject.outputs);
  ModelUnderNoise model{subject.name,
                        is_model ? "model" : "jacobian",
                        subject.path,
                        subject.outputs->n(),
                        is_model ? std::optional(differ) : std::nullopt,
                        warnings_of(subject, result.record, differ),
                        std::move(result.record.found)};
  model.found.stochastic = subject.stochastic;
  return model;
}

}  // namespace

void fields(NoiseOptions& options, Fields& f) {
  f("sigma", options.sigma, from_to(0, 1e30),
    "standard deviations of the noise, for pixels in [0,1]: 0.1 or 0.05,0.1");
  f("survival_rows", options.survival_rows, "evaluate the first N source rows under noise (0: all)");
}

void check_jacobian(const NoiseSubject& subject) {
  const Outputs& outputs = *subject.outputs;
  if (outputs.from_probs)
    refuse(outputs.path, fmt::format("the logits whose Jacobian is {}", subject.path), "probabilities");
  const auto& shape = subject.jacobian->shape;
  if (shape.size() != 3 || shape[0] != outputs.n() || shape[1] != outputs.k() || shape[2] == 0)
    refuse(display_name(subject.path),
           fmt::format("a Jacobian of shape ({}, {}, d), because {} has {} rows and {} classes", outputs.n(),
                       outputs.k(), outputs.path, outputs.n(), outputs.k()),
           subject.jacobian->shape_text());
}

std::vector<ModelUnderNoise> models_under_noise(const std::vector<NoiseSubject>& subjects,
                                                const NoiseOptions& options, std::uint64_t seed,
                                                Progress* progress) {
  std::vector<ModelUnderNoise> models;
  for (const NoiseSubject& subject : subjects)
    models.push_back(under_noise(subject, options, seed, progress));
  return models;
}

}  // namespace leeway::tasks
