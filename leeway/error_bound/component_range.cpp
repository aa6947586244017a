#include "leeway/error_bound/component_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t fractions[] = {1, 4, 16, 32, 64, 128}, least_components = 4, most_scored = 3;

}  // namespace

std::vector<std::size_t> fractions_of(std::size_t d) {
  std::vector<std::size_t> list;
  for (const std::size_t fraction : fractions)
    if (d / fraction >= least_components) list.push_back(fraction);
  return list;
}

std::size_t least_kept(std::span<const ComponentBound> bounds) {
  std::size_t least = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (bounds[i].kept && (!bounds[least].kept || bounds[i].dis2.bound < bounds[least].dis2.bound)) least = i;
  return least;
}

ComponentRange dis2_over_components(const Sample& source, const Sample& target, const Dis2Options& options,
                                    double least_validity) {
  if (!(least_validity >= 0 && least_validity <= 1))
    refuse("validity", "a score from 0 to 1", fmt::format("{}", least_validity));
  if (!source.features) refuse(source.name, "features, which the critics are set to use", "none");
  const std::size_t d = source.features->shape.size() == 2 ? source.features->shape[1] : 0;
  if (d < least_components) refuse(source.name, "at least 4 features for a range", d);
  ComponentRange range;
  for (const std::size_t fraction : fractions_of(d))
    range.bounds.push_back({fraction, d / fraction, {}, false});
  Dis2Options one = options;
  one.delta /= static_cast<double>(range.bounds.size());
  for (ComponentBound& bound : range.bounds) {
    one.representation = {Representation::Kind::pca, bound.components, 0};
    bound.dis2 = dis2_bound(source, target, one);
    Dis2Options recipe = one;
    recipe.search = Search::reference, recipe.restarts = std::min(most_scored, options.restarts);
    bound.validity_score = dis2_bound(source, target, recipe).validity_score.value_or(0);
    bound.kept = bound.validity_score >= least_validity;
  }
  range.chosen = least_kept(range.bounds);
  return range;
}

}  // namespace leeway::error_bound
