// leeway average-case: the probability that predictions survive noise.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/terminal.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/class_names.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"
#include "leeway/core/text.h"
#include "leeway/record/digest.h"
#include "leeway/report/report.h"
#include "leeway/tasks/average_case.h"

namespace leeway::app {
namespace {

struct AverageCaseFlags {
  ModelFlags model;
  std::string data, logits, jacobian, gram, covariance, labels;
  record::OutputsReading reading;  // `binary` is that of the model, too
  record::AverageCaseOptions options;
};

std::string state_of(const std::string& out) { return out + ".state"; }

// Of what decides the classifier and its inputs: a state of another plan is no use.
std::vector<std::string> digests_of(const AverageCaseFlags& flags) {
  const auto digest = [](const std::string& path) {
    return path.empty() || path.find(':') != std::string::npos ? path : digest_file(path);
  };
  record::ModelReading reading = flags.model.reading;
  reading.binary = flags.reading.binary;
  return {digest(flags.model.model), record::digest_of([&](record::Fields& f) { fields(reading, f); }),
          digest(flags.data), digest(flags.covariance)};
}

// A pass of a large network may outlast the patience of who stops it.
template <class Function>
Function stoppable(Function pass, const std::string& words) {
  return [pass = std::move(pass), words](auto... arguments) {
    const HardStop stop(words);
    return pass(arguments...);
  };
}

tasks::ClassifierInputs inputs_of(const Context& context, const ModelAndImages& loaded) {
  const std::string words = context.out.empty() ? "average-case: stopped; nothing was saved"
                                                : "average-case: stopped within a pass; the same command "
                                                  "goes on from the rows that were saved before";
  Classifier classifier = loaded.model->classifier(nn::shape_of(loaded.images));
  classifier.logits = stoppable(std::move(classifier.logits), words);
  classifier.gradients = stoppable(std::move(classifier.gradients), words);
  return {std::move(classifier),
          [&images = loaded.images](std::size_t row, std::span<float> out) { images.copy_row(row, out); },
          loaded.images.n()};
}

// An outputs file, or one array alone.
Outputs logits_of(Context& context, const AverageCaseFlags& flags) {
  const std::string& path = flags.logits;
  const ArrayMap arrays = read_arrays(path);
  const auto named = [&](const std::string& name) {
    return arrays.contains(name) && (!name.empty() || arrays.at(name).shape.size() == 2);
  };
  if (named("") || named("logits") || named("probs") || named("pred_probs")) {
    const OutputsOptions reading = reading_of(flags.reading, true);
    const bool gradients = !(flags.jacobian.empty() && flags.gram.empty());
    const bool said = reading.as == Scores::probs || reading.binary == Binary::prob;
    if (gradients && !said && read_shards(path, reading).rest.from_probs)
      refuse(display_name(path),
             fmt::format("logits, whose gradients are in {} (--as logits, where they are)",
                         flags.jacobian.empty() ? flags.gram : flags.jacobian),
             "probabilities");
    OutputsShards shards = read_shards(path, reading);
    for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
    for (const std::string& warning : shards.rest.warnings) context.warn(warning);
    return joined(std::move(shards));
  }
  Outputs outputs;
  outputs.logits = only_array(context, path);
  return outputs;
}

// The task of a model, which `loaded` keeps, and of files.
tasks::AverageCaseTask model_task(Context& context, const AverageCaseFlags& flags, ModelAndImages& loaded) {
  ModelFlags named = flags.model;
  named.reading.binary = flags.reading.binary;
  loaded = load_model_and_images(context, named, flags.data);
  tasks::AverageCaseTask task{.of = inputs_of(context, loaded)};
  task.labels = loaded.images.labels;
  task.class_names = class_names_of(flags.data, std::get<tasks::ClassifierInputs>(task.of).classifier.k);
  if (!context.out.empty()) task.state = state_of(context.out), task.made_of = digests_of(flags);
  task.resumed = [&context](std::size_t done, std::size_t n) {
    context.say(fmt::format("average-case: going on after {} of {} rows done before", done, n));
  };
  return task;
}

tasks::AverageCaseTask files_task(Context& context, const AverageCaseFlags& flags) {
  Outputs outputs = logits_of(context, flags);
  average_case::MadeElsewhere files{display_name(flags.logits), outputs.logits, {}, {}};
  if (!flags.jacobian.empty()) files.jacobian = only_array(context, flags.jacobian);
  if (!flags.gram.empty()) files.gram = only_array(context, flags.gram);
  if (!flags.covariance.empty() && !files.jacobian)
    throw UsageError(
        "--noise-covariance: expected --jacobian beside it; Gram matrices hold the noise already");
  tasks::AverageCaseTask task{.of = std::move(files)};
  task.labels = std::move(outputs.labels), task.class_names = std::move(outputs.class_names);
  return task;
}

void add_labels(Context& context, const AverageCaseFlags& flags, tasks::AverageCaseTask& task) {
  if (flags.labels.empty()) return;
  const auto* const model = std::get_if<tasks::ClassifierInputs>(&task.of);
  const auto* const files = std::get_if<average_case::MadeElsewhere>(&task.of);
  if (model == nullptr && files->logits.shape.size() != 2) return;  // which the task refuses
  const std::size_t all = model != nullptr ? model->n : files->logits.shape[0];
  const std::size_t n = flags.options.rows > 0 ? std::min(flags.options.rows, all) : all;
  task.labels = read_labels(flags.labels, n, model != nullptr ? model->classifier.k : files->logits.shape[1]);
  context.add_input(flags.labels, {n});
}

std::string error_text(const record::Robustness& found, const record::Survival& result) {
  for (const record::MonteCarloError& one : found.against_monte_carlo)
    if (one.method == result.method && one.sigma == result.sigma) return four(one.error.mean_absolute);
  return "-";
}

std::string average_case_text(const record::AverageCase& record) {
  const record::Robustness& found = record.found;
  TextTable table({left("method", 11), right("sigma", 6), right("mean", 7),
                   left(level_text(found.options.level), 18), right("5%", 7), right("median", 7),
                   right("MC error", 10), right("seconds", 9), left("")});
  for (const record::Survival& result : found.results) {
    const average_case::Distribution& all = result.p;
    table.add(result.method, fmt::format("{:g}", result.sigma), four(all.mean), interval_text(all.interval),
              four(all.quantiles[1]), four(all.quantiles[3]), error_text(found, result),
              fmt::format("{:.2f}", result.seconds), result.probability ? "" : "(score)");
  }
  std::string text = warnings_of(record.envelope) + wrapped(record.envelope.headline) + "\n" + table.text();
  text += fmt::format(
      "\nMean over {} samples of the probability that the prediction survives noise of that sigma. 5%: one "
      "in twenty\n"
      "samples is less robust. MC error: mean distance from Monte Carlo, its own chance included. Scores "
      "rank samples\n"
      "and are no probabilities.\n",
      found.n);
  if (found.options.copies_as_published)
    text += "mmse: copies drawn independently, as published; a linear model's p is then off by chance.\n";
  for (const record::Survival& result : found.results)
    if (result.not_converged.value_or(0) > 0)
      text += fmt::format("{} at sigma {:g}: {} of {} samples not within the tolerance\n", result.method,
                          result.sigma, *result.not_converged, result.p.n);
  return text + (record.envelope.findings.empty() ? "" : "\n") + findings_of(record.envelope);
}

int run_average_case(Context& context, const AverageCaseFlags& flags) {
  const bool model = !flags.model.model.empty(), files = !flags.logits.empty();
  if (model == files || model != !flags.data.empty())
    throw UsageError("average-case: expected --model and --data, or --logits with --jacobian or --gram");
  ModelAndImages loaded;
  tasks::AverageCaseTask task = model ? model_task(context, flags, loaded) : files_task(context, flags);
  task.options = flags.options, task.seed = context.seed;
  if (!flags.covariance.empty()) task.noise_covariance = only_array(context, flags.covariance);
  add_labels(context, flags, task);
  tasks::AverageCaseResult result;
  {
    std::optional<HardStop> stop;
    if (files) stop.emplace("average-case: stopped; nothing was saved");
    result = tasks::average_case(task, context.progress());
  }
  if (!context.out.empty()) {
    write_npz(context.out, tasks::per_sample_arrays(result));
    std::filesystem::remove(state_of(context.out));
  }
  result.record.model = flags.model.model, result.record.out = context.out;
  result.record.found.stochastic = loaded.stochastic;
  const record::AverageCase record = context.completed(result.record);
  if (!context.page.empty()) {
    const bool pictures = model && (loaded.images.channels() == 1 || loaded.images.channels() == 3);
    context.write_page(report::html_report(
        record, pictures ? report::sample_pictures(record, loaded.images) : report::Pictures{}));
  }
  if (context.json) context.warn_of(record.envelope);  // the table has them
  context.print(to_json(record), average_case_text(record));
  const bool converged = std::ranges::all_of(
      record.found.results, [](const record::Survival& one) { return one.not_converged.value_or(0) == 0; });
  return converged ? exit_ok : exit_incomplete;
}

void add_input_flags(const Command& command, AverageCaseFlags& flags) {
  command.option("--model", flags.model.model, model_help);
  add_option_flags(command, [&](record::Fields& f) {
    file_fields(flags.model.reading, f);
    stochastic_field(flags.model.reading, f);
  });
  add_device_flag(command, flags.model.reading.device);
  command.option("--data", flags.data, "Images: .npz, .safetensors, IDX(.gz), or fashion-mnist:test");
  command.option("--logits", flags.logits,
                 "Instead of a model: logits (n,k) made elsewhere, .npy or an outputs file");
  add_option_flags(command, flags.reading);
  const Option jacobian =
      command.option("--jacobian", flags.jacobian, "Their gradients by the input, (n,k,d)");
  command.option("--gram", flags.gram, "Or the products of these, J C J' of each sample, (n,k,k)")
      .excludes(jacobian);
  command.option("--labels", flags.labels, "Labels to group samples by, where the data hold none");
  command.option("--noise-covariance", flags.covariance,
                 "Covariance of gaussian noise, times sigma^2: .npy of (d) variances or (d,d)");
}

}  // namespace

void add_average_case(const Command& root, Context& context) {
  const Command command =
      root.add("average-case", "The probability that predictions survive noise, sample by sample");
  auto& flags = command.keep<AverageCaseFlags>();
  add_input_flags(command, flags);
  add_option_flags(command, flags.options);
  command["--sigma"].required();
  context.add_page_flag(command, "Write a page (.html)");
  context.add_common_flags(command, "Per-sample file (.npz): one array (n, sigmas) a method", Written::file,
                           one_file(state_of));
  command.footer(
      "p = P(argmax f(x + e) = argmax f(x)), e noise of standard deviation sigma; inputs are not clipped. "
      "taylor, and\n"
      "mmse with two centred copies or more, are exact for linear models under gaussian noise. taylor takes "
      "k backward\n"
      "passes a sample, mmse as many for every copy and sigma, mc thousands of forward passes.\n"
      "taylor-mvs, mmse-mvs and softmax are scores: they rank samples.\n\n"
      "  leeway average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.1 --out p.npz\n"
      "  leeway average-case --model cnn.pt --data x.npz --sigma 0.05,0.1 --methods mc,taylor,mmse --rows "
      "200\n"
      "  leeway average-case --logits f.npy --jacobian J.npy --sigma 0.1 --json");
  command.runs([&context, &flags] { return run_average_case(context, flags); });
}

}  // namespace leeway::app
