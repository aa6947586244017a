#include "leeway/record/adapt.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::record {

void fields(AdaptOptions& options, Fields& f) {
  f.choice(
      "method", options.method,
      {{"batchnorm", "batch normalization gets the mean and variance over all images, layer after layer"}},
      "method of adaptation");
}

static void fields(AdaptedLayer& layer, Fields& f) {
  f("name", layer.name, "as in the file of weights");
  f("channels", layer.channels, at_least(1), "channels, or units");
  f("mean_shift", layer.mean_shift, at_least(0),
    "mean over channels of |new mean - old mean| / old standard deviation");
  f("variance_ratio", layer.variance_ratio, at_least(0),
    "geometric mean over channels of new variance / old variance");
}

static void fields(AdaptedModel& model, Fields& f) {
  f.unless_empty("model", model.model, "the model's file");
  f.unless_empty("data", model.data, "the images of the target");
  f.unless_empty("out", model.out, "the adapted model");
  f("n", model.n, at_least(2), "images");
  f("mean_shift", model.mean_shift, at_least(0), "of all layers' channels, as of a layer");
  f("variance_ratio", model.variance_ratio, at_least(0), "likewise");
  f("layers", model.layers, "of batch normalization, in the order in which the network runs them");
}

void fields(Adapt& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

std::string headline_of(const Adapt& record) {
  const AdaptedModel& model = record.results.at(0);
  return fmt::format(
      "{} of batch normalization {} the statistics of {} images: means moved by {} standard deviations, "
      "variances by a factor of {}.",
      model.layers.size() == 1 ? "One layer" : fmt::format("{} layers", model.layers.size()),
      model.layers.size() == 1 ? "has" : "have", count(model.n), significant(model.mean_shift, 3),
      significant(model.variance_ratio, 3));
}

std::vector<std::string> findings_of(const Adapt& record) {
  const std::vector<AdaptedLayer>& layers = record.results.at(0).layers;
  if (layers.size() < 2) return {};
  const auto most = std::ranges::max_element(layers, {}, &AdaptedLayer::mean_shift);
  return {fmt::format("Means moved most in {}: by {} standard deviations.", most->name,
                      significant(most->mean_shift, 3))};
}

}  // namespace leeway::record
