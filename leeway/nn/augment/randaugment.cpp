// N operations, each uniform among 14 with replacement, with magnitude M of bins 0 to bins - 1; signs are a
// fair coin. Operations and magnitudes are torchvision's (operation.h, t = M / (bins - 1)).
#include <fmt/format.h>

#include <array>

#include "leeway/core/message.h"
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

constexpr std::array<Operation, 14> drawn_operations = {
    Operation::identity,     Operation::shear_x,   Operation::shear_y,    Operation::translate_x,
    Operation::translate_y,  Operation::rotate,    Operation::brightness, Operation::color,
    Operation::contrast,     Operation::sharpness, Operation::posterize,  Operation::solarize,
    Operation::autocontrast, Operation::equalize};

void apply_drawn(const Picture& picture, const Parameters& parameters, Random& random) {
  const double t = parameters.at("magnitude") / (parameters.at("bins") - 1);
  const auto count = static_cast<std::size_t>(parameters.at("num-ops"));
  for (std::size_t i = 0; i < count; ++i) {
    const Operation drawn = drawn_operations[random.below(drawn_operations.size())];
    const bool negative = random.below(2) == 1 && is_signed(drawn);
    apply(drawn, picture, magnitude_of(drawn, negative ? -t : t, picture));
  }
}

void check_magnitude(const Parameters& parameters) {
  if (parameters.at("magnitude") < parameters.at("bins")) return;
  refuse("augmentation randaugment: magnitude",
         fmt::format("a number below the number of bins, {}", parameters.at("bins")),
         fmt::format("{}", parameters.at("magnitude")));
}

}  // namespace

Augmentation randaugment() {
  return {{"randaugment",
           "random operations out of 14, with a common magnitude",
           "Cubuk et al., NeurIPS 2020; operations and magnitudes as in torchvision",
           {{"num-ops", 2, 0, 20, "number of operations", true},
            {"magnitude", 9, 0, 1000, "common magnitude, 0 to bins - 1", true},
            {"bins", 31, 2, 1001, "number of magnitudes", true}}},
          apply_drawn,
          nullptr,
          check_magnitude};
}

}  // namespace leeway::nn::augment
