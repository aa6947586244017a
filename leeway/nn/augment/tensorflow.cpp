#include "leeway/nn/augment/tensorflow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

using enum Operation;

constexpr std::uint8_t middle = 128;
constexpr double side_of_program = 224;  // for which its pixels are meant

constexpr std::array<std::pair<std::string_view, Operation>, tensorflow_operations> operations = {{
    {"autocontrast", autocontrast},
    {"equalize", equalize},
    {"invert", invert},
    {"rotate", rotate},
    {"posterize", posterize},
    {"solarize", solarize},
    {"color", color},
    {"contrast", contrast},
    {"brightness", brightness},
    {"sharpness", sharpness},
    {"shear-x", shear_x},
    {"shear-y", shear_y},
    {"translate-x", translate_x},
    {"translate-y", translate_y},
    {"cutout", identity},
    {"solarize-add", identity},
}};

// A white plane says where pixels come from outside: there it is black.
void apply_on_grey(Operation operation, const Picture& picture, double magnitude) {
  Levels inside(picture.area(), 255);
  apply(operation, {inside, 1, picture.height, picture.width}, magnitude);
  apply(operation, picture, magnitude);
  for (std::size_t i = 0; i < picture.levels.size(); ++i)
    if (inside[i % inside.size()] == 0) picture.levels[i] = middle;
}

void contrast_about_the_count(const Picture& picture, double factor) {
  const double about = std::floor(std::min(255., static_cast<double>(picture.area()) / 256));
  for (std::uint8_t& v : picture.levels)
    v = static_cast<std::uint8_t>(std::clamp(about + factor * (v - about) + 1e-9, 0., 255.));
}

void cut_out(const Picture& picture, double share, Random& random) {
  const std::size_t h = picture.height, w = picture.width;
  const std::size_t y = random.below(h), x = random.below(w);
  const auto reach = [&](std::size_t side) {
    return static_cast<std::size_t>(static_cast<double>(side) / side_of_program * share + 1e-9);
  };
  const auto from = [](std::size_t at, std::size_t r) { return at - std::min(at, r); };
  for (std::size_t c = 0; c < picture.channels; ++c)
    for (std::size_t j = from(y, reach(h)); j < std::min(h, y + reach(h)); ++j)
      for (std::size_t i = from(x, reach(w)); i < std::min(w, x + reach(w)); ++i)
        picture.levels[(c * h + j) * w + i] = middle;
}

void solarize_add(const Picture& picture, int added) {
  for (std::uint8_t& v : picture.levels)
    if (v < middle) v = static_cast<std::uint8_t>(std::min(255, v + added));
}

}  // namespace

std::size_t tensorflow_number(std::string_view name) {
  const auto found = std::ranges::find(operations, name, &std::pair<std::string_view, Operation>::first);
  return static_cast<std::size_t>(found - operations.begin());
}

std::string_view tensorflow_operation(std::size_t number) { return operations.at(number).first; }

void apply_tensorflow(std::size_t number, const Picture& picture, double level, Random& random,
                      double pixels) {
  const auto& [name, operation] = operations.at(number);
  const double t = level / 10, sign = random.below(2) == 1 ? -1 : 1;
  const auto down = [](double value) { return std::floor(value + 1e-9); };
  const auto of_side = [](std::size_t side) { return static_cast<double>(side) / side_of_program; };
  if (name == "cutout") return cut_out(picture, 40 * t, random);
  if (name == "solarize-add") return solarize_add(picture, static_cast<int>(down(110 * t)));
  switch (operation) {
    case rotate:
      return apply_on_grey(operation, picture, sign * 30 * t);
    case shear_x:
    case shear_y:
      return apply_on_grey(operation, picture, sign * .3 * t);
    case translate_x:
      return apply_on_grey(operation, picture, sign * pixels * t * of_side(picture.width));
    case translate_y:
      return apply_on_grey(operation, picture, sign * pixels * t * of_side(picture.height));
    case posterize:
      return apply(operation, picture, std::min(8., down(4 * t)));
    case solarize:
      return apply(operation, picture, down(256 * t));
    case contrast:
      return contrast_about_the_count(picture, .1 + 1.8 * t);
    case color:
    case brightness:
    case sharpness:
      return apply(operation, picture, .1 + 1.8 * t);
    default:
      return apply(operation, picture, 0);
  }
}

}  // namespace leeway::nn::augment
