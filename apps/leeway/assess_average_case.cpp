#include "apps/leeway/assess_average_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "apps/leeway/inputs.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/options.h"
#include "leeway/average_case/average_case.h"
#include "leeway/core/class_names.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/tasks/assess/predictions.h"
#include "leeway/tasks/average_case.h"

namespace leeway::app {
namespace {

constexpr double tolerated = .01;  // share of rows on which a model may differ from its outputs

NoiseInput parse(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  auto [name, path] = split_name(text);
  if (name.find('/') != std::string::npos) name.clear(), path = text;  // a path that has "="
  if (path.empty()) throw UsageError(fmt::format("{} {}: expected [MODEL=]FILE", option, text));
  if (name.empty() && names.size() > 1)
    throw UsageError(
        fmt::format("{} {}: expected MODEL=FILE, as there are {} models", option, text, names.size()));
  if (name.empty()) name = names.front();
  if (std::ranges::find(names, name) == names.end())
    throw UsageError(fmt::format("{} {}: no --source names the model \"{}\"", option, text, name));
  return {name, path, option == "--model"};
}

// The first rows of an array; nothing is copied.
Array head(Array array, std::size_t rows) {
  array.shape[0] = rows;
  return array;
}

std::variant<tasks::ClassifierInputs, average_case::MadeElsewhere> inputs_of(const NoiseSubject& subject) {
  const Outputs& outputs = subject.source->outputs;
  if (!subject.model)
    return average_case::MadeElsewhere{
        display_name(subject.input.path), outputs.logits, subject.jacobian, {}};
  const Classifier classifier = subject.model->classifier(nn::shape_of(*subject.images));
  if (classifier.k != outputs.k())
    refuse(display_name(subject.input.path), fmt::format("{} classes as in {}", outputs.k(), outputs.path),
           fmt::format("{}", classifier.k));
  return tasks::ClassifierInputs{
      classifier,
      [images = subject.images](std::size_t row, std::span<float> out) { images->copy_row(row, out); },
      outputs.n()};
}

// Share of the first rows on which the model does not say what the outputs say.
double disagreement(const std::vector<std::int32_t>& targets, const Outputs& outputs) {
  const auto said = assess::predict(head(outputs.logits, targets.size()), outputs.path).classes;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) differ += said[i] != targets[i];
  return static_cast<double>(differ) / static_cast<double>(targets.size());
}

std::vector<std::string> class_names(const NoiseSubject& subject) {
  const Outputs& outputs = subject.source->outputs;
  if (!outputs.class_names.empty() || subject.images == nullptr) return outputs.class_names;
  return class_names_of(subject.images->path, outputs.k());
}

std::vector<std::string> warnings_of(const NoiseSubject& subject, const record::AverageCase& record,
                                     double differ) {
  std::vector<std::string> warnings = record.envelope.warnings;
  if (subject.stochastic) warnings.push_back(tasks::variation_warning(*subject.model, *subject.stochastic));
  if (differ > tolerated)
    warnings.push_back(
        fmt::format("{} predicts another class than {} on {:.1f}% of the source's first {} rows: is it the "
                    "model of these outputs, with its normalization (--mean, --std, --scale)?",
                    subject.input.path, subject.source->outputs.path, 100 * differ, record.found.n));
  for (const record::Survival& one : record.found.results)
    if (one.not_converged.value_or(0) > 0)
      warnings.push_back(fmt::format("{} at sigma {:g}: {} of {} samples not within the tolerance",
                                     one.method, one.sigma, *one.not_converged, one.p.n));
  return warnings;
}

record::ModelUnderNoise under_noise(Context& context, const NoiseFlags& flags, const NoiseSubject& subject) {
  const Outputs& outputs = subject.source->outputs;
  tasks::AverageCaseTask task{.of = inputs_of(subject)};
  task.labels = outputs.labels, task.class_names = class_names(subject);
  task.options.sigma = flags.sigmas, task.options.rows = flags.rows;
  task.options.methods = subject.model ? std::vector<std::string>{"taylor", "mmse", "softmax"}
                                       : std::vector<std::string>{"taylor", "softmax"};
  task.seed = context.seed;
  tasks::AverageCaseResult result = tasks::average_case(task, context.progress());
  const double differ = disagreement(result.rows.targets, outputs);
  record::ModelUnderNoise model{subject.input.name,
                                subject.model ? "model" : "jacobian",
                                subject.input.path,
                                outputs.n(),
                                subject.model ? std::optional(differ) : std::nullopt,
                                warnings_of(subject, result.record, differ),
                                std::move(result.record.found)};
  model.found.stochastic = subject.stochastic;
  for (const std::string& warning : model.warnings)
    if (context.json)  // the table has them
      context.warn(fmt::format("leeway: {}: {}", model.model, warning));
  return model;
}

NoiseSubject open_subject(Context& context, const NoiseFlags& flags, const NoiseInput& input,
                          const tasks::AssessSource& source, const Images* images) {
  NoiseSubject subject{input, &source, images, nullptr, std::nullopt, std::nullopt};
  const Outputs& outputs = source.outputs;
  if (input.model) {
    subject.model = load_model(context, {input.path, flags.reading}, nn::shape_of(*images));
    subject.stochastic = tasks::check_variation(*subject.model, *images, flags.reading.stochastic);
    return subject;
  }
  if (outputs.from_probs)
    refuse(outputs.path, fmt::format("logits, of which {} is the Jacobian", input.path), "probabilities");
  subject.jacobian = only_array(context, input.path);
  const auto& shape = subject.jacobian->shape;
  if (shape.size() != 3 || shape[0] != outputs.n() || shape[1] != outputs.k() || shape[2] == 0)
    refuse(display_name(input.path),
           fmt::format("a Jacobian of shape ({}, {}, d), as {} has {} rows and {} classes", outputs.n(),
                       outputs.k(), outputs.path, outputs.n(), outputs.k()),
           subject.jacobian->shape_text());
  return subject;
}

}  // namespace

std::pair<std::string, std::string> split_name(const std::string& text) {
  const auto equals = text.find('=');
  return equals == std::string::npos ? std::pair<std::string, std::string>{"", text}
                                     : std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

void add_noise_flags(CLI::App& command, NoiseFlags& flags) {
  const std::string group = "Noise";
  command
      .add_option(
          "--model", flags.models,
          "[MODEL=]FILE: the model of a source, on the source's --images: TorchScript, .onnx, a PyTorch "
          "checkpoint (.pt, .pth, .th), .safetensors, or .npz of named tensors")
      ->group(group);
  command
      .add_option("--jacobian", flags.jacobians,
                  "[MODEL=]FILE: or the gradients of the source's logits by the input, (n,k,d), .npy")
      ->group(group);
  command
      .add_option("--sigma", flags.sigmas,
                  "Standard deviations of the noise, pixels in [0,1]: 0.1 or 0.05,0.1")
      ->delimiter(',')
      ->check(within(0, 1e30))
      ->group(group);
  command
      .add_option("--survival-rows", flags.rows, "How many of the source's first rows meet noise (0: all)")
      ->capture_default_str()
      ->group(group);
  const auto reading = [&](record::Fields& f) {
    file_fields(flags.reading, f);
    stochastic_field(flags.reading, f);
  };
  add_option_flags(command, reading, group);
  add_device_flag(command, flags.reading.device);
}

std::vector<NoiseInput> parse_noise_inputs(const NoiseFlags& flags, const std::vector<std::string>& names,
                                           bool source_images) {
  if (!flags.given() && !flags.sigmas.empty())
    throw UsageError("--sigma: expected --model or --jacobian beside it, for predictions under noise");
  std::vector<NoiseInput> inputs;
  const auto add = [&](const std::string& option, const std::string& text) {
    NoiseInput input = parse(option, text, names);
    for (const NoiseInput& other : inputs)
      if (other.name == input.name)
        throw UsageError(fmt::format("{} {}: model \"{}\" has a {} already", option, text, input.name,
                                     other.model ? "--model" : "--jacobian"));
    if (flags.sigmas.empty())
      throw UsageError(
          fmt::format("{} {}: expected --sigma beside it, the standard deviations of the noise, as in "
                      "--sigma 0.05,0.1",
                      option, text));
    if (input.model && !source_images)
      throw UsageError(
          fmt::format("{} {}: expected --images FILE beside it, the source's images", option, text));
    inputs.push_back(std::move(input));
  };
  for (const std::string& text : flags.models) add("--model", text);
  for (const std::string& text : flags.jacobians) add("--jacobian", text);
  return inputs;
}

std::vector<NoiseSubject> open_noise_subjects(Context& context, const NoiseFlags& flags,
                                              const std::vector<NoiseInput>& inputs,
                                              const std::vector<tasks::AssessSource>& sources,
                                              const Images* images) {
  std::vector<NoiseSubject> subjects;
  for (const NoiseInput& input : inputs)
    subjects.push_back(open_subject(
        context, flags, input, *std::ranges::find(sources, input.name, &tasks::AssessSource::model), images));
  return subjects;
}

std::vector<record::ModelUnderNoise> under_noise(Context& context, const NoiseFlags& flags,
                                                 const std::vector<NoiseSubject>& subjects) {
  std::vector<record::ModelUnderNoise> models;
  for (const NoiseSubject& subject : subjects) models.push_back(under_noise(context, flags, subject));
  return models;
}

}  // namespace leeway::app
