#include "leeway/shift/frost_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>

#include "leeway/core/gradient_noise.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/data/picture_file.h"

namespace leeway::shift {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t pool = 8, picture_height = 480, picture_width = 640;

// Gradient noise on a lattice of 256 x 256 that repeats; about N(0, .3^2), within [-1, 1].
class Noise {
 public:
  explicit Noise(Random& random) {
    for (std::size_t i = 0; i < 256; ++i) order_[i] = static_cast<std::uint8_t>(i);
    shuffle(std::span(order_), random);
    for (std::size_t i = 0; i < 256; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 256;
      slopes_[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
    }
  }

  [[nodiscard]] float at(float x, float y) const {
    return gradient_noise(x, y, [this](int i, int j) {
      const auto column = static_cast<unsigned>(i), row = static_cast<unsigned>(j);
      return slopes_[order_[(order_[column & 255] + row) & 255]];
    });
  }

 private:
  std::array<std::uint8_t, 256> order_{};
  std::array<std::array<float, 2>, 256> slopes_{};
};

// What distinguishes the pictures of a pool.
struct Look {
  float cosine = 0, sine = 0;       // direction of needles
  float needles = 0, feathers = 0;  // their amplitudes beside the fractal noise
  double mean = 0, deviation = 0;   // of the luminance
};

Look look_of(std::size_t picture, Random& random) {
  const double angle = std::numbers::pi * random.uniform();
  const double place = static_cast<double>(picture) / static_cast<double>(pool - 1);
  return {static_cast<float>(std::cos(angle)),
          static_cast<float>(std::sin(angle)),
          static_cast<float>(.3 + .5 * random.uniform()),
          static_cast<float>(.3 + .5 * random.uniform()),
          124 + 76 * place,
          42 - 20 * place};
}

float ridged(const Noise& noise, float x, float y) {
  const float n = 1 - std::min(1.f, 1.8f * std::abs(noise.at(x, y)));
  return n * n * n * n;
}

float frost_at(const Noise& noise, const Look& look, float x, float y) {
  // each use of the noise at a part of the lattice of its own
  x += 45 * noise.at(x / 160 + 31, y / 160 + 7) + 18 * noise.at(x / 50 + 91, y / 50 + 57);
  y += 45 * noise.at(x / 160 + 131, y / 160 + 77) + 18 * noise.at(x / 50 + 11, y / 50 + 157);
  constexpr float kept = .9013f;  // 2^-.15: a power spectrum of f^-2.3
  float sum = 0, amplitude = 1, wavelength = 320;
  for (int octave = 0; octave < 6; ++octave, amplitude *= kept, wavelength /= 2)
    sum += amplitude * noise.at(x / wavelength + static_cast<float>(17 * octave),
                                y / wavelength + static_cast<float>(43 * octave));
  amplitude = look.feathers;
  wavelength = 120;
  for (int octave = 0; octave < 3; ++octave, amplitude *= .7f, wavelength /= 2)
    sum += amplitude * ridged(noise, x / wavelength + static_cast<float>(61 + 23 * octave), y / wavelength);
  const float along = x * look.cosine + y * look.sine, across = y * look.cosine - x * look.sine;
  return sum + look.needles * (ridged(noise, along / 180 + 203, across / 24) +
                               .6f * ridged(noise, along / 24, across / 140 + 119));
}

FrostPicture procedural_picture(std::uint64_t seed, std::size_t picture) {
  Random random(seed, stream("frost pictures"), picture);
  const Noise noise(random);
  const Look look = look_of(picture, random);
  constexpr std::size_t area = picture_height * picture_width;
  std::vector<float> values(area);
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < area; ++i) {
    const std::size_t y = i / picture_width, x = i % picture_width;
    values[i] = frost_at(noise, look, static_cast<float>(x), static_cast<float>(y));
    mean += values[i];
    squares += static_cast<double>(values[i]) * values[i];
  }
  mean /= static_cast<double>(area);
  const double deviation = std::sqrt(squares / static_cast<double>(area) - mean * mean);
  constexpr std::array<double, 3> tint{.89, 1.02, 1.09};
  FrostPicture frost{picture_height, picture_width, std::vector<std::uint8_t>(3 * area)};
  for (std::size_t i = 0; i < area; ++i) {
    const double luminance = look.mean + look.deviation * (values[i] - mean) / deviation;
    for (std::size_t c = 0; c < 3; ++c)
      frost.levels[c * area + i] = static_cast<std::uint8_t>(std::clamp(tint[c] * luminance + .5, 0., 255.));
  }
  return frost;
}

}  // namespace

std::shared_ptr<const FrostPictures> procedural_frost_pictures(std::uint64_t seed) {
  static std::mutex mutex;
  static std::uint64_t kept_seed = 0;
  static std::shared_ptr<const FrostPictures> kept;
  {
    const std::lock_guard lock(mutex);
    if (kept && kept_seed == seed) return kept;
  }
  // outside the lock: a thread that waits in this loop may take up other work that asks for pictures
  auto made = std::make_shared<FrostPictures>();
  made->resize(pool);
  parallel_for(pool, [&](std::size_t p) { (*made)[p] = procedural_picture(seed, p); });
  const std::lock_guard lock(mutex);
  kept_seed = seed;
  return kept = std::move(made);
}

std::shared_ptr<const FrostPictures> read_frost_pictures(const fs::path& folder) {
  auto read = std::make_shared<FrostPictures>();
  for (const fs::path& file : data::pictures_in(folder, "frost images")) {
    const Bitmap bitmap = data::read_picture(file);
    read->push_back({bitmap.height, bitmap.width, data::color_planes(bitmap)});
  }
  return read;
}

}  // namespace leeway::shift
