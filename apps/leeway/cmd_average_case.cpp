// leeway average-case: the probability that predictions survive noise.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/core/rows.h"
#include "leeway/describe/json.h"
#include "leeway/io/columns.h"
#include "leeway/io/groups.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

struct AverageCaseFlags {
  ModelFlags model;
  std::string data, logits, jacobian, gram, covariance;
  tasks::OutputsReading reading;  // `binary` is that of the model, too
  tasks::AverageCaseOptions options;
};

// The rows that --index and --split chose of `whole`; nothing: all.
struct TakenRows {
  tasks::SetRows whole;
  std::optional<std::vector<std::size_t>> rows;
};

// `binary` and the names of classes are those of the outputs' reading.
ModelFlags model_of(const AverageCaseFlags& flags) {
  ModelFlags model = flags.model;
  model.reading.binary = flags.reading.binary, model.reading.classes = flags.reading.class_names;
  return model;
}

// Of what decides the classifier and its inputs: a state of another plan is no use.
std::vector<std::string> digests_of(const AverageCaseFlags& flags) {
  std::vector<std::string> all = identity_of(model_of(flags));
  for (const std::string& file : {flags.data, flags.covariance, flags.reading.index.value_or("")})
    all.push_back(contents_of(file));
  all.push_back(flags.reading.split.value_or(""));
  return all;
}

tasks::ClassifierInputs inputs_of(const ModelAndImages& loaded) {
  return {loaded.model->classifier(nn::shape_of(loaded.images)),
          [&images = loaded.images](std::size_t row, std::span<float> out) { images.copy_row(row, out); },
          loaded.images.n()};
}

// An outputs file, or one array alone.
Outputs logits_of(Context& context, const AverageCaseFlags& flags) {
  const std::string& path = flags.logits;
  const ArrayMap arrays = read_arrays(path);
  const auto named = [&](const std::string& name) {
    return arrays.contains(name) &&
           (!name.empty() || arrays.at(name).shape.size() == 2 || flags.reading.binary.has_value());
  };
  if (named("") || named("logits") || named("probs") || named("pred_probs")) {
    const OutputsOptions reading = tasks::reading_of(flags.reading, true);
    const bool gradients = !(flags.jacobian.empty() && flags.gram.empty());
    const bool said = reading.as == Scores::probs || reading.binary == Binary::prob;
    if (gradients && !said && read_shards(path, reading).rest.from_probs)
      refuse(display_name(path),
             fmt::format("the logits whose gradients are in {} (use --as logits if these are logits)",
                         flags.jacobian.empty() ? flags.gram : flags.jacobian),
             "probabilities");
    tasks::OutputsReading all = flags.reading;  // take_rows() takes the rows of the gradients, too
    all.index.reset(), all.split.reset();
    OutputsShards shards = context.inputs.open_set(path, all, tasks::SetRole::other, true);
    number_labels(shards.rest, shards.n(), {}, &shards.logits);
    for (const std::string& warning : shards.rest.warnings) context.warn(warning);
    return joined(std::move(shards));
  }
  Outputs outputs;
  outputs.logits = tasks::only_array(context.inputs, path);
  return outputs;
}

// The task of a model, which `loaded` keeps, and of files.
tasks::AverageCaseTask model_task(Context& context, const AverageCaseFlags& flags, ModelAndImages& loaded,
                                  TakenRows& taken) {
  loaded = load_model_and_inputs(context, model_of(flags), flags.data);
  taken.whole.n = loaded.images.n();
  taken.rows = keep_rows(context, loaded, flags.reading);
  tasks::AverageCaseTask task{.of = inputs_of(loaded)};
  task.labels = loaded.images.labels;
  task.groups = group_columns(loaded.others, loaded.images.n(), display_name(flags.data));
  task.class_names = class_names_of(loaded.images, std::get<tasks::ClassifierInputs>(task.of).classifier.k);
  if (!context.out.empty()) task.state = state_of(context.out), task.made_of = digests_of(flags);
  task.resumed = [&context](std::size_t done, std::size_t n) {
    context.say(fmt::format("average-case: resuming after {} of {} finished rows", done, n));
  };
  return task;
}

// The rows of --index and --split of all that is given.
TakenRows take_rows(Context& context, const tasks::OutputsReading& flags, average_case::MadeElsewhere& files,
                    Outputs& outputs) {
  const std::size_t n = files.logits.shape.empty() ? 0 : files.logits.shape[0];
  auto rows = open_rows(context, flags, n);
  tasks::SetRows whole{n, outputs.ids.value_or(std::vector<std::string>()), files.name};
  if (!rows) return {std::move(whole), {}};
  const auto taken = [&](Array& array, const std::string& path) {
    ArrayMap some = tasks::take_rows({{"rows", array}}, n, *rows);
    if (some.empty()) refuse(display_name(path), fmt::format("{} rows", n), array.shape_text());
    array = std::move(some.at("rows"));
  };
  taken(files.logits, files.name);
  if (files.jacobian) taken(*files.jacobian, "the gradients");
  if (files.gram) taken(*files.gram, "the products of gradients");
  if (outputs.labels) outputs.labels = at_rows(*outputs.labels, *rows);
  for (GroupColumn& column : outputs.groups) column.codes = at_rows(column.codes, *rows);
  return {std::move(whole), std::move(rows)};
}

tasks::AverageCaseTask files_task(Context& context, const AverageCaseFlags& flags, TakenRows& taken) {
  Outputs outputs = logits_of(context, flags);
  average_case::MadeElsewhere files{display_name(flags.logits), outputs.logits, {}, {}};
  if (!flags.jacobian.empty()) files.jacobian = tasks::only_array(context.inputs, flags.jacobian);
  if (!flags.gram.empty()) files.gram = tasks::only_array(context.inputs, flags.gram);
  taken = take_rows(context, flags.reading, files, outputs);
  if (!flags.covariance.empty() && !files.jacobian)
    throw UsageError("--noise-covariance requires --jacobian; Gram matrices already include the covariance");
  tasks::AverageCaseTask task{.of = std::move(files)};
  task.labels = std::move(outputs.labels), task.class_names = std::move(outputs.class_names);
  task.groups = std::move(outputs.groups);
  return task;
}

// Groups of a file of their own take the place of those that the data bring.
void add_groups(Context& context, const AverageCaseFlags& flags, const TakenRows& taken,
                tasks::AverageCaseTask& task) {
  if (!flags.reading.groups) return;
  task.groups =
      tasks::read_groups(*flags.reading.groups, taken.whole, tasks::reading_of(flags.reading).columns);
  context.add_input(*flags.reading.groups, {taken.whole.n, task.groups.size()});
  if (!taken.rows) return;
  for (GroupColumn& column : task.groups) column.codes = at_rows(column.codes, *taken.rows);
}

void add_labels(Context& context, const AverageCaseFlags& flags, const TakenRows& taken,
                tasks::AverageCaseTask& task) {
  if (!flags.reading.labels) return;
  const auto* const model = std::get_if<tasks::ClassifierInputs>(&task.of);
  const auto* const files = std::get_if<average_case::MadeElsewhere>(&task.of);
  if (model == nullptr && files->logits.shape.size() != 2) return;  // which the task refuses
  const std::size_t first = flags.options.rows;
  tasks::SetRows some = taken.whole;
  if (first > 0 && !taken.rows) some.n = std::min(first, some.n);
  OutputsOptions reading = tasks::reading_of(flags.reading);
  if (reading.columns.class_names.empty()) reading.columns.class_names = task.class_names;
  const std::size_t k = model != nullptr ? model->classifier.k : files->logits.shape[1];
  task.labels = tasks::read_labels(*flags.reading.labels, some, k, reading).values;
  if (taken.rows) task.labels = at_rows(*task.labels, *taken.rows);
  context.add_input(*flags.reading.labels, {some.n});
}

int run_average_case(Context& context, const AverageCaseFlags& flags) {
  const bool model = !flags.model.model.empty(), files = !flags.logits.empty();
  if (model == files || model != !flags.data.empty())
    throw UsageError("average-case: expected --model and --data, or --logits with --jacobian or --gram");
  ModelAndImages loaded;
  TakenRows taken;
  tasks::AverageCaseTask task =
      model ? model_task(context, flags, loaded, taken) : files_task(context, flags, taken);
  task.options = flags.options, task.seed = context.seed;
  if (!flags.covariance.empty()) task.noise_covariance = tasks::only_array(context.inputs, flags.covariance);
  add_labels(context, flags, taken, task);
  add_groups(context, flags, taken, task);
  tasks::AverageCaseResult result;
  {
    // A pass of a large network may outlast the patience of who stops it.
    const HardStop stop(
        files || context.out.empty()
            ? "average-case: stopped; nothing was saved"
            : "average-case: stopped during a pass; the same command resumes after the last saved rows");
    result = tasks::average_case(task, context.progress());
  }
  if (!context.out.empty()) {
    write_npz(context.out, tasks::per_sample_arrays(result));
    remove_made(std::filesystem::path(context.out).parent_path(), state_of(context.out));
  }
  result.record.model = flags.model.model, result.record.out = context.out;
  result.record.found.stochastic = loaded.stochastic;
  const tasks::AverageCase record = context.completed(result.record);
  const bool converged = std::ranges::all_of(
      record.found.results, [](const tasks::Survival& one) { return one.not_converged.value_or(0) == 0; });
  const bool pictures = context.wants_page() && model && !loaded.images.are_rows() &&
                        (loaded.images.channels() == 1 || loaded.images.channels() == 3);
  context.warn_of(record.envelope);
  return context.end(
      to_json(record),
      tasks::view(record, pictures ? tasks::sample_pictures(record, loaded.images) : tasks::Pictures{}),
      converged ? exit_ok : exit_incomplete);
}

void add_input_flags(const Command& command, AverageCaseFlags& flags) {
  command.option("--model", flags.model.model, model_help);
  add_option_flags(command, [&](Fields& f) {
    file_fields(flags.model.reading, f);
    stochastic_field(flags.model.reading, f);
  });
  add_device_flag(command, flags.model.reading.device);
  command.option("--data", flags.data, inputs_help);
  add_layout_flag(command, flags.model);
  add_picture_flags(command, flags.model.reading.pictures);
  command.option("--logits", flags.logits, "Logits (n,k), .npy or an outputs file, in place of a model");
  add_option_flags(command, [&](Fields& f) {
    score_fields(flags.reading, f);
    labels_field(flags.reading, f);
    groups_field(flags.reading, f);
    row_fields(flags.reading, f);
  });
  const Option jacobian = command.option("--jacobian", flags.jacobian,
                                         "Jacobians of the logits with respect to the input, (n,k,d)");
  command.option("--gram", flags.gram, "Gram matrices J C J' of each sample, (n,k,k), in place of Jacobians")
      .excludes(jacobian);
  command.option("--noise-covariance", flags.covariance,
                 "Covariance of Gaussian noise, multiplied by sigma^2: .npy of (d) variances or (d,d)");
}

}  // namespace

void add_average_case(const Command& root, Context& context) {
  const Command command =
      root.add("average-case", "Probability that predictions are unchanged under noise, for every sample");
  auto& flags = command.keep<AverageCaseFlags>();
  add_input_flags(command, flags);
  add_option_flags(command, flags.options);
  command["--sigma"].required();
  context.add_page_flag(command, "Write the HTML report to this file");
  command.reads({"--model", "--data", "--logits", "--jacobian", "--gram", "--noise-covariance"});
  context.add_common_flags(command, "Per-sample file (.npz): one array (n, sigmas) for each method",
                           Written::file, {".state"});
  command.footer(
      "p = P(argmax f(x + e) = argmax f(x)), where e is noise with standard deviation sigma; inputs are not "
      "clipped. taylor, and mmse with two or more centered copies, are exact for linear models under "
      "Gaussian noise. For each sample, taylor needs k backward passes, mmse needs k for each copy and "
      "sigma, and mc needs thousands of forward passes. taylor-mvs, mmse-mvs and softmax are scores: they "
      "rank samples.\n\n"
      "  leeway average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.1 --out p.npz\n"
      "  leeway average-case --model cnn.pt --data x.npz --sigma 0.05,0.1 --methods mc,taylor,mmse --rows "
      "200\n"
      "  leeway average-case --logits f.npy --jacobian J.npy --sigma 0.1 --json");
  command.runs([&context, &flags] { return run_average_case(context, flags); });
}

}  // namespace leeway::app
