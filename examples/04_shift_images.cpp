// Shifts of images: one picture, noisier and turned; pixels stay in [0,1] and a seed fixes every one of them.
#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "leeway/shift/shift.h"

namespace {

void draw(const leeway::Images& images) {
  std::vector<float> pixels(images.pixels_per_image());
  images.copy_row(0, pixels);
  for (std::size_t y = 0; y < images.height(); ++y) {
    for (std::size_t x = 0; x < images.width(); ++x)
      fmt::print("{}", " .:+#"[std::lround(4 * pixels[y * images.width() + x])]);
    fmt::print("|\n");
  }
}

}  // namespace

int main() {
  constexpr std::size_t side = 9;
  std::vector<float> bar(side * side, 0);
  for (std::size_t y = 1; y < side - 1; ++y) bar[y * side + side / 2] = 1;  // a vertical bar
  leeway::Images images;
  images.path = "bar";
  images.pixels = leeway::make_array({1, 1, side, side}, bar);
  draw(images);
  for (const auto& [name, strength] : {std::pair{"gaussian-noise", .2}, std::pair{"rotation", 45.0}}) {
    fmt::print("{} {}\n", name, strength);
    leeway::shift::Options options;
    options.strength = strength;
    options.seed = 1;
    draw(leeway::shift::member(name).apply(images, options, nullptr).images);
  }
}
