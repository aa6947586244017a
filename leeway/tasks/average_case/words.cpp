#include "leeway/tasks/average_case/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/tasks/assess/parts.h"

namespace leeway::tasks {
namespace {

// "The least robust 5% of the samples keep ... 46% of the time": how fragile the few are.
std::string fragile(const average_case::Distribution& p) {
  if (p.n < 20) return "";
  const double one = p.quantiles[twentieth], five = p.quantiles[quarter], ten = p.quantiles[median];
  if (one >= harmless)
    return fmt::format("95% of the samples keep their prediction at least {} of the time.",
                       survival_words(one));
  std::string text = fmt::format(
      "The least robust 5% of the samples keep their prediction at most {} of the time", survival_words(one));
  if (ten < harmless)
    text += fmt::format(", half of the samples at most {}", survival_words(ten));
  else if (five < harmless)
    text += fmt::format(", a quarter of the samples at most {}", survival_words(five));
  return text + ".";
}

std::string beside_each_other(const Robustness& found) {
  const Survival& worst = found.strongest();
  std::vector<std::string> others;
  for (const Survival& result : found.results)
    if (result.sigma == worst.sigma && result.method != worst.method && result.probability && result.p.n > 0)
      others.push_back(fmt::format("{} {}", result.method, percent(mean_of(result.p))));
  return others.empty() ? "" : fmt::format("Other estimates: {}.", list_of(others));
}

}  // namespace

std::string at_sigma(double sigma) { return fmt::format("σ = {:g}", sigma); }

std::string survival_words(double p) { return p == 1 ? "100%" : sureness(p); }

std::string points_words(double p) { return fixed(100 * p, std::abs(p) < .1 ? 2 : 1); }

std::string points_words(const Measured& p) {
  if (!p.low || !p.high) return points_words(*p.value);
  return fixed(100 * *p.value, decimals_for(50 * (*p.high - *p.low), 2));
}

Measured mean_of(const average_case::Distribution& p) {
  return p.n == 0 ? Measured{} : measured(p.mean, p.interval);
}

Measured mean_of(const average_case::AgainstMonteCarlo& error) {
  return measured(error.mean_absolute, error.interval);
}

bool is_probability(const Robustness& found, const std::string& method) {
  return std::ranges::any_of(
      found.results, [&](const Survival& result) { return result.method == method && result.probability; });
}

std::string class_name(const Robustness& found, std::size_t c) {
  for (const ClassComparison& comparison : found.class_bias)
    for (const ClassSurvival& one : comparison.classes)
      if (one.of.label == static_cast<std::int64_t>(c)) return one.name;
  return std::to_string(c);
}

std::string survival_finding(const Robustness& found) {
  const Survival& worst = found.strongest();
  if (worst.p.n == 0) return "No sample was evaluated.";
  if (!worst.probability) return "None of the methods gives a probability.";
  const bool one = found.n == 1;
  return fmt::format("Under noise of {} {} with probability {}, estimated by {}.", at_sigma(worst.sigma),
                     one ? "the prediction survives" : "predictions survive",
                     one ? percent(worst.p.mean, 1) : value_words(mean_of(worst.p), true), worst.method);
}

std::string survival_details(const Robustness& found) {
  const Survival& worst = found.strongest();
  if (worst.p.n == 0) return "";
  if (!worst.probability)
    return fmt::format("The mean score of {} at {} is {}; scores only rank samples.", worst.method,
                       at_sigma(worst.sigma), value_words(mean_of(worst.p), false));
  const std::string few = fragile(worst.p), others = beside_each_other(found);
  return few + (few.empty() || others.empty() ? "" : " ") + others;
}

std::string error_finding(const Robustness& found) {
  const MonteCarloError *closest = nullptr, *furthest = nullptr;
  const double most = found.sigmas().back();
  for (const MonteCarloError& one : found.against_monte_carlo) {
    if (one.sigma != most || !is_probability(found, one.method)) continue;
    if (closest == nullptr || one.error.mean_absolute < closest->error.mean_absolute) closest = &one;
    if (furthest == nullptr || one.error.mean_absolute > furthest->error.mean_absolute) furthest = &one;
  }
  if (closest == nullptr) return "Monte Carlo is compared with scores, which are not probabilities";
  const average_case::AgainstMonteCarlo& error = closest->error;
  std::string text =
      fmt::format("At {}, {} differs from Monte Carlo by {} points on average{}", at_sigma(most),
                  closest->method, points_words(mean_of(error)),
                  error.interval.low > error.floor
                      ? fmt::format(", more than the {} of sampling error", points_words(error.floor))
                      : ", no more than sampling error");
  if (furthest != closest)
    text += fmt::format("; {} differs by {}", furthest->method, points_words(mean_of(furthest->error)));
  return text;
}

std::vector<Compared> compared_in(const Robustness& found) {
  const double threshold = 1 - found.options.level;
  std::vector<Compared> classes, groups;
  if (!found.class_bias.empty()) classes.push_back({"Class", "class", "classes", threshold});
  for (const ClassComparison& one : found.class_bias) classes[0].comparisons.push_back(&one);
  for (const GroupComparison& one : found.group_bias) {
    auto same = std::ranges::find(groups, one.column, &Compared::column);
    if (same == groups.end()) same = groups.insert(same, {one.column, "group", "groups"});
    same->comparisons.push_back(&one.of);
  }
  for (Compared& one : groups) one.threshold = threshold / static_cast<double>(groups.size());
  classes.insert(classes.end(), groups.begin(), groups.end());
  for (Compared& one : classes) std::ranges::stable_sort(one.comparisons, {}, &ClassComparison::sigma);
  return classes;
}

std::string comparison_finding(const Compared& compared) {
  const ClassComparison& comparison = *compared.comparisons.back();
  const std::string by = compared.of_groups() ? " by " + compared.column : "", things = compared.many + by,
                    thing = compared.of_groups() ? compared.column : "class",
                    first = (compared.of_groups() ? "Groups" : "Classes") + by,
                    where = at_sigma(comparison.sigma);
  if (!comparison.p_value)
    return fmt::format("These samples do not show whether {} differ at {}", things, where);
  const std::string how = p_sentence(*comparison.p_value);
  if (*comparison.p_value >= compared.threshold)
    return fmt::format("{} do not differ significantly at {} ({})", first, where, how);
  const ClassSurvival *least = nullptr, *most = nullptr;
  for (const ClassSurvival& one : comparison.classes) {
    const average_case::Distribution& p = one.of.distribution;
    if (p.n == 0) continue;
    if (least == nullptr || p.mean < least->of.distribution.mean) least = &one;
    if (most == nullptr || p.mean > most->of.distribution.mean) most = &one;
  }
  if (least == nullptr) return fmt::format("{} differ at {} ({})", first, where, how);
  return fmt::format(
      "Noise affects {} unequally: at {}, {} {} survives with probability {}, {} {} with {} ({})", things,
      where, thing, least->name, value_words(mean_of(least->of.distribution), true), thing, most->name,
      value_words(mean_of(most->of.distribution), true), how);
}

std::string ranking_finding(const Robustness& found) {
  const Ranking& strongest = *std::ranges::max_element(found.ranking, {}, &Ranking::sigma);
  const RankedSample* least = nullptr;
  for (const RankedClass& one : strongest.classes)
    for (const RankedSample& sample : one.least)
      if (least == nullptr || sample.p < least->p) least = &sample;
  if (least == nullptr) return "";
  return fmt::format(
      "The least robust sample is row {}: predicted as {} with {} confidence, it survives noise of {} with "
      "probability {}",
      least->row, class_name(found, least->prediction), sureness(least->confidence),
      at_sigma(strongest.sigma), survival_words(least->p));
}

std::string headline_of(const Robustness& found) {
  const std::string details = survival_details(found);
  return survival_finding(found) + (details.empty() ? "" : " " + details);
}

std::vector<std::string> findings_of(const Robustness& found) {
  std::vector<std::string> findings;
  if (!found.against_monte_carlo.empty()) findings.push_back(error_finding(found));
  for (const Compared& one : compared_in(found)) findings.push_back(comparison_finding(one));
  if (!found.ranking.empty()) findings.push_back(ranking_finding(found));
  std::erase(findings, "");
  return findings;
}

std::vector<std::string> gradient_warnings(const Robustness& found) {
  double most = 0;
  std::vector<std::string> methods;
  for (const Survival& result : found.results) {
    const double without = result.zero_gradient.value_or(0);
    if (without <= average_case::most_zero_gradients) continue;
    most = std::max(most, without);
    if (methods.empty() || methods.back() != result.method) methods.push_back(result.method);
  }
  if (methods.empty()) return {};
  return {fmt::format(
      "the gradient of {:.1f}% of {} samples is exactly 0 (typical of sign, rounding or quantized "
      "layers): {} treat{} them as surviving any noise; Monte Carlo (mc) needs no gradient",
      100 * most, found.n, fmt::join(methods, ", "), methods.size() == 1 ? "s" : "")};
}

}  // namespace leeway::tasks
