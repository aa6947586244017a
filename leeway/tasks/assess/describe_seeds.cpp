#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/statistics.h"
#include "leeway/describe/fields.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/seeds.h"

namespace leeway::tasks {
namespace {

// "cnn" of "cnn#3"; the name itself where no number follows.
std::string stem_of(const std::string& name) {
  const std::size_t at = name.rfind('#');
  if (at == name.npos || at == 0 || at + 1 == name.size()) return name;
  return name.find_first_not_of("0123456789", at + 1) == name.npos ? name.substr(0, at) : name;
}

// Nothing where a seed has no value.
Measured folded(const std::vector<const AssessResult*>& seeds, const Measured AssessResult::*value,
                Range range, double level) {
  std::vector<double> values;
  for (const AssessResult* seed : seeds)
    if ((seed->*value).value) values.push_back(*(seed->*value).value);
  if (values.size() < seeds.size()) return {};
  const Interval interval = student_interval(values, level);
  return {mean_and_error(values).mean, std::max(range.least, interval.low),
          std::min(range.most, interval.high)};
}

}  // namespace

static void fields(SeedsOfOne& seeds, Fields& f) {
  f("model", seeds.model, "model name without the seed number");
  f("target", seeds.target, "target name without the seed number");
  f("results", seeds.results, "indices of the averaged results, at least two");
  measured(f, "accuracy", seeds.accuracy, a_share, "mean accuracy over seeds");
  measured(f, "accuracy_change", seeds.accuracy_change, from_to(-1, 1), "mean accuracy_change over seeds");
  measured(f, "afr_pred", seeds.afr_pred, a_share, "mean afr_pred over seeds");
  measured(f, "pa", seeds.pa, at_least(0), "mean pa over seeds");
}

void fields(AssessSeeds& seeds, Fields& f) { f("sets", seeds.sets, "one for each model and target"); }

std::optional<AssessSeeds> over_seeds(const std::vector<AssessResult>& results, double level) {
  std::vector<SeedsOfOne> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string model = stem_of(results[i].model), target = stem_of(results[i].target);
    if (model == results[i].model && target == results[i].target) continue;
    const auto found = std::ranges::find_if(
        all, [&](const SeedsOfOne& one) { return one.model == model && one.target == target; });
    (found == all.end() ? all.emplace_back(SeedsOfOne{model, target, {}, {}, {}, {}, {}}) : *found)
        .results.push_back(i);
  }
  std::erase_if(all, [](const SeedsOfOne& one) { return one.results.size() < 2; });
  for (SeedsOfOne& one : all) {
    std::vector<const AssessResult*> seeds;
    for (const std::size_t i : one.results) seeds.push_back(&results[i]);
    const Range of_pa{0, std::log(static_cast<double>(std::max<std::size_t>(2, seeds.front()->k)))};
    one.accuracy = folded(seeds, &AssessResult::accuracy, a_share, level);
    one.accuracy_change = folded(seeds, &AssessResult::accuracy_change, from_to(-1, 1), level);
    one.afr_pred = folded(seeds, &AssessResult::afr_pred, a_share, level);
    one.pa = folded(seeds, &AssessResult::pa, of_pa, level);
  }
  if (all.empty()) return std::nullopt;
  return AssessSeeds{std::move(all)};
}

}  // namespace leeway::tasks
