// leeway attack: images that a model misjudges, within a radius of the given ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/core/npz.h"

namespace leeway::app {
namespace {

struct AttackFlags {
  ModelFlags model;
  std::string data, attack = "pgd", norm = "linf", eps = "8/255", step;
  std::size_t steps = 20, restarts = 1;
  bool no_random_start = false;
};

nn::AttackOptions options_of(const Context& context, const AttackFlags& flags) {
  nn::AttackOptions options;
  options.attack = flags.attack;
  options.norm = parse_norm(flags.norm);
  options.eps = parse_number("--eps", flags.eps);
  options.steps = flags.steps;
  if (!flags.step.empty()) options.relative_step = parse_number("--relative-step", flags.step);
  options.random_start = !flags.no_random_start;
  options.restarts = flags.restarts;
  options.seed = context.seed;
  return options;
}

void write_attacked(const std::string& path, const nn::AttackResult& result) {
  const std::size_t n = result.targets.size();
  ArrayMap arrays{{"x", result.images.pixels},
                  {result.labelled ? "y" : "targets", make_array({n}, result.targets)},
                  {"success", make_array({n}, result.success)},
                  {"norms", make_array({n}, result.norms)}};
  write_npz(path, arrays);
}

Json beside_noise_json(const nn::AttackResult& result) {
  if (!result.beside_noise) return nullptr;
  return {{"attack_robust_accuracy", result.beside_noise->attack_accuracy},
          {"noise_robust_accuracy", result.beside_noise->noise_accuracy}};
}

// Of an attack by gradients that are 0; empty where they are not.
std::string blind_warning(const nn::AttackResult& result, const nn::AttackOptions& options, std::size_t n) {
  if (!result.beside_noise) return "";
  return fmt::format(
      "the gradient of {:.1f}% of {} rows is exactly 0, as behind sign, rounding or quantised layers, so {} "
      "cannot move them: noise of the same radius ran beside it, and the worse of the two counts for each "
      "row "
      "(robust accuracy {:.4f} under {} alone, {:.4f} under noise alone)",
      100 * *result.zero_gradient, n, options.attack, result.beside_noise->attack_accuracy, options.attack,
      result.beside_noise->noise_accuracy);
}

int run_attack(Context& context, const AttackFlags& flags) {
  require_out(context, "the attacked images");
  const nn::AttackOptions options = options_of(context, flags);
  context.start_clock();
  const LoadedModel loaded = load_model_and_images(context, flags.model, flags.data);
  const nn::AttackResult attacked = loaded.model->attack(loaded.images, options, context.progress());
  write_attacked(context.out, attacked);
  context.stop_clock();

  const std::size_t n = attacked.targets.size();
  const auto clean = static_cast<std::size_t>(std::llround(attacked.clean_accuracy * static_cast<double>(n)));
  const auto fallen =
      static_cast<std::size_t>(std::count(attacked.success.begin(), attacked.success.end(), std::uint8_t{1}));
  Json result{{"model", flags.model.model},
              {"data", flags.data},
              {"out", context.out},
              {"attack", options.attack},
              {"norm", nn::name_of(options.norm)},
              {"eps", options.eps}};
  if (options.attack == "noise") result["steps"] = options.steps, result["restarts"] = options.restarts;
  if (options.attack == "pgd") {
    result["steps"] = options.steps;
    result["relative_step"] = options.relative_step.value_or(2.5 / static_cast<double>(options.steps));
    result["random_start"] = options.random_start;
    result["restarts"] = options.restarts;
  }
  result["zero_gradient"] = attacked.zero_gradient ? Json(*attacked.zero_gradient) : Json();
  result["beside_noise"] = beside_noise_json(attacked);
  const std::string warning = blind_warning(attacked, options, n);
  result["warnings"] = warning.empty() ? Json::array() : Json::array({warning});
  result["stochastic"] = variation_json(loaded.variation);
  result["target"] = attacked.labelled ? "label" : "prediction";
  result["n"] = n;
  add_rate(result, "clean_accuracy", clean, n);
  add_rate(result, "robust_accuracy", n - fallen, n);
  std::string table = warning.empty() ? "" : "warning: " + warning + "\n";
  table += fmt::format(
      "{}: n = {}, {} of radius {:.6g} in {}, against the {}\n"
      "clean accuracy   {} (95% interval)\n"
      "robust accuracy  {}\n",
      context.out, n, options.attack, options.eps, flags.norm,
      attacked.labelled ? "labels" : "model's own predictions", rate_text(clean, n),
      rate_text(n - fallen, n));
  if (context.json && !warning.empty()) context.warn("leeway: " + warning);
  context.print(context.record("leeway.attack/1", Json::array({std::move(result)})), table);
  return exit_ok;
}

}  // namespace

void add_attack(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("attack", "Move images within a radius so that a model misjudges them");
  const auto flags = std::make_shared<AttackFlags>();
  add_model_flags(*command, flags->model);
  command
      ->add_option("--data", flags->data,
                   "Images in [0,1]: .npz, .safetensors, IDX(.gz), or fashion-mnist:test")
      ->required();
  command->add_option("--attack", flags->attack, "See leeway list attacks")->capture_default_str();
  command->add_option("--norm", flags->norm, "linf or l2")->capture_default_str();
  command->add_option("--eps", flags->eps, "Radius: a number or a fraction; l2: of the whole image")
      ->capture_default_str();
  command->add_option("--steps", flags->steps, "Steps; of noise: draws")->capture_default_str();
  command->add_option("--relative-step", flags->step, "Step length / eps (default 2.5 / steps)");
  command->add_option("--restarts", flags->restarts, "Random starts for every image; the best is kept")
      ->capture_default_str();
  command->add_flag("--no-random-start", flags->no_random_start, "Start at the image itself");
  context.add_common_flags(*command, "Images file (.npz): x, y, success, norms (inf where the attack failed)",
                           Written::file);
  command->footer(
      "The target is the label, or the model's own prediction where the data have no labels. Success and "
      "norms are measured\n"
      "on the images as they are stored.\n\n"
      "  leeway attack --model cnn.safetensors --data fashion-mnist:test --eps 8/255 --out adv.npz");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_attack(context, *flags); }; });
}

}  // namespace leeway::app
