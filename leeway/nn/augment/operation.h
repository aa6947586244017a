// Operations on 8-bit levels as torchvision's tensor functions define them, but exact: whole and half numbers
// are not affected by rounding errors. v: level, f: factor, m: magnitude, "down": clamped to 0..255, then
// truncated.
//
//   brightness f    f v, down
//   color f         f v + (1-f) g, down; g = .2989 R + .587 G + .114 B, down. Nothing without three channels
//   contrast f      f v + (1-f) mean of g over the picture, down; of v without three channels
//   sharpness f     f v + (1-f) b, down; b the rounded mean of 3 x 3, middle five times. The border keeps v;
//                   no change for a side of 2 or less
//   posterize n     the n high bits
//   solarize t      255 - v where v >= t
//   autocontrast    each channel's levels stretched to 0..255, down; a constant channel stays
//   equalize        each channel: s = (pixels - count of its top level) div 255; s = 0: no change; else
//                   level i -> min(255, (pixels below i + s div 2) div s)
//   invert          255 - v
//   shear-x m       (x,y) reads x + m (y + 1/2), y: about the corner; shear-y likewise
//   translate-x m   reads x - trunc(m), whole pixels, to the right for m > 0; translate-y likewise
//   rotate a        by a degrees, counter-clockwise, about the middle
//   hue h           rotated by h of the HSV circle, value and saturation kept, down. Only for three channels
//   gray            g in all three channels
//
// Sampling is nearest or bilinear, 0 outside, halves to even. Identities: factor 1, 8 bits, magnitude 0,
// threshold > 255.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::nn::augment {

// A picture, (c,h,w), of 8-bit levels that augmentations change in place. No LibTorch here.

using Levels = std::vector<std::uint8_t>;

struct Picture {
  std::span<std::uint8_t> levels;
  std::size_t channels = 1, height = 1, width = 1;

  [[nodiscard]] std::size_t area() const { return height * width; }
};

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

enum class Sampling : std::uint8_t { nearest, bilinear };

// `magnitude` is ignored by operations without one.
void apply(Operation operation, const Picture& picture, double magnitude,
           Sampling sampling = Sampling::nearest);

// Optional left-right flip, then each pixel from (x + dx, y + dy), zeros outside.
void move(const Picture& picture, std::ptrdiff_t dx, std::ptrdiff_t dy, bool mirrored);

// torchvision's magnitude for t in [-1,1]: shear .3 t, translation 150/331 of the side times t, rotation 30 t
// degrees, factor 1 + .9 t, posterize 8 - round(4 t) bits, solarize 255 (1 - t); otherwise 0.
[[nodiscard]] double magnitude_of(Operation operation, double t, const Picture& picture);
[[nodiscard]] bool is_signed(Operation operation);  // its t is as often negative

}  // namespace leeway::nn::augment
