#include <fmt/format.h>

#include <algorithm>

#include "leeway/tasks/adapt/adapt.h"

namespace leeway::nn {

static void fields(AdaptedLayer& layer, Fields& f) {
  f("name", layer.name, "name of the layer in the weights file");
  f("channels", layer.channels, at_least(1), "number of channels or units");
  f("mean_shift", layer.mean_shift, at_least(0),
    "mean over channels of |new mean - old mean| / old standard deviation");
  f("variance_ratio", layer.variance_ratio, at_least(0),
    "geometric mean over channels of new variance / old variance");
}

}  // namespace leeway::nn

namespace leeway::tasks {

void fields(AdaptOptions& options, Fields& f) {
  f.choice(
      "method", options.method,
      {{"batchnorm", "set batch normalization to the mean and variance over all images, layer by layer"}},
      "adaptation method");
}

void fields(AdaptedModel& model, Fields& f) {
  f.unless_empty("model", model.model, "model file");
  f.unless_empty("data", model.data, "images of the target");
  f.unless_empty("out", model.out, "adapted model file");
  f("n", model.n, at_least(2), "number of images");
  f("mean_shift", model.mean_shift, at_least(0), "mean_shift over the channels of all layers");
  f("variance_ratio", model.variance_ratio, at_least(0), "variance_ratio over the channels of all layers");
  f("layers", model.layers, "batch normalization layers, in execution order");
}

std::string headline_of(const Adapt& record) {
  const AdaptedModel& model = record.results.at(0);
  return fmt::format(
      "{} now {} the statistics of {} images: means changed by {} standard deviations, variances by a factor "
      "of {}.",
      model.layers.size() == 1 ? "One batch normalization layer"
                               : fmt::format("{} batch normalization layers", model.layers.size()),
      model.layers.size() == 1 ? "uses" : "use", count(model.n), significant(model.mean_shift, 3),
      significant(model.variance_ratio, 3));
}

std::vector<std::string> findings_of(const Adapt& record) {
  const std::vector<nn::AdaptedLayer>& layers = record.results.at(0).layers;
  if (layers.size() < 2) return {};
  const auto most = std::ranges::max_element(layers, {}, &nn::AdaptedLayer::mean_shift);
  return {fmt::format("The means changed most in {}: by {} standard deviations.", most->name,
                      significant(most->mean_shift, 3))};
}

}  // namespace leeway::tasks
