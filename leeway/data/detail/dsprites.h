// dSprites with colors: a square, an ellipse or a heart on a plain background.
//
// Factors: "dSprites: Disentanglement testing Sprites dataset" (Matthey et al., 2017): 3 shapes, 6 scales
// from .5 to 1, 40 orientations from 0 to 2 pi (both), 32 x 32 positions from 0 to 1; colors: "An analysis of
// model robustness across concurrent distribution shifts", Table 2. The published sprites are black and white
// with hard edges; ours are antialiased by the exact covered share of every pixel.
//
// Geometry, in shares of the image's side: the centroid is at .25 + .5 position (x right, y down); the shape
// is turned counter-clockwise; at scale 1 the square's side is .34, the ellipse's half axes are .24 and .14,
// the heart reaches .24 from its center. No sprite is cut off.
#pragma once

#include <cstddef>
#include <vector>

namespace leeway::data {

enum class Sprite { square, ellipse, heart };

// Share of every pixel, (size, size), that the sprite covers: exact for a polygon, of 128 corners and the shape's own
// area where the outline is curved. Orientation in radians, position in [0,1]. Cost: some 10 us.
[[nodiscard]] std::vector<float> sprite_coverage(Sprite sprite, double scale, double orientation, double x,
                                                 double y, std::size_t size);
// At scale 1, in shares of the image.
[[nodiscard]] double sprite_area(Sprite sprite);

}  // namespace leeway::data
