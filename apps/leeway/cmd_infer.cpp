// leeway infer: what a model, or one behind an endpoint, says about images, as an outputs file.

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/infer_endpoint/infer_endpoint.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

struct InferFlags {
  ModelsAndData of;
  tasks::OutputsReading rows;  // its index and split
  tasks::InferEndpointOptions endpoint;
};

tasks::Infer infer_one(Context& context, const InferFlags& flags, const ModelFlags& model,
                       const std::string& data, const std::string& out) {
  ModelAndImages loaded = load_model_and_inputs(context, model, data);
  std::optional<data::RowSplit> split;  // of which --split does not choose the rows
  if (flags.rows.index && !flags.rows.split)
    split = open_split(context, *flags.rows.index, loaded.images.n());
  else
    keep_rows(context, loaded, flags.rows);
  auto [record, outputs] = tasks::infer({.model = *loaded.model,
                                         .images = loaded.images,
                                         .data = data,
                                         .options = model.reading,
                                         .seed = context.seed},
                                        context.progress());
  tasks::write_outputs(out, outputs, loaded.others);
  record.envelope.warnings = loaded.warnings;
  tasks::InferredSet& set = record.results.front();
  set.model = model.model, set.out = out;
  set.stochastic = loaded.stochastic;
  set.index = flags.rows.index.value_or(""), set.split = flags.rows.split.value_or("");
  if (split) set.splits = tasks::accuracy_by_split(outputs, *split);
  return std::move(record);
}

int run_endpoint(Context& context, InferFlags& flags) {
  flags.endpoint.classes = flags.of.reading.reading.classes;
  if (!flags.of.models.empty())
    throw UsageError("--model: not allowed with --endpoint, which names another model");
  if (flags.of.data.size() != 1)
    throw UsageError("--data: only one set of images is allowed with --endpoint");
  if (!flags.endpoint.journal) throw UsageError("--journal is required with --endpoint: the file of answers");
  for (const auto& [option, file] : {std::pair("--journal", *flags.endpoint.journal), {"--out", context.out}})
    context.files.claim(option, file, Written::file);
  ArrayMap others;
  flags.endpoint.pictures = flags.of.reading.reading.pictures;
  auto folder = data::pictures_at(flags.of.data.front(), flags.endpoint.pictures);
  tasks::InferEndpointTask task{
      .images = folder ? *std::move(folder) : read_images(flags.of.data.front(), others),
      .data = flags.of.data.front(),
      .options = flags.endpoint,
      .seed = context.seed,
      .say = [&](const std::string& line) { context.say("leeway: " + line); }};
  context.add_input(task.data, task.images.own_shape());
  const std::size_t n = task.images.n();
  if (const auto rows = open_rows(context, flags.rows, n)) {
    others = tasks::take_rows(others, n, *rows);
    task.images = select_rows(task.images, *rows);
  }
  const std::size_t asked = task.images.n();
  tasks::EndpointOutputs found = tasks::infer_endpoint(std::move(task), context.progress());
  tasks::EndpointAnswers& set = found.record.results.front();
  if (!found.rows.empty())
    tasks::write_outputs(set.out = context.out, found.outputs, tasks::take_rows(others, asked, found.rows));
  const int code = set.missing > 0 ? exit_incomplete : exit_ok;
  return context.finish(std::move(found.record), code);
}

int run_infer(Context& context, InferFlags& flags) {
  if (!flags.endpoint.endpoint && flags.of.models.empty())
    throw UsageError("--model or --endpoint is required");
  require_out(context, "the outputs");
  if (flags.endpoint.endpoint) return run_endpoint(context, flags);
  std::vector<std::vector<std::pair<std::string_view, std::string>>> sets;
  for (const std::string& model : tasks::names_of_files(flags.of.models))
    for (const std::string& data : tasks::names_of_files(flags.of.data))
      sets.push_back({{"model", model}, {"data", data}});
  const auto files = tasks::files_of_sets("--out", context.out, sets, braces_of(flags.of));
  for (const auto& [option, file] : files) context.files.claim(option, file, Written::file);
  tasks::Infer record;
  for (const std::string& model : flags.of.models)
    for (const std::string& data : flags.of.data)
      tasks::add_set(record, infer_one(context, flags, {model, flags.of.reading.reading}, data,
                                       files[record.results.size()].file));
  return context.finish(std::move(record));
}

}  // namespace

void add_infer(const Command& root, Context& context) {
  const Command command = root.add("infer", "Run a model and save its outputs");
  auto& flags = command.keep<InferFlags>();
  add_models_flags(command, flags.of);
  command["--data"].required();
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
  add_option_flags(
      command, [&](Fields& f) { flag_fields(flags.endpoint, f); }, "Endpoint");
  command["--journal"].writes(Written::claimed);
  command.reads({"--aliases"});
  context.add_common_flags(command,
                           "Outputs file (.npz): logits, features, labels; with several models or data sets "
                           "use {model} and {data} in the name",
                           Written::claimed);
  command.footer(
      "  leeway infer --model cnn.safetensors --data fashion-mnist:test --out clean.npz\n"
      "  leeway infer --model a.pt b.pt --data clean.npz noisy.npz --out '{model}-{data}.npz'\n"
      "  leeway infer --endpoint http://localhost:8000/v1 --endpoint-model llava --data images.npz \\\n"
      "    --classes cat,dog --prompt general1 --journal llava.jsonl --out llava.npz");
  command.runs([&context, &flags] { return run_infer(context, flags); });
}

}  // namespace leeway::app
