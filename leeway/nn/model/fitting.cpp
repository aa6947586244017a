#include "leeway/nn/model/fitting.h"

#include <algorithm>
#include <optional>

#include "leeway/core/error.h"
#include "leeway/nn/io/tensor_names.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/model/architecture.h"

namespace leeway::nn {
namespace {

constexpr std::size_t fitting_most_classes = 1 << 17, most_rows = 8;

// Images first: a matrix that takes 784 numbers takes pictures more often than rows of a table.
std::vector<InputShape> usual_inputs(const ArrayMap& tensors) {
  std::vector<InputShape> inputs;
  for (const std::size_t side : {32, 28, 224, 64, 96, 128})
    for (const std::size_t channels : {3, 1, 4}) inputs.push_back({channels, side, side});
  std::size_t matrices = 0;
  for (const auto& [name, array] : tensors)
    if (array.shape.size() == 2 && array.shape[1] > 0 && matrices++ < most_rows)
      inputs.push_back({.channels = array.shape[1], .height = 1, .width = 1, .rank = 2});
  return inputs;
}

// Nothing where the architecture takes no such input.
std::shared_ptr<Network> network_for(const Architecture& architecture, const InputShape& input,
                                     std::size_t classes) {
  try {
    return make_network(architecture, input, classes, 1);
  } catch (const Error&) {
    return nullptr;
  }
}

std::optional<FittingArchitecture> fit_of(const Architecture& architecture, const ArrayMap& given,
                                          std::span<const InputShape> inputs) {
  const ArrayMap tensors = without_prefixes(given, architecture.output);
  const auto output = tensors.find(std::string(architecture.output));
  if (output == tensors.end() || output->second.shape.empty()) return std::nullopt;
  const std::size_t classes = output->second.shape[0];
  if (classes == 0 || classes > fitting_most_classes) return std::nullopt;
  for (const InputShape& input : inputs) {
    const auto network = network_for(architecture, input, classes);
    if (!network) continue;
    const Fit fit = fit_of(tensors, *network);
    if (fit == Fit::whole) return FittingArchitecture{std::string(architecture.name), input, classes};
    if (fit == Fit::none) break;  // names do not depend on the input
  }
  return std::nullopt;
}

}  // namespace

std::vector<FittingArchitecture> fitting_architectures(const ArrayMap& tensors, const InputShape& input) {
  const std::vector<InputShape> inputs = input.known() ? std::vector{input} : usual_inputs(tensors);
  std::vector<FittingArchitecture> fitting;
  for (const Architecture& architecture : architectures())
    if (auto fit = fit_of(architecture, tensors, inputs)) fitting.push_back(*std::move(fit));
  return fitting;
}

}  // namespace leeway::nn
