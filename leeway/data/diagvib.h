// Pictures of DiagViB-6: a digit as a colored object on a gray background, with five factors besides its
// shape.
//
// Eulig et al., "DiagViB-6: A diagnostic benchmark suite for vision models in the presence of shortcut and
// generalization opportunities", ICCV 2021. Written from the paper; uses neither its program nor its
// textures.
//
// The object is 40 x 40. Its alpha is 255 where the digit is above 150, else 0. With T a crop of the texture
// and two colors c1, c2 of one hue, HLS saturation 1 and lightness l1, l2, each channel floor(255 value), it
// is
//   (c1 T + c2 (255 - T)) / 255.
// Object and alpha are resized to a square of round(40 scale size / 128) pixels: bilinear, pixel centers
// aligned, after a Gaussian of sigma (40 / side - 1) / 2 when shrinking. The canvas is 127 in all channels,
// size x size. The object's corner is at (size - 1) share - (side - 1) / 2 of each axis, clipped to the
// canvas. A pixel is (alpha object + (255 - alpha) 127) / 255. Every step truncates to integers, as the
// published program does.
//
// Factors: hue in degrees; lightness l1 and l2; position as shares of rows and columns; scale. A class of a
// factor is a range with a uniform distribution. Position names are visual: the published program applies the
// first word to rows, so its "center right" is our lower-center.
//
// Thread-safe; the same bits on one machine. Cost: 10 to 50 us per picture of 128 x 128.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leeway/core/random.h"
#include "leeway/data/diagvib_textures.h"

namespace leeway::data {

inline constexpr std::size_t diagvib_digit_side = 28, diagvib_object_side = 40, diagvib_canvas = 128,
                             diagvib_least_size = 28, diagvib_largest_size = 512;
inline constexpr std::uint8_t diagvib_ground = 127;

// Where the 40 x 40 object is opaque, row after row.
using DiagvibGlyph = std::bitset<diagvib_object_side * diagvib_object_side>;

// The glyph of a picture of 28 x 28: the box of its pixels above 100, enlarged by a cubic spline until the longer side is 28,
// in the middle of 40 x 40, above 150. Nothing where no pixel is above these.
[[nodiscard]] std::optional<DiagvibGlyph> diagvib_glyph(std::span<const std::uint8_t> digit);

enum class DiagvibFactor { hue, lightness, position, scale, texture };
inline constexpr std::size_t diagvib_factors = 5;
[[nodiscard]] std::string_view name_of(DiagvibFactor factor);
[[nodiscard]] std::optional<DiagvibFactor> diagvib_factor(std::string_view name);

struct DiagvibClass {
  std::string_view name;
  double low = 0, high = 0;    // hue in degrees, l1, row, scale
  double low2 = 0, high2 = 0;  // l2, column
};
// Of hue, lightness, position and scale; those of the texture are the pictures there are.
[[nodiscard]] std::span<const DiagvibClass> diagvib_classes(DiagvibFactor factor);

// One class of every factor, by its place in diagvib_classes and in the list of textures.
using DiagvibCodes = std::array<std::uint8_t, diagvib_factors>;

// The values that a picture is drawn with.
struct DiagvibLook {
  double lightness1 = .5, lightness2 = .5;
  double hue = 0;                // degrees
  double row = .5, column = .5;  // of the object's centre, shares of the canvas
  double scale = 1;
  std::size_t crop_row = 0, crop_column = 0;  // where the 40 x 40 crop of the texture begins
};

// Values drawn from the classes. Draws are taken in one order and number whatever the classes, so two looks of equal generators
// differ in those factors alone whose classes differ.
[[nodiscard]] DiagvibLook diagvib_look(const DiagvibCodes& codes, const DiagvibTexture& texture,
                                       Random random);

// Red, green, blue of HLS saturation 1; hue in degrees, any number.
[[nodiscard]] std::array<std::uint8_t, 3> diagvib_color(double hue, double lightness);

// `out` is (3,size,size). std::logic_error for another length; Error for a size below 28 or above 512.
void draw_diagvib(const DiagvibGlyph& glyph, const DiagvibLook& look, const DiagvibTexture& texture,
                  std::size_t size, std::span<std::uint8_t> out);

}  // namespace leeway::data
