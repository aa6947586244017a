#include "leeway/record/attack.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"
#include "leeway/record/set_names.h"

namespace leeway::record {
namespace {

std::string share_words(double value, const Interval& interval) {
  return value_words({value, interval.low, interval.high}, true);
}

// What each attack left of a model and a set, by radius.
std::vector<std::string> findings_of_several(const Attack& record) {
  const SetNames names(record.results);
  std::vector<std::string> findings;
  std::string before;
  for (const AttackedSet& set : record.results) {
    const std::string files = names.of_files(set),
                      name = files.empty() ? set.attack : files + ", " + set.attack;
    const std::string left = share_words(set.robust_accuracy, set.robust_accuracy_interval);
    const std::string words = set.eps ? fmt::format("{} withstand {}", left, significant(*set.eps, 3))
                                      : fmt::format("{} withstand any radius", left);
    if (name == before)
      findings.back() += "; " + words;
    else
      findings.push_back(fmt::format("{}: {}", name, words));
    before = name;
  }
  for (std::string& finding : findings) finding += '.';
  return findings;
}

}  // namespace

static void fields(AttackOptions& options, Fields& f) {
  f("attack", options.attack, "a name that leeway list attacks prints");
  f.choice("norm", options.norm, {{"linf", ""}, {"l2", ""}, {"l1", ""}, {"l0", ""}},
           "of the difference between two images; l0: how many values differ");
  f("eps", options.eps, at_least(0),
    "radius, pixels in [0,1], of the whole image in l2; null: the attack looks for the smallest");
  f.choice("loss", options.loss, {{"margin", ""}, {"difference", ""}, {"cross-entropy", ""}},
           "what the attack maximises, in leeway/nn/attack.h");
  f("parameters", options.parameters, "of the attack, by name, with its defaults: see leeway list attacks");
}

static void fields(BesideNoise& beside, Fields& f) {
  f("attack_robust_accuracy", beside.attack_robust_accuracy, share, "rows that withstood the attack alone");
  f("noise_robust_accuracy", beside.noise_robust_accuracy, share, "rows that withstood noise alone");
}

static void fields(RadiusPoint& point, Fields& f) {
  f("radius", point.radius, at_least(0), "in the norm of the attack");
  f.measured("robust_accuracy", point.robust_accuracy, point.robust_accuracy_interval, share,
             "share of rows that the attack did not move within the radius");
}

static void fields(NearestNorms& norms, Fields& f) {
  f.measured("median", norms.median, norms.median_interval, at_least(0), "half of the rows moved as little");
  f("lower_quartile", norms.lower_quartile, at_least(0), "a quarter of them did");
  f("upper_quartile", norms.upper_quartile, at_least(0), "three quarters did");
  f("curve", norms.curve, "from radius 0 to the largest norm of a success, in equal steps");
}

static void fields(AttackedSet& set, Fields& f) {
  f.unless_empty("model", set.model, "the model's file");
  f.unless_empty("data", set.data, "the clean images");
  f.unless_empty("out", set.out, "the attacked images");
  f("attack", set.attack, "a name that leeway list attacks prints");
  f("eps", set.eps, at_least(0), "radius; null: the attack looked for the smallest");
  f("parameters", set.parameters, "of the attack, by name, with its defaults");
  f.choice("target", set.target,
           {{"label", "away from it"},
            {"prediction", "away from the model's own"},
            {"given", "towards --targets"}},
           "what the attack aims at");
  f("n", set.n, at_least(1), "images");
  f.measured("clean_accuracy", set.clean_accuracy, set.clean_accuracy_interval, share,
             "share of clean images predicted as their label, or 1 without labels");
  f.measured("robust_accuracy", set.robust_accuracy, set.robust_accuracy_interval, share,
             "the same of the attacked images, without labels of their clean prediction");
  f.measured("success", set.success, set.success_interval, share,
             "share of images that the model judges as the attack wants");
  f("norms", set.norms,
    "how far images moved: inf where the attack failed, 0 where the clean image did; null with a fixed "
    "radius");
  f("zero_gradient", set.zero_gradient, share,
    "rows whose gradient is exactly 0 wherever the attack began, which it cannot move; null: an attack "
    "without gradients");
  f("unreliable_gradient", set.unreliable_gradient, share,
    "rows where a short step along the gradient raises the loss by less than a tenth of what the gradient "
    "predicts; null: an attack without gradients, or of radius 0");
  f("beside_noise", set.beside_noise,
    "null, or where zero_gradient is above .01: each alone; the worse of the two counts for each row above");
  f("stochastic", set.stochastic,
    "null, or how a model that was taken with --stochastic answers differently in two passes of the same "
    "images");
}

void fields(Attack& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "what was asked for; of several attacks and radii the first");
  f("results", record.results, "by model, by data, by attack, by radius");
}

static std::string headline_of(const AttackedSet& set, const std::string& norm) {
  const std::string what = fmt::format("{} in {}", set.attack, norm);
  if (set.norms)
    return fmt::format(
        "{} succeeds on {} of {} images, on half of them within {}.", what,
        share_words(set.success, set.success_interval), count(set.n),
        value_words({set.norms->median, set.norms->median_interval.low, set.norms->median_interval.high},
                    false));
  const std::string radius = significant(set.eps.value_or(0), 3);
  if (set.target == "given")
    return fmt::format("{} of radius {} succeeds on {} of {} images.", what, radius,
                       share_words(set.success, set.success_interval), count(set.n));
  const std::string left = share_words(set.robust_accuracy, set.robust_accuracy_interval);
  if (set.target == "prediction")
    return fmt::format("Under {} of radius {}, {} of {} predictions stay as they were.", what, radius, left,
                       count(set.n));
  return fmt::format(
      "Under {} of radius {}, {} of {} images are predicted as their label; {} of the clean ones are.", what,
      radius, left, count(set.n), share_words(set.clean_accuracy, set.clean_accuracy_interval));
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
  if (record.results.size() > 1) return findings_of_several(record);
  const AttackedSet& set = record.results.at(0);
  if (!set.norms) return {};
  return {fmt::format("A quarter of the images move within {}, three quarters within {}.",
                      significant(set.norms->lower_quartile, 3), significant(set.norms->upper_quartile, 3))};
}

}  // namespace leeway::record
