// Operations on the 8-bit levels of a picture, as torchvision's tensor functions define them, in exact arithmetic: a number that is
// whole (or a half) but for rounding counts as such. v a level, f a factor, m a magnitude, "down" towards zero after clamping to 0..255.
//
//   brightness f    f v, down
//   color f         f v + (1-f) g, down; g = .2989 R + .587 G + .114 B, down. Nothing without three channels
//   contrast f      f v + (1-f) mean of g over the picture, down; of v without three channels
//   sharpness f     f v + (1-f) b, down; b the mean of 3 x 3 with the middle five times, rounded; the border keeps v. Nothing
//                   where a side is 2 or less
//   posterize n     the n high bits
//   solarize t      255 - v where v >= t
//   autocontrast    each channel's levels stretched to 0..255, down; a constant channel stays
//   equalize        each channel: s = (pixels - count of its top level) div 255, level i -> min(255, (pixels below i + s div 2) div s);
//                   nothing where s = 0
//   invert          255 - v
//   shear-x m       (x,y) reads x + m (y + 1/2), y: about the corner; shear-y likewise
//   translate-x m   reads x - m, m without its fraction: whole pixels, to the right where m > 0; translate-y likewise
//   rotate a        by a degrees, counter-clockwise, about the middle
//   hue h           turned by h of the circle, with the value and the saturation of HSV, down. Nothing without three channels
//   gray            g in all of three channels
//
// Pixels between pixels are the nearest one or bilinear; outside is 0, and halves go to the even number. Identities: factor 1,
// 8 bits, magnitude 0, a threshold above 255.
#pragma once

#include <cstdint>
#include <string_view>

#include "leeway/nn/augment/picture.h"

namespace leeway::nn::augment {

enum class Operation : std::uint8_t {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  autocontrast,
  equalize,
  invert,
  hue,
  gray,
};
[[nodiscard]] Operation operation(std::string_view name);  // Error that lists the names there are

enum class Sampling : std::uint8_t { nearest, bilinear };

// Magnitudes are not looked at by operations that have none.
void apply(Operation operation, const Picture& picture, double magnitude,
           Sampling sampling = Sampling::nearest);

// Mirrored left to right where asked for; then each pixel from (x + dx, y + dy), zeros outside.
void move(const Picture& picture, std::ptrdiff_t dx, std::ptrdiff_t dy, bool mirrored);

// What torchvision calls magnitude t of its range, t in [-1,1]: shears .3 t, translations 150/331 of the side times t, rotation
// 30 t degrees, factors 1 + .9 t, posterize 8 - round(4 t) bits, solarize 255 (1 - t). 0 of operations without one.
[[nodiscard]] double magnitude_of(Operation operation, double t, const Picture& picture);
[[nodiscard]] bool is_signed(Operation operation);  // its t is as often negative

}  // namespace leeway::nn::augment
