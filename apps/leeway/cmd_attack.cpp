// leeway attack: images that a model misjudges, within a radius of the given ones or as near to them as can be.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/removal.h"
#include "leeway/describe/json.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/attack/endpoint.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

struct AttackFlags {
  ModelsAndData of;
  tasks::OutputsReading rows;  // its index and split
  std::string targets;
  std::vector<std::string> eps;
  std::optional<std::size_t> steps, restarts;
  std::vector<std::string> set;
  std::string norm = "linf";
  std::optional<std::string> loss;
  std::string levels = "any";
  bool checks = false;
  attack::AttackOptions options;
  tasks::InferEndpointOptions endpoint;
};

// Every attack with every radius, and all defaults. What an attack does not have is a mistake in the command.
std::vector<attack::AttackOptions> attacks_of(const Context& context, const AttackFlags& flags) {
  attack::AttackOptions given = flags.options;
  for (const attack::Norm norm : attack::every_norm)
    if (flags.norm == name_of(norm)) given.norm = norm;
  for (const attack::Levels levels : attack::every_levels)
    if (flags.levels == name_of(levels)) given.levels = levels;
  for (const attack::Loss loss : attack::every_loss)
    if (flags.loss == name_of(loss)) given.loss = loss;
  std::vector<double> radii;
  for (const std::string& text : flags.eps) radii.push_back(parse_number("--eps", text));
  if (flags.steps) given.parameters["steps"] = static_cast<double>(*flags.steps);
  if (flags.restarts) given.parameters["restarts"] = static_cast<double>(*flags.restarts);
  for (const auto& [name, value] : parse_settings(flags.set)) given.parameters[name] = value;
  auto attacks = or_usage_error([&] { return tasks::attacks_of(given, radii); });
  for (attack::AttackOptions& one : attacks) one.seed = context.seed;
  return attacks;
}

// The radius as it was given; of an attack without one "nearest".
std::string radius_name(const AttackFlags& flags, const attack::AttackOptions& attack) {
  if (!attack.eps) return "nearest";
  for (const std::string& text : flags.eps)
    if (parse_number("--eps", text) == *attack.eps) return text;
  return significant(*attack.eps, 3);
}

std::vector<tasks::NamedFile> files_of(const Context& context, const AttackFlags& flags,
                                       const std::vector<attack::AttackOptions>& attacks) {
  std::vector<std::vector<std::pair<std::string_view, std::string>>> sets;
  for (const std::string& model : tasks::names_of_files(flags.of.models))
    for (const std::string& data : tasks::names_of_files(flags.of.data))
      for (const attack::AttackOptions& attack : attacks)
        sets.push_back({{"model", model},
                        {"data", data},
                        {"attack", attack.attack},
                        {"eps", radius_name(flags, attack)}});
  std::string braces = braces_of(flags.of);
  if (attacks.size() > 1) braces += braces.empty() ? "{attack}-{eps}" : "-{attack}-{eps}";
  return tasks::files_of_sets("--out", context.out, sets, braces);
}

// Identifies the classifier: the state of another one is not used.
std::vector<std::string> made_of(const ModelFlags& model, const nn::ModelInfo& info) {
  std::vector<std::string> all = identity_of(model);
  all.push_back(contents_of(info.notes_file));
  return all;
}

void read_targets(Context& context, const AttackFlags& flags, const Images& images,
                  attack::AttackOptions& options) {
  if (flags.targets.empty()) return;
  OutputsOptions reading;
  reading.columns.class_names = images.class_names;  // the model's, where it has names
  // the model refuses classes that it does not have
  options.targets = read_labels(flags.targets, images.n(), std::numeric_limits<std::int32_t>::max(), reading);
  if (!context.inputs.has(flags.targets)) context.add_input(flags.targets, {options.targets.size()});
}

// Writes the images to the file, and adds the set to the record and, without x, to the results.
void keep_attacked(tasks::AttackFound found, const Images& images, const std::string& model,
                   const std::string& data, const std::string& file,
                   std::vector<attack::AttackResult>& results, tasks::Attack& all) {
  std::vector<float> x = std::move(found.result.x);
  results.push_back(found.result);
  found.result.x = std::move(x);
  ArrayMap arrays = tasks::attacked_arrays(std::move(found.result), images.own_shape());
  if (!images.class_names.empty()) arrays["class_names"] = make_text_array(images.class_names);
  write_npz(file, arrays);
  tasks::AttackedSet& set = found.record.results.front();
  set.model = model, set.data = data, set.out = file;
  tasks::add_set(all, std::move(found.record));
}

// The endpoint and a set of images under every attack; `file` is that of the first one.
void attack_endpoint(Context& context, const AttackFlags& flags, const std::string& data,
                     std::vector<attack::AttackOptions> attacks, const tasks::NamedFile* file,
                     tasks::Attack& all) {
  tasks::EndpointUnderAttack under(
      open_images(context, data, flags.rows), flags.endpoint, context.seed,
      [&](const std::string& line) { context.say("leeway: " + line); }, context.progress());
  std::vector<attack::AttackResult> results;
  for (attack::AttackOptions& options : attacks) {
    read_targets(context, flags, under.images(), options);
    keep_attacked(under.attack(options), under.images(), *flags.endpoint.endpoint_model, data, file++->file,
                  results, all);
  }
  tasks::add_worst_cases(all, results);
}

// A model and a set of images under every attack; `file` is that of the first one.
void attack_one(Context& context, const AttackFlags& flags, const ModelFlags& model, const std::string& data,
                std::vector<attack::AttackOptions> attacks, const tasks::NamedFile* file,
                tasks::Attack& all) {
  ModelAndImages loaded = load_model_and_inputs(context, model, data);
  keep_rows(context, loaded, flags.rows);
  const tasks::ModelUnderAttack under(*loaded.model, loaded.images);
  const std::vector<std::string> digests = made_of(model, loaded.model->info());
  std::vector<attack::AttackResult> results;  // without x
  for (attack::AttackOptions& options : attacks) {
    if (loaded.images.are_rows() && options.eps && flags.eps.empty())
      throw UsageError(fmt::format(
          "--eps is required: {} holds rows of any range, and the default of 8/255 is for pixels", data));
    read_targets(context, flags, loaded.images, options);
    tasks::AttackTask task{under.target(), options, flags.checks, state_of(file->file), digests};
    task.resumed = [&](std::size_t blocks) {
      context.say(fmt::format("attack: {}: resuming after {} finished blocks of rows",
                              display_name(file->file), blocks));
    };
    keep_attacked(tasks::attack(task, context.progress()), loaded.images, model.model, data, file->file,
                  results, all);
    ++file;
  }
  tasks::add_worst_cases(all, results);
}

void claim_with_state(Context& context, const std::string& option, const std::string& path) {
  context.files.claim(option, path, Written::file);
  context.files.claim(option, state_of(path), Written::file);
}

// The model's name in files and tables is that of the endpoint.
void check_endpoint(Context& context, AttackFlags& flags) {
  const tasks::InferEndpointOptions& endpoint = flags.endpoint;
  if (!flags.of.models.empty())
    throw UsageError("--model: not allowed with --endpoint, which names another model");
  if (!endpoint.endpoint_model || !endpoint.journal)
    throw UsageError("--endpoint-model and --journal are required with --endpoint");
  if (flags.checks)
    throw UsageError("--checks: not allowed with --endpoint, where further runs cost requests");
  context.files.claim("--journal", *endpoint.journal, Written::file);
  flags.endpoint.classes = flags.of.reading.reading.classes;
  flags.of.models = {*endpoint.endpoint_model};
}

int run_attack(Context& context, AttackFlags& flags) {
  if (flags.endpoint.endpoint) check_endpoint(context, flags);
  for (const auto& [option, values] : {std::pair("--model", &flags.of.models), {"--data", &flags.of.data}})
    if (values->empty()) throw UsageError(fmt::format("{} is required (see leeway attack --help)", option));
  require_out(context, "the attacked images");
  // The name of a single file is known before the model part is there.
  const bool single = context.out.find('{') == std::string::npos;
  if (single) claim_with_state(context, "--out", context.out);
  const std::vector<attack::AttackOptions> attacks = attacks_of(context, flags);
  const std::vector<tasks::NamedFile> files = files_of(context, flags, attacks);
  if (!single)
    for (const auto& [option, file] : files) claim_with_state(context, option, file);
  tasks::Attack record;
  const tasks::NamedFile* file = files.data();
  for (const std::string& model : flags.of.models)
    for (const std::string& data : flags.of.data) {
      if (flags.endpoint.endpoint)
        attack_endpoint(context, flags, data, attacks, file, record);
      else
        attack_one(context, flags, {model, flags.of.reading.reading}, data, attacks, file, record);
      file += attacks.size();
    }
  const int code = context.finish(std::move(record));
  for (const auto& [option, path] : files)
    remove_made(std::filesystem::path(path).parent_path(), state_of(path));
  return code;
}

}  // namespace

void add_attack(const Command& root, Context& context) {
  const Command command = root.add("attack", "Generate adversarial examples");
  auto& flags = command.keep<AttackFlags>();
  add_models_flags(command, flags.of);
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
  command.option(
      "--targets", flags.targets,
      "Target class of each image, as a number or a name: .npy, .npz, .csv, IDX (default: any wrong class)");
  command.option("--attack", flags.options.attack,
                 "Attacks, separated by commas, each with every radius; see leeway list attacks");
  command.option("--norm", flags.norm, "Norm of the perturbation; l0: number of changed values")
      .one_of({"linf", "l2", "l1", "l0"});
  command
      .option(
          "--eps", flags.eps,
          "Radii, e.g. 2/255,4/255; l2: over the whole image (default 8/255; not for minimum-norm attacks)")
      .by_commas();
  command.option("--loss", flags.loss, "Loss to maximize (default: depends on the attack)")
      .one_of({"margin", "difference", "cross-entropy", "dlr"});
  command
      .option("--levels", flags.levels,
              "Pixel values; 8bit: multiples of 1/255, in every step and in the result")
      .one_of({"any", "8bit"});
  command.option("--steps", flags.steps,
                 "Number of steps, or draws of noise (default: depends on the attack)");
  command.option("--restarts", flags.restarts,
                 "Random starts per image; the best result is kept (default: depends on the attack)");
  command
      .option("--draws", flags.options.draws,
              "For a randomized model: passes averaged per step, and passes of the final evaluation")
      .whole_within(1, 1'000'000);
  command.option("--set", flags.set, "Parameter of the attack, NAME=NUMBER; see leeway list attacks")
      .shown_as("NAME=NUMBER")
      .one_word();
  command.flag("--checks", flags.checks,
               "Check the attack with further runs on at most 100 images: noise, twice the steps, a radius "
               "that covers the whole box");
  add_option_flags(
      command, [&](Fields& f) { flag_fields(flags.endpoint, f); }, "Endpoint");
  command["--journal"].writes(Written::claimed);
  command.reads({"--targets", "--aliases"});
  context.add_common_flags(command,
                           "Images file (.npz): x, y, success, norms (inf if the attack failed); with "
                           "several sets use {model}, {data}, {attack} and {eps} in the name; FILE.state "
                           "holds finished blocks of rows until FILE is complete",
                           Written::claimed);
  context.add_page_flag(command);
  command.footer(
      "The attack aims away from the label, or from the model's prediction if the data have no labels. "
      "Success and norms are measured on the stored images.\n\n"
      "  leeway attack --model cnn.safetensors --data fashion-mnist:test --eps 8/255 --out adv.npz\n"
      "  leeway attack --model cnn.safetensors --data fashion-mnist:test --attack fmn --norm l2 --out "
      "near.npz\n"
      "  leeway attack --model cnn.pt --data test.npz --attack fgsm,pgd --eps 2/255,4/255 --out "
      "'{attack}-{eps}.npz'\n"
      "  leeway attack --endpoint http://localhost:8000/v1 --endpoint-model llava --data images.npz --attack "
      "square --eps 8/255 \\\n"
      "    --set queries=500 --classes cat,dog --journal llava.jsonl --out adv.npz");
  add_attack_curve(command, context);
  command.runs([&context, &flags] { return run_attack(context, flags); });
}

}  // namespace leeway::app
