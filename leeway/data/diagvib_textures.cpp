#include "leeway/data/diagvib_textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

#include "leeway/core/gradient_noise.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/png.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t side = 256, least_side = 40;
constexpr std::uint64_t seed = 6;

using Field = std::vector<double>;  // (side,side)

// Gradient noise of one octave on a grid of `down` x `across` cells, which repeats after `side` pixels (Perlin 1985).
class Octave {
 public:
  Octave(std::size_t down, std::size_t across, Random& random) : down_(down), across_(across) {
    for (std::size_t i = 0; i < down * across; ++i) {
      const double angle = 2 * std::numbers::pi * random.uniform();
      gradients_.push_back({std::sin(angle), std::cos(angle)});
    }
  }

  // y, x in pixels, any numbers.
  [[nodiscard]] double at(double y, double x) const {
    const double v = y * static_cast<double>(down_) / side, u = x * static_cast<double>(across_) / side;
    return gradient_noise(
        u, v, [this](int i, int j) { return gradients_[wrapped(j, down_) * across_ + wrapped(i, across_)]; });
  }

 private:
  static std::size_t wrapped(int cell, std::size_t count) {
    const auto n = static_cast<int>(count);
    return static_cast<std::size_t>((cell % n + n) % n);
  }

  std::size_t down_, across_;
  std::vector<std::array<double, 2>> gradients_;  // across, down
};

// Octaves of twice the frequency and `gain` times the height each; some -1.5 to 1.5.
class Noise {
 public:
  Noise(std::string_view purpose, std::array<std::size_t, 2> cells, std::size_t octaves, double gain)
      : gain_(gain) {
    Random random(seed, stream(purpose));
    for (std::size_t o = 0; o < octaves; ++o) octaves_.emplace_back(cells[0] << o, cells[1] << o, random);
  }

  [[nodiscard]] double at(double y, double x) const {
    double sum = 0, height = 2;
    for (const Octave& octave : octaves_) {
      sum += height * octave.at(y, x);
      height *= gain_;
    }
    return sum;
  }

 private:
  double gain_;
  std::vector<Octave> octaves_;
};

// A number from 0 to 1 of a cell of a grid.
double of_cell(std::string_view purpose, std::size_t cell) {
  return Random(seed, stream(purpose), cell).uniform();
}

// The bytes 0..255 by rank, each as often as the others. Ties are in the order of the pixels.
std::vector<std::uint8_t> by_rank(const Field& field) {
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return field[i]; });
  std::vector<std::uint8_t> bytes(field.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    bytes[order[rank]] = static_cast<std::uint8_t>(rank * 256 / order.size());
  return bytes;
}

// Heights at the centres of the pixels.
using Height = std::function<double(double y, double x)>;

DiagvibTexture drawn(std::string name, const Height& height) {
  Field field(side * side);
  parallel_for(side, [&](std::size_t y) {
    for (std::size_t x = 0; x < side; ++x)
      field[y * side + x] = height(static_cast<double>(y) + .5, static_cast<double>(x) + .5);
  });
  return {std::move(name), side, side, by_rank(field), true};
}

double wave(double cycles, double at) { return std::sin(2 * std::numbers::pi * cycles * at / side); }

// A 6 x 6 checkerboard of light and dark marbled squares with joints of 2 pixels, in the middle of the greys.
DiagvibTexture tiles() {
  const Noise marble("diagvib tiles", {6, 6}, 6, .6);
  return drawn("tiles", [=](double y, double x) {
    constexpr double pitch = side / 6.;
    const double v = std::fmod(y, pitch), u = std::fmod(x, pitch);
    if (v < 1 || u < 1 || pitch - v < 1 || pitch - u < 1) return .02 * marble.at(x, y);
    const auto odd = (static_cast<int>(y / pitch) + static_cast<int>(x / pitch)) % 2;
    const double vein = std::abs(marble.at(y, x));
    return (odd == 0 ? 1.2 : -1.2) + .8 * (.5 - vein);
  });
}

// Grain along rows, over rings that bend slowly.
DiagvibTexture wood() {
  const Noise bend("diagvib wood bend", {3, 1}, 2, .5), grain("diagvib wood grain", {128, 14}, 2, .7);
  return drawn("wood", [=](double y, double x) {
    return 1.1 * wave(7, y + 22 * bend.at(y, x)) + 1.7 * grain.at(y, x);
  });
}

// 16 threads down, 23 across, over and under.
DiagvibTexture carpet() {
  const Noise fibre("diagvib carpet", {32, 32}, 3, .9);
  return drawn("carpet", [=](double y, double x) {
    const auto square = [](double value) { return std::tanh(4 * value); };
    return square(wave(16, y)) * square(wave(23, x)) + 1.0 * fibre.at(y, x);
  });
}

// 8 rows of 5 bricks of 51 pixels, each row moved by half a brick; joints of 2 pixels, lighter than most bricks.
DiagvibTexture bricks() {
  const Noise grain("diagvib bricks", {8, 8}, 6, .65);
  return drawn("bricks", [=](double y, double x) {
    constexpr double height = side / 8., length = side / 5.;
    const auto row = static_cast<std::size_t>(y / height);
    const double along = std::fmod(x + (row % 2 == 0 ? 0 : length / 2), static_cast<double>(side));
    const double v = std::fmod(y, height), u = std::fmod(along, length);
    if (v < 1 || u < 1 || height - v < 1 || length - u < 1) return 1.3 + .2 * grain.at(y, x);
    const auto brick = row * 5 + static_cast<std::size_t>(along / length);
    return 1.6 * (of_cell("diagvib brick", brick) - .5) + .55 * grain.at(y, x);
  });
}

// Smooth noise whose place is moved by smooth noise.
DiagvibTexture lava() {
  const Noise body("diagvib lava", {8, 8}, 4, .4), down("diagvib lava down", {4, 4}, 2, .5),
      across("diagvib lava across", {4, 4}, 2, .5);
  return drawn("lava",
               [=](double y, double x) { return body.at(y + 18 * down.at(y, x), x + 18 * across.at(y, x)); });
}

DiagvibTexture blank() { return {"blank", side, side, std::vector<std::uint8_t>(side * side, 1), false}; }

DiagvibTexture read_texture(const fs::path& path) {
  const Bitmap picture = read_picture(path);
  if (picture.height < least_side || picture.width < least_side)
    refuse(display_name(path), fmt::format("sides of at least {} pixels", least_side),
           fmt::format("{} x {}", picture.height, picture.width));
  DiagvibTexture texture{path.stem().string(), picture.height, picture.width, {}, false};
  if (picture.channels == 1) {
    texture.pixels = picture.pixels;
    return texture;
  }
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) {
    const int grey =
        (299 * picture.pixels[i] + 587 * picture.pixels[i + 1] + 114 * picture.pixels[i + 2] + 500) / 1000;
    texture.pixels.push_back(static_cast<std::uint8_t>(grey));
  }
  return texture;
}

}  // namespace

std::vector<DiagvibTexture> diagvib_textures() {
  static const std::vector<DiagvibTexture> own = {tiles(), wood(), carpet(), bricks(), lava()};
  std::vector<DiagvibTexture> textures{blank()};
  textures.insert(textures.end(), own.begin(), own.end());
  return textures;
}

std::vector<DiagvibTexture> diagvib_textures(const fs::path& folder) {
  const std::vector<fs::path> files = pictures_in(folder, "images");
  std::vector<DiagvibTexture> textures = diagvib_textures();
  std::vector<std::string> read = {textures.front().name};
  for (const fs::path& file : files) {
    DiagvibTexture texture = read_texture(file);
    if (std::ranges::find(read, texture.name) != read.end())
      refuse(display_name(file), "a unique texture name", in_quotes(texture.name));
    read.push_back(texture.name);
    const auto same = std::ranges::find(textures, texture.name, &DiagvibTexture::name);
    if (same != textures.end())
      *same = std::move(texture);
    else
      textures.push_back(std::move(texture));
  }
  if (textures.size() > 255) refuse(display_name(folder), "at most 249 images", files.size());
  return textures;
}

}  // namespace leeway::data
