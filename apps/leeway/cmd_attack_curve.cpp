// leeway attack curve: a sweep of attacks on several models, and their curves as one record.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/sweep_folder.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/run.h"
#include "leeway/tasks/attack_curve/attack_curve.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/sweep/sweep.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::app {
namespace {

struct CurveFlags {
  std::vector<std::string> models;  // [NAME=]FILE
  std::string data, norm = "linf";
  ModelFlags reading;
  tasks::OutputsReading rows;  // its index and split
  std::optional<std::size_t> steps;
  std::vector<std::string> set;
  tasks::AttackCurveOptions options;
  std::size_t jobs = 0;
  bool slurm = false;
  ClusterFlags cluster;
};

struct NamedModel {
  std::string name, file;
};

std::vector<NamedModel> models_of(const CurveFlags& flags) {
  std::vector<std::string> files;
  for (const std::string& text : flags.models) files.push_back(split_name(text).second);
  const std::vector<std::string> names = tasks::names_of_files(files);
  std::vector<NamedModel> models;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = split_name(flags.models[i]).first;
    models.push_back({name.empty() ? names[i] : name, files[i]});
    if (std::ranges::count(models, models.back().name, &NamedModel::name) > 1)
      throw UsageError("--model: two models are called " + display_name(models.back().name) +
                       "; use NAME=FILE");
  }
  return models;
}

tasks::AttackCurveOptions options_of(const CurveFlags& flags) {
  tasks::AttackCurveOptions options = flags.options;
  for (const attack::Norm norm : attack::every_norm)
    if (flags.norm == name_of(norm)) options.norm = norm;
  if (flags.steps) options.parameters["steps"] = static_cast<double>(*flags.steps);
  for (const auto& [name, value] : parse_settings(flags.set)) options.parameters[name] = value;
  return options;
}

// An error of the plan would name a line of the generated study.
const std::string& existing(const std::string& file) {
  if (const std::string missing = sweep::missing_file(file); !missing.empty())
    refuse(display_name(missing), "a readable file", "no such file");
  return file;
}

// A value of a study: braces stand for themselves.
std::string literal(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += std::string(c == '{' || c == '}' ? 2 : 1, c);
  return Json(doubled).dump();
}

std::string literals(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(literal(text));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

// How every stage reads the models.
std::string reading_lines(const Command& command, const tasks::ModelReading& reading) {
  std::string lines;
  for (const char* const name :
       {"arch", "mean", "std", "scale", "binary", "classes", "template", "vocabulary"})
    if (const auto words = command.given(std::string("--") + name); !words.empty())
      lines += fmt::format("{} = {}\n", name, literal(fmt::format("{}", fmt::join(words, ","))));
  if (reading.trust) lines += "trust = true\n";
  if (reading.stochastic) lines += "stochastic = true\n";
  if (reading.device != "cpu") lines += fmt::format("device = {}\n", literal(reading.device));
  return lines;
}

// Clean outputs; attacked images within radii or as near as can be; the outputs on these.
std::string study_of(const Command& command, const CurveFlags& flags,
                     const tasks::AttackCurveOptions& options, const std::vector<tasks::CurveAttack>& attacks,
                     const Context& context) {
  std::vector<std::string> files;
  for (const NamedModel& model : models_of(flags)) files.push_back(existing(model.file));
  const std::string reading = reading_lines(command, flags.reading.reading),
                    layout = flags.reading.reading.layout;
  std::string data = fmt::format("data = {}\nlayout = \"{}\"\n", literal(existing(flags.data)), layout);
  if (flags.rows.index)
    data += fmt::format("index = {}\nsplit = {}\n", literal(*flags.rows.index),
                        literal(flags.rows.split.value_or("")));
  std::string text = fmt::format(
      "[study]\nthreads = {}\n\n[clean]\ncommand = \"infer\"\nmodel = {}\n{}{}out = \"outputs.npz\"\n",
      std::max(1, context.threads), literals(files), data, reading);
  for (const bool nearest : {false, true}) {
    std::vector<std::string> names;
    for (const tasks::CurveAttack& one : attacks)
      if (one.strength.empty() == nearest) append_new(names, one.options.attack);
    if (names.empty()) continue;
    const std::string stage = nearest ? "nearest" : "within";
    text += fmt::format(
        "\n[{}]\ncommand = \"attack\"\nmodel = \"{{clean.model}}\"\n{}{}attack = {}\nnorm = \"{}\"\n", stage,
        data, reading, literals(names), flags.norm);
    if (!nearest) text += fmt::format("eps = {}\n", literals(options.strengths));
    text += fmt::format("seed = {}\nout = \"attacked.npz\"\n\n[{}.set]\n", context.seed, stage);
    for (const auto& [name, value] : options.parameters) text += fmt::format("{} = \"{}\"\n", name, value);
    text += fmt::format(
        "\n[{0}-outputs]\ncommand = \"infer\"\nmodel = \"{{clean.model}}\"\ndata = \"{{{0}}}\"\n{1}{2}out = "
        "\"outputs.npz\"\n",
        stage, reading, layout == "rows" ? "layout = \"rows\"\n" : "");
  }
  return text;
}

// Model file, attack ("" of clean outputs) and strength of a unit, to its name.
using CurveUnits = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

CurveUnits units_of(const sweep::Plan& plan, const CurveFlags& flags,
                    const std::vector<tasks::CurveAttack>& attacks, const std::string& suffix) {
  CurveUnits units;
  for (const sweep::Unit& unit : plan.units) {
    const auto value = [&](const std::string& axis, const std::string& only) {
      const auto found = unit.axes.find(axis);
      return found == unit.axes.end() ? only : found->second;
    };
    const std::string model = value("clean.model", split_name(flags.models.front()).second);
    if (unit.stage == "clean") units[{model, "", ""}] = unit.name;
    for (const std::string stage : {"within", "nearest"}) {
      if (unit.stage != stage + suffix) continue;
      const auto only = std::ranges::find_if(
          attacks, [&](const auto& one) { return one.strength.empty() == (stage == "nearest"); });
      units[{model, value(stage + ".attack", only->options.attack), value(stage + ".eps", only->strength)}] =
          unit.name;
    }
  }
  return units;
}

tasks::NamedOutputs outputs_of_unit(const sweep::Store& store, const CurveUnits& units,
                                    const std::string& model, const std::string& attack,
                                    const std::string& strength) {
  const auto found = units.find({model, attack, strength});
  if (found == units.end())
    refuse("--model", "models with different contents", display_name(model) + " twice");
  const std::string path = (store.done(found->second) / "outputs.npz").string();
  return {path, [path] {
            return tasks::read_set(path, {}, tasks::SetRole::first, false, [](const tasks::ReadFile&) {});
          }};
}

// What the attacks warned of, by model, attack and strength.
std::vector<std::string> warnings_of(const sweep::Store& store, const CurveUnits& attacked,
                                     const std::vector<NamedModel>& models) {
  std::vector<std::string> lines;
  for (const auto& [key, unit] : attacked) {
    const auto& [file, attack, strength] = key;
    if (attack.empty()) continue;
    const std::string path = file;
    const auto model = std::ranges::find(models, path, &NamedModel::file);
    const Json record = read_record((store.done(unit) / sweep::record_file).string());
    for (const Json& line : record.at("warnings"))
      lines.push_back(fmt::format("{}, {} {}: {}", model->name, attack, strength, line.get<std::string>()));
  }
  return lines;
}

int submit(Context& context, const CurveFlags& flags, const sweep::Plan& plan, const sweep::Store& store) {
  const std::string folder = store.folder().string();
  return run_on_slurm(
      context, flags.cluster, script_options(flags.cluster, plan, folder, flags.jobs),
      [&] { sweep::forget_failures(plan, store); },
      ". Once they have ended, the same command without --slurm writes the curves.");
}

// Runs the remaining units. No value if all are done; otherwise the record of leeway sweep run.
std::optional<tasks::SweepRun> run_units_left(Context& context, const CurveFlags& flags,
                                              const sweep::Plan& plan, const sweep::Store& store) {
  sweep::forget_failures(plan, store);
  tasks::SweepRun run;
  run.options.jobs = flags.jobs, run.folder = display_name(store.folder());
  run.results.push_back(sweep::run_units(plan, store, {run.options}, context.progress()));
  const tasks::SweepRunResult& result = run.results.front();
  if (result.done_before + result.done + result.done_elsewhere == result.units) return std::nullopt;
  run.failures = sweep::failures_of(plan, store);
  return tasks::TaskClock().finished(std::move(run), context.seed);
}

int run_curve(Context& context, const Command& command, const CurveFlags& flags) {
  if (context.out.empty()) throw UsageError("--out is required: the folder of the curves");
  if (flags.rows.index.has_value() != flags.rows.split.has_value())
    throw UsageError("--index and --split are required together");
  tasks::AttackCurveTask task{{}, options_of(flags), context.seed};
  const std::vector<NamedModel> models = models_of(flags);
  const auto attacks = or_usage_error([&] { return tasks::attacks_of(task.options, context.seed); });
  const sweep::Store store(context.out);
  const sweep::Plan plan = plan_into(context, store, study_of(command, flags, task.options, attacks, context),
                                     "leeway attack curve");
  if (flags.slurm || flags.cluster.dry_run) return submit(context, flags, plan, store);
  if (auto left = run_units_left(context, flags, plan, store))
    return context.finish(std::move(*left), exit_incomplete);
  const CurveUnits units = units_of(plan, flags, attacks, "-outputs");
  for (const NamedModel& model : models) {
    tasks::CurveModel& made = task.models.emplace_back();
    made.name = model.name, made.clean = outputs_of_unit(store, units, model.file, "", "");
    for (const auto& [options, strength] : attacks)
      made.attacked.push_back(
          {options.attack, strength, outputs_of_unit(store, units, model.file, options.attack, strength)});
    context.add_input(model.file, {});
  }
  context.add_input(flags.data, {});
  if (flags.rows.index) context.add_input(*flags.rows.index, {});
  tasks::AttackCurve record = tasks::attack_curve(task, context.progress());
  for (std::string& line : warnings_of(store, units_of(plan, flags, attacks, ""), models))
    record.envelope.warnings.push_back(std::move(line));
  context.record_file = (store.folder() / "curve.json").string();
  return context.finish_proved(std::move(record));
}

void add_models_to_attack(const Command& command, CurveFlags& flags) {
  command.option("--model", flags.models, std::string(model_help) + "; [NAME=]FILE, one or several")
      .required()
      .shown_as("FILES");
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.reading.reading, f); });
  add_device_flag(command, flags.reading.reading.device);
  command.option("--data", flags.data, inputs_help).required();
  command.reads({"--model", "--data"});
  add_layout_flag(command, flags.reading);
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
}

}  // namespace

void add_attack_curve(const Command& attack, Context& context) {
  const Command command = attack.add(
      "curve", "Curves of accuracy, agreement and confidence under attacks of increasing strength");
  auto& flags = command.keep<CurveFlags>();
  add_models_to_attack(command, flags);
  command
      .option("--attack", flags.options.attacks,
              "Attacks, separated by commas (default pgd); see leeway list attacks")
      .by_commas();
  command
      .option("--eps", flags.options.strengths,
              "Radii, e.g. 2/255,4/255; for minimum-norm attacks, limits on the norms")
      .by_commas();
  command.option("--norm", flags.norm, "Norm of the perturbation; l0: number of changed values")
      .one_of({"linf", "l2", "l1", "l0"});
  command.option("--steps", flags.steps, "Number of steps (default: depends on the attack)");
  command.option("--set", flags.set, "Parameter of every attack, NAME=NUMBER; see leeway list attacks")
      .shown_as("NAME=NUMBER")
      .one_word();
  add_option_flags(command, [&](Fields& f) { share_fields(flags.options, f); });
  command.option("--jobs", flags.jobs, "Parallel processes (default: as many as fit)").whole_within(0, 4096);
  const Option slurm = command.flag("--slurm", flags.slurm,
                                    "Submit the attacks as one job array (sbatch) and write no curves yet");
  add_slurm_flags(command, flags.cluster);
  context.add_common_flags(command, "Folder for the attacks and curve.json; the same command resumes",
                           Written::folder);
  context.add_page_flag(command);
  for (const char* const none : {"--report", "--figures"}) slurm.excludes(command[none]);
  command.footer(
      "Every attack is a unit of a sweep in the folder --out: after a stop or a crash, the same command "
      "resumes, and finished units are kept if strengths are added. Exit code 5: units failed.\n\n"
      "  leeway attack curve --model cnn.pt robust=adv.pt --data test.npz --eps 2/255,4/255,8/255 --out "
      "curves\n"
      "  leeway attack curve --model cnn.pt --data test.npz --attack pgd,fmn --eps 8/255 --shares 0:1:0.1 "
      "--out curves --figures figures");
  command.runs([&context, &flags, command] { return run_curve(context, command, flags); });
}

}  // namespace leeway::app
