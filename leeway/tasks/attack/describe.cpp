#include <fmt/format.h>

#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/set_names.h"

namespace leeway::attack {

void fields(AttackOptions& options, Fields& f) {
  std::optional<std::string> loss;
  if (options.loss) loss = name_of(*options.loss);
  f("attack", options.attack, "attack, see leeway list attacks");
  f.one_of("norm", options.norm, every_norm, "norm of the perturbation; l0: number of changed values");
  f("eps", options.eps, at_least(0),
    "radius, pixels in [0,1], l2: of the whole image; null: minimum-norm attack");
  f.choice("loss", loss, {{"margin", ""}, {"difference", ""}, {"cross-entropy", ""}, {"dlr", ""}},
           "loss that the attack maximizes, see leeway/attack/attack.h");
  f.one_of("levels", options.levels, every_levels, "values of pixels; 8bit: multiples of 1/255");
  f.numbers("parameters", options.parameters,
            "parameters of the attack by name, defaults included; see leeway list attacks");
  std::optional<std::size_t> draws;
  if (options.draws > 1) draws = options.draws;
  f("draws", draws, at_least(1), "passes of a randomized model that are averaged in every step; null: 1");
  options.draws = draws.value_or(1);
  options.loss.reset();
  for (const Loss each : every_loss)
    if (loss == name_of(each)) options.loss = each;
}

static void fields(Stage& stage, Fields& f) {
  f("attack", stage.attack, "attack of the ensemble");
  f("robust_accuracy", stage.accuracy, a_share, "share that withstands this attack and those before it");
}

static void fields(BesideNoise& beside, Fields& f) {
  f("attack_robust_accuracy", beside.attack_accuracy, a_share, "share withstanding the attack alone");
  f("noise_robust_accuracy", beside.noise_accuracy, a_share, "share withstanding noise alone");
}

}  // namespace leeway::attack

namespace leeway::tasks {
namespace {

std::string share_words(double value, const Interval& interval) {
  return value_words({value, interval.low, interval.high}, true);
}

}  // namespace

static void fields(RadiusPoint& point, Fields& f) {
  f("radius", point.radius, at_least(0), "radius in the norm of the attack");
  f.measured("robust_accuracy", point.robust_accuracy, point.robust_accuracy_interval, a_share,
             "share of rows without a successful attack within the radius");
}

static void fields(NearestNorms& norms, Fields& f) {
  f.measured("median", norms.median, norms.median_interval, at_least(0), "median norm");
  f("lower_quartile", norms.lower_quartile, at_least(0), "lower quartile of the norms");
  f("upper_quartile", norms.upper_quartile, at_least(0), "upper quartile of the norms");
  f("curve", norms.curve, "robust accuracy from radius 0 to the largest norm of a success, in equal steps");
}

static void fields(JudgedRepeats& repeats, Fields& f) {
  f("draws", repeats.draws, at_least(2), "passes that judge the attacked images");
  f.measured("robust_accuracy", repeats.robust_accuracy, repeats.robust_accuracy_interval, a_share,
             "mean over the passes; interval: Student's t over them, for these images");
}

static void fields(AttackedSet& set, Fields& f) {
  f.unless_empty("model", set.model, "model file");
  f.unless_empty("data", set.data, "clean images");
  f.unless_empty("out", set.out, "file of attacked images");
  f("attack", set.attack, "attack, see leeway list attacks");
  f("eps", set.eps, at_least(0), "radius; null: minimum-norm attack");
  f.unless_empty("loss", set.loss, "loss that the attack maximizes");
  f.numbers("parameters", set.parameters, "parameters of the attack by name, defaults included");
  f.choice("target", set.target,
           {{"label", "away from the label"},
            {"prediction", "away from the model's prediction"},
            {"given", "towards --targets"}},
           "goal of the attack");
  f("n", set.n, at_least(1), "number of images");
  f.measured("clean_accuracy", set.clean_accuracy, set.clean_accuracy_interval, a_share,
             "share of clean images predicted as their label, or 1 without labels");
  f.measured("robust_accuracy", set.robust_accuracy, set.robust_accuracy_interval, a_share,
             "share of attacked images predicted as their label, without labels as their clean prediction");
  f.measured("success", set.success, set.success_interval, a_share,
             "share of images with a successful attack");
  f("norms", set.norms,
    "norms of the perturbations: inf if the attack failed, 0 if the clean image needs none; null with a "
    "fixed radius");
  f("zero_gradient", set.zero_gradient, a_share,
    "share of rows whose gradient is exactly 0 at every start of the attack; null: an attack without "
    "gradients");
  f("unreliable_gradient", set.unreliable_gradient, a_share,
    "share of rows where a short step along the gradient raises the loss by less than a tenth of the "
    "prediction; null: an attack without gradients, or of radius 0");
  f("stages", set.stages, "of an ensemble: its attacks in turn; otherwise empty");
  f("beside_noise", set.beside_noise,
    "if zero_gradient is above .01: attack and noise alone (above, the worse of the two counts for each "
    "row); otherwise null");
  f("repeats", set.repeats, "of several draws: robust accuracy over repeated passes; otherwise null");
  f("stochastic", set.stochastic,
    "variation between two passes of a model accepted with --stochastic; otherwise null");
}

void fields(Attack& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "options of the command; the first of several attacks and radii");
  f("results", record.results, "results by model, data, attack and radius");
}

static std::string headline_of(const AttackedSet& set, attack::Norm norm) {
  const std::string what = fmt::format("{} in {}", set.attack, name_of(norm));
  if (set.norms)
    return fmt::format(
        "{} succeeds on {} of {} images, with a median norm of {}.", what,
        share_words(set.success, set.success_interval), count(set.n),
        value_words({set.norms->median, set.norms->median_interval.low, set.norms->median_interval.high},
                    false));
  const std::string radius = significant(set.eps.value_or(0), 3);
  if (set.target == "given")
    return fmt::format("{} of radius {} succeeds on {} of {} images.", what, radius,
                       share_words(set.success, set.success_interval), count(set.n));
  const std::string left = share_words(set.robust_accuracy, set.robust_accuracy_interval);
  if (set.target == "prediction")
    return fmt::format("Under {} of radius {}, {} of {} predictions are unchanged.", what, radius, left,
                       count(set.n));
  return fmt::format(
      "Under {} of radius {}, {} of {} images are predicted as their label; {} of the clean images are.",
      what, radius, left, count(set.n), share_words(set.clean_accuracy, set.clean_accuracy_interval));
}

std::string headline_of(const Attack& record) {
  const auto least = std::ranges::min_element(record.results, {}, &AttackedSet::robust_accuracy);
  std::string words = headline_of(*least, record.options.norm);
  if (record.results.size() < 2) return words;
  const SetNames names(record.results);
  const std::string name = names.of_files(*least);
  return fmt::format("Of {} attacked sets, the fewest predictions survive{}: {}", record.results.size(),
                     name.empty() ? "" : " in " + name, words);
}

std::vector<std::string> findings_of(const Attack& record) {
  const AttackedSet& set = record.results.at(0);
  if (record.results.size() > 1 || !set.norms) return {};
  return {
      fmt::format("The attack needs a norm of at most {} for a quarter of the images, {} for three quarters.",
                  significant(set.norms->lower_quartile, 3), significant(set.norms->upper_quartile, 3))};
}

}  // namespace leeway::tasks
