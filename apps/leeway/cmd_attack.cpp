// leeway attack: images that a model misjudges, within a radius of the given ones or as near to them as can be.
#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/error.h"
#include "leeway/core/numbers.h"
#include "leeway/core/outputs.h"
#include "leeway/report/report.h"
#include "leeway/tasks/attack.h"

namespace leeway::app {
namespace {

struct AttackFlags {
  ModelFlags model;
  std::string data, targets, eps, relative_step;
  std::optional<std::size_t> steps, restarts;
  bool no_random_start = false;
  std::vector<std::string> set;
  record::AttackOptions options;
};

// With every default. What the attack does not have is a mistake in the command.
nn::AttackOptions options_of(const Context& context, const AttackFlags& flags) {
  record::AttackOptions given = flags.options;
  if (!flags.eps.empty()) given.eps = parse_number("--eps", flags.eps);
  if (flags.steps) given.parameters["steps"] = static_cast<double>(*flags.steps);
  if (flags.restarts) given.parameters["restarts"] = static_cast<double>(*flags.restarts);
  if (!flags.relative_step.empty())
    given.parameters["relative-step"] = parse_number("--relative-step", flags.relative_step);
  if (flags.no_random_start) given.parameters["random-start"] = 0;
  for (const auto& [name, value] : parse_settings(flags.set)) given.parameters[name] = value;
  nn::AttackOptions options;
  try {
    options = model_session(context.threads).complete(tasks::options_of(given));
  } catch (const Error& failure) {
    throw UsageError(failure.what());
  }
  options.seed = context.seed;
  return options;
}

std::string share_text(double value, const Interval& interval) {
  return four(value) + " " + interval_text(interval);
}

// Every fourth point of the curve.
std::string curve_text(const std::vector<record::RadiusPoint>& curve) {
  std::string radii, accuracies;
  for (std::size_t i = 0; i < curve.size(); i += 4) {
    radii += fmt::format(" {:>8}", significant(curve[i].radius, 3));
    accuracies += fmt::format(" {:>8.4f}", curve[i].robust_accuracy);
  }
  return fmt::format("within a radius {}\nrobust accuracy {}\n", radii, accuracies);
}

std::string table_of(const record::Attack& record) {
  const record::AttackedSet& set = record.results.front();
  const record::AttackOptions& options = record.options;
  std::string text = warnings_of(record.envelope);
  text += fmt::format("{}: n = {}, {}{} in {}, {}\n", set.out, set.n, options.attack,
                      options.eps ? fmt::format(" of radius {:.6g}", *options.eps) : "", options.norm,
                      set.target == "given"   ? "towards the targets"
                      : set.target == "label" ? "against the labels"
                                              : "against the model's own predictions");
  text += fmt::format("clean accuracy   {} (95% interval)\n",
                      share_text(set.clean_accuracy, set.clean_accuracy_interval));
  if (!set.norms || set.target == "given")
    text +=
        fmt::format("robust accuracy  {}\n", share_text(set.robust_accuracy, set.robust_accuracy_interval));
  if (set.norms || set.target == "given")
    text += fmt::format("success          {}\n", share_text(set.success, set.success_interval));
  if (set.norms)
    text += fmt::format("norm             median {} [{}, {}], quartiles {} and {}\n{}",
                        significant(set.norms->median, 4), significant(set.norms->median_interval.low, 4),
                        significant(set.norms->median_interval.high, 4),
                        significant(set.norms->lower_quartile, 4), significant(set.norms->upper_quartile, 4),
                        curve_text(set.norms->curve));
  return text;
}

int run_attack(Context& context, const AttackFlags& flags) {
  require_out(context, "the attacked images");
  nn::AttackOptions options = options_of(context, flags);
  const ModelAndImages loaded = load_model_and_inputs(context, flags.model, flags.data);
  if (loaded.images.are_rows() && options.eps && flags.eps.empty())
    throw UsageError(
        fmt::format("--eps: expected a radius, since {} holds rows of any range (8/255 is meant for pixels)",
                    flags.data));
  if (!flags.targets.empty()) {
    // the model refuses classes that it does not have
    options.targets = read_labels(flags.targets, loaded.images.n(), std::numeric_limits<std::int32_t>::max());
    context.add_input(flags.targets, {options.targets.size()});
  }
  auto [record, result] = tasks::attack({*loaded.model, loaded.images, options}, context.progress());
  tasks::write_attacked(context.out, result);
  record::AttackedSet& set = record.results.front();
  set.model = flags.model.model, set.data = flags.data, set.out = context.out;
  set.stochastic = loaded.stochastic;
  if (context.json) context.warn_of(record.envelope);  // the table has them
  record = context.completed(record);
  if (context.wants_page()) context.write_page(report::html_report(record));
  context.print(to_json(record), table_of(record));
  return exit_ok;
}

}  // namespace

void add_attack(const Command& root, Context& context) {
  const Command command = root.add("attack", "Move images so that a model misjudges them");
  auto& flags = command.keep<AttackFlags>();
  add_model_flags(command, flags.model);
  command.option("--data", flags.data, inputs_help).required();
  add_layout_flag(command, flags.model);
  command.option(
      "--targets", flags.targets,
      "Classes that images are to be taken for, one each: .npy, .npz, .csv, IDX (default: any other)");
  command.option("--attack", flags.options.attack, "See leeway list attacks");
  command.option("--norm", flags.options.norm, "Of the move; l0: how many values change")
      .one_of({"linf", "l2", "l1", "l0"});
  command.option(
      "--eps", flags.eps,
      "Radius: a number or a fraction; l2: of the whole image (default 8/255). Attacks that look for "
      "the nearest image take none");
  command.option("--loss", flags.options.loss, "What is maximised (default: the attack's own)")
      .one_of({"margin", "difference", "cross-entropy"});
  command.option("--steps", flags.steps, "Steps; of noise: draws (default: the attack's own)");
  command.option("--relative-step", flags.relative_step, "Of pgd: step length / eps (default 2.5 / steps)");
  command.option("--restarts", flags.restarts,
                 "Of pgd and noise: random starts for every image; the best is kept (default 1)");
  command.flag("--no-random-start", flags.no_random_start, "Of pgd: start at the image itself");
  command.option("--set", flags.set, "NAME=NUMBER: a parameter of the attack, see leeway list attacks")
      .shown_as("NAME=NUMBER")
      .one_word();
  context.add_common_flags(command, "Images file (.npz): x, y, success, norms (inf where the attack failed)",
                           Written::file);
  context.add_page_flag(command);
  command.footer(
      "The attack leads away from the label, or from the model's own prediction where the data have no "
      "labels. "
      "Success and\n"
      "norms are measured on the images as they are stored.\n\n"
      "  leeway attack --model cnn.safetensors --data fashion-mnist:test --eps 8/255 --out adv.npz\n"
      "  leeway attack --model cnn.safetensors --data fashion-mnist:test --attack fmn --norm l2 --out "
      "near.npz");
  command.runs([&context, &flags] { return run_attack(context, flags); });
}

}  // namespace leeway::app
