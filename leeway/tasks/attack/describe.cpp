#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/set_names.h"

namespace leeway::attack {

void fields(AttackOptions& options, Fields& f) {
  std::optional<std::string> loss;
  if (options.loss) loss = name_of(*options.loss);
  f("attack", options.attack, "attack, see leeway list attacks");
  f.one_of("norm", options.norm, every_norm, "norm of the perturbation; l0: number of changed values");
  f("eps", options.eps, at_least(0),
    "radius for pixels in [0,1] (l2: over the whole image; default 8/255); null in a record: minimum norm");
  f.choice("loss", loss, {{"margin", ""}, {"difference", ""}, {"cross-entropy", ""}, {"dlr", ""}},
           "loss that the attack maximizes, see leeway/attack/attack.h");
  f.one_of("levels", options.levels, every_levels, "allowed pixel values; 8bit: multiples of 1/255");
  f.numbers("parameters", options.parameters,
            "parameters of the attack by name, defaults included; see leeway list attacks");
  std::optional<std::size_t> draws;
  if (options.draws > 1) draws = options.draws;
  f("draws", draws, at_least(1), "passes of a randomized model averaged per step; null: 1");
  options.draws = draws.value_or(1);
  options.loss.reset();
  for (const Loss each : every_loss)
    if (loss == name_of(each)) options.loss = each;
}

static void fields(Stage& stage, Fields& f) {
  f("attack", stage.attack, "attack of the ensemble");
  f("robust_accuracy", stage.accuracy, a_share, "share of rows that withstand this and all earlier attacks");
}

static void fields(BesideNoise& beside, Fields& f) {
  f("attack_robust_accuracy", beside.attack_accuracy, a_share,
    "share of rows that withstand the attack alone");
  f("noise_robust_accuracy", beside.noise_accuracy, a_share, "share of rows that withstand noise alone");
}

}  // namespace leeway::attack

namespace leeway::tasks {

static void fields(RadiusPoint& point, Fields& f) {
  f("radius", point.radius, at_least(0), "radius in the norm of the attack");
  f.measured("robust_accuracy", point.robust_accuracy, point.robust_accuracy_interval, a_share,
             "share of rows without a successful attack within the radius");
}

static void fields(NearestNorms& norms, Fields& f) {
  f.measured("median", norms.median, norms.median_interval, at_least(0), "median norm");
  f("lower_quartile", norms.lower_quartile, at_least(0), "lower quartile of the norms");
  f("upper_quartile", norms.upper_quartile, at_least(0), "upper quartile of the norms");
  f("curve", norms.curve, "robust accuracy in equal steps from radius 0 to the largest successful norm");
}

static void fields(JudgedRepeats& repeats, Fields& f) {
  f("draws", repeats.draws, at_least(2), "number of passes that evaluate the attacked images");
  f.measured("robust_accuracy", repeats.robust_accuracy, repeats.robust_accuracy_interval, a_share,
             "mean over passes on these images, with a Student's t interval");
}

static void fields(Check& check, Fields& f) {
  f.choice("check", check.check,
           {{"probabilities", "the outputs are probabilities"},
            {"noise", "the attack is weaker than noise of its radius"},
            {"longer", "twice the steps make the attack weaker"},
            {"black-box", "an attack without gradients is stronger"},
            {"whole-box", "some rows withstand a radius that covers the whole box"}},
           "indication that the attack is weaker than it could be");
  f.unless_empty("other", check.other, "attack compared with; null: none");
  f("n", check.n, at_least(1), "number of checked rows");
  f("withstand", check.withstand, a_share, "share of these rows that withstand the attack within its radius");
  f("withstand_other", check.withstand_other, a_share,
    "share of these rows that withstand the other attack, twice the steps, or a radius that covers the whole "
    "box");
  f("p", check.p, a_share, "one-sided sign test; null: no comparison");
  f("raised", check.raised, "whether the indication is clear: p below .01; whole-box: clearly more than 5%");
}

static void fields(AttackedEndpoint& endpoint, Fields& f) {
  f("host", endpoint.host, "server that the images were sent to");
  f("prompt", endpoint.prompt, "text of the prompt");
  f("requests", endpoint.requests, "number of requests of this run");
  f("retries", endpoint.retries, "number of requests that were retries");
  f("prompt_tokens", endpoint.prompt_tokens, "prompt tokens; 0 if the server does not report them");
  f("completion_tokens", endpoint.completion_tokens, "answer tokens; 0 if the server does not report them");
}

// What a worst case has, too.
static void shares(AttackedSet& set, Fields& f) {
  f.choice("target", set.target,
           {{"label", "away from the label"},
            {"prediction", "away from the model's prediction"},
            {"given", "toward --targets"}},
           "goal of the attack");
  f("n", set.n, at_least(1), "number of images");
  f.measured("clean_accuracy", set.clean_accuracy, set.clean_accuracy_interval, a_share,
             "share of clean images classified correctly, or 1 without labels");
  f.measured("robust_accuracy", set.robust_accuracy, set.robust_accuracy_interval, a_share,
             "share of attacked images classified correctly (without labels: with the clean prediction)");
  f.measured("success", set.success, set.success_interval, a_share,
             "share of all images with a successful attack, as most papers report");
  f.measured("success_of_right", set.success_of_right, a_share,
             "share of correctly predicted clean images with a successful attack, as in Foolbox and "
             "RobustBench; null: none is correct");
  f("norms", set.norms,
    "norms of the perturbations: inf if the attack failed, 0 if the clean image needs no perturbation; null "
    "with a fixed radius");
}

static void fields(AttackedSet& set, Fields& f) {
  f.unless_empty("model", set.model, "model file");
  f.unless_empty("data", set.data, "clean images");
  f.unless_empty("out", set.out, "file of attacked images");
  f("attack", set.attack, "attack, see leeway list attacks");
  f("eps", set.eps, at_least(0), "radius; null: minimum-norm attack");
  f.unless_empty("loss", set.loss, "loss that the attack maximizes");
  f.numbers("parameters", set.parameters, "parameters of the attack by name, defaults included");
  shares(set, f);
  f("zero_gradient", set.zero_gradient, a_share,
    "share of rows whose gradient is exactly 0 at every start of the attack; null: an attack without "
    "gradients");
  f("unreliable_gradient", set.unreliable_gradient, a_share,
    "share of rows (of at most 128 checked) where a short step along the gradient raises the loss by less "
    "than a tenth of the predicted amount; null for an attack without gradients or with radius 0, or if "
    "several draws differ");
  f("stages", set.stages, "attacks of an ensemble, in order; [] for a single attack");
  f("beside_noise", set.beside_noise,
    "if zero_gradient is above .01: results of the attack alone and of noise alone (robust_accuracy counts "
    "the worse of the two for each row); otherwise null");
  f("repeats", set.repeats, "robust accuracy over several draws; null if draws do not differ");
  f("stochastic", set.stochastic,
    "with --stochastic: variation between two passes of the model; otherwise null");
  f("checks", set.checks, "checks of the attack; with --checks, also the checks that need further runs");
  f("endpoint", set.endpoint, "requests sent by an attack with --endpoint; otherwise null");
}

static void fields(WorstCase& worst, Fields& f) {
  f.unless_empty("model", worst.model, "model file");
  f.unless_empty("data", worst.data, "clean images");
  f("eps", worst.eps, at_least(0), "radius; null: only minimum-norm attacks");
  f("attacks", worst.attacks, "attacks with this radius, and minimum-norm attacks that succeed within it");
  shares(worst, f);
}

void fields(AttacksOptions& options, Fields& f) {
  attack::fields(options, f);
  f("checks", options.checks, "also run the checks that need further attacks, on at most 100 rows");
}

void fields(Attack& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "options of the command; with several attacks and radii, only the first");
  f("results", record.results, "results by model, data, attack and radius");
  f("worst_cases", record.worst_cases,
    "worst case of each image over several attacks, by model, data and radius; [] for a single attack");
}

static std::string headline_of(const AttackedSet& set, attack::Norm norm) {
  const std::string what = fmt::format("{} in {}", set.attack, name_of(norm));
  if (set.norms)
    return fmt::format("{} succeeds on {} of {} images, with a median norm of {}.", what,
                       share_words(set.success, set.success_interval), count(set.n),
                       value_words(measured(set.norms->median, set.norms->median_interval), false));
  const std::string radius = significant(set.eps.value_or(0), 3);
  if (set.target == "given")
    return fmt::format("{} of radius {} succeeds on {} of {} images.", what, radius,
                       share_words(set.success, set.success_interval), count(set.n));
  const std::string left = share_words(set.robust_accuracy, set.robust_accuracy_interval);
  if (set.target == "prediction")
    return fmt::format("Under {} of radius {}, {} of {} predictions are unchanged.", what, radius, left,
                       count(set.n));
  return fmt::format(
      "Under {} of radius {}, {} of {} images are classified correctly; {} of the clean images are.", what,
      radius, left, count(set.n), share_words(set.clean_accuracy, set.clean_accuracy_interval));
}

// The one with the fewest robust images.
template <class Sets>
static const auto& weakest(const Sets& sets) {
  return *std::ranges::min_element(sets, {}, &AttackedSet::robust_accuracy);
}

std::string headline_of(const Attack& record) {
  const bool joined = !record.worst_cases.empty();
  AttackedSet least = weakest(record.results);
  if (joined) {
    const WorstCase& worst = weakest(record.worst_cases);
    least = static_cast<const AttackedSet&>(worst);
    least.attack = "the worst of " + list_of(worst.attacks);
  }
  std::string words = headline_of(least, record.options.norm);
  if (record.results.size() < 2) return words;
  const SetNames names(record.results);
  const std::string name = names.of_files(least);
  if (joined && record.worst_cases.size() == 1) return words;
  return fmt::format("Of {} attacked sets, the fewest predictions survive{}: {}", record.results.size(),
                     name.empty() ? "" : " in " + name, words);
}

// What a check found, and what to do.
static std::string words_of(const Check& check, const AttackedSet& set) {
  const auto share = [](const std::optional<double>& value) { return percent(value.value_or(0), 1); };
  const std::string test = check.p ? fmt::format("sign test, p = {}", significant(*check.p, 2)) : "",
                    both = fmt::format("{} of {} rows withstand {}, {}", share(check.withstand),
                                       count(check.n), set.attack, share(check.withstand_other));
  if (check.check == "probabilities")
    return fmt::format(
        "All outputs of {} clean rows are in [0, 1] and sum to 1, as after a softmax, which makes losses "
        "saturate: attack the logits.",
        count(check.n));
  if (check.check == "noise")
    return fmt::format(
        "{} is weaker than noise of its radius: {} noise ({}). Change the step size and the loss, and "
        "attack the model without layers that mask gradients.",
        set.attack, both, test);
  if (check.check == "longer")
    return fmt::format("{} is weaker with twice the steps: {} twice the steps ({}). Reduce the step size.",
                       set.attack, both, test);
  if (check.check == "black-box")
    return fmt::format(
        "{} uses no gradients and is stronger than the attacks that do: {} {} ({}). Gradients are masked: "
        "attack the model without the layers that mask them.",
        check.other, both, set.stages.empty() ? check.other : "after " + check.other, test);
  return fmt::format(
      "{} of {} rows withstand {} without a limit on the radius, although every prediction can be changed. "
      "Gradients are masked, or the attack needs more or longer steps.",
      share(check.withstand_other), count(check.n), set.attack);
}

std::vector<std::string> findings_of(const Attack& record) {
  const SetNames names(record.results);
  std::vector<std::string> lines;
  for (const AttackedSet& set : record.results) {
    const std::string files = names.of_files(set), before = files.empty() ? "" : files + ": ";
    if (set.stochastic && record.options.draws == 1)
      append_new(lines, fmt::format("{}Two passes over the same {} rows differ by up to {:.3g} in a logit. "
                                    "Set draws to average gradients and predictions over several passes.",
                                    before, set.stochastic->n, set.stochastic->largest));
    for (const Check& check : set.checks)
      if (check.raised) append_new(lines, before + words_of(check, set));
  }
  if (const auto& norms = record.results.at(0).norms; record.results.size() == 1 && norms)
    lines.push_back(fmt::format(
        "The attack needs a norm of at most {} for a quarter of the images, {} for three quarters.",
        significant(norms->lower_quartile, 3), significant(norms->upper_quartile, 3)));
  return lines;
}

}  // namespace leeway::tasks
